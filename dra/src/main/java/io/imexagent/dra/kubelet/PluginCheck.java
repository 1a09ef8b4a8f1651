package io.imexagent.dra.kubelet;

import io.imexagent.core.check.CheckResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds other plugins of a driver, which would prepare the same claims; {@code proc} is {@code /proc}. */
public record PluginCheck(Path kubelet, Path proc, String id, String driver, String remedy) {

    /** The fields of {@code /proc/net/unix}: {@code Num RefCount Protocol Flags Type St Inode Path}. */
    private static final int INODE = 6;

    private static final int PATH = 7;

    /** Looks for them. */
    public CheckResult run() {
        try {
            for (Path socket : sockets()) {
                if (SocketFile.listening(socket)) {
                    List<Listener> processes = listeners(socket);
                    Optional<Listener> other = processes.stream()
                            .filter(process -> !process.isThisAgent())
                            .findFirst();
                    if (processes.isEmpty() || other.isPresent()) {
                        return CheckResult.failure(
                                id,
                                other.map(process -> "process " + process.pid() + " (" + process.command() + ")")
                                                .orElse("a process that cannot be seen from here")
                                        + " listens on " + socket,
                                remedy);
                    }
                }
            }
            return CheckResult.ok(id, "no other plugin of " + driver + " runs on this node");
        } catch (IOException failure) {
            return CheckResult.warning(
                    id, "other plugins cannot be looked for: " + failure.getMessage(), "run as root");
        }
    }

    private List<Path> sockets() throws IOException {
        List<Path> sockets = in(plugin(), "dra*.sock");
        sockets.addAll(in(kubelet.resolve("plugins_registry"), driver + "-*reg.sock"));
        return sockets;
    }

    private Path plugin() {
        return kubelet.resolve("plugins").resolve(driver);
    }

    /** The files of a directory, which may be missing. */
    static List<Path> in(Path directory, String glob) throws IOException {
        var found = new ArrayList<Path>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, glob)) {
                sockets.forEach(found::add);
            }
        }
        return found;
    }

    /**
     * The processes that listen on the socket, as far as root sees them: of two, one took it from the other. The socket's
     * inode is in {@code /proc/net/unix}, by the name that was bound, and a descriptor of the process leads to {@code
     * socket:[inode]} (proc(5)).
     */
    private List<Listener> listeners(Path socket) throws IOException {
        Stream<Path> hidden = new SocketFile(socket, plugin()).hidden().stream();
        Set<String> names =
                Stream.concat(Stream.of(socket), hidden).map(Path::toString).collect(Collectors.toSet());
        Set<String> targets = Files.readString(proc.resolve("net/unix"), StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.strip().split("\\s+", PATH + 1))
                .filter(fields -> fields.length > PATH && names.contains(fields[PATH]))
                .map(fields -> "socket:[" + fields[INODE] + "]")
                .collect(Collectors.toSet());
        var listeners = new ArrayList<Listener>();
        for (Path process : targets.isEmpty() ? List.<Path>of() : in(proc, "[0-9]*")) {
            if (holds(process, targets)) {
                String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                listeners.add(new Listener(
                        process.getFileName().toString(),
                        command.replace('\0', ' ').strip()));
            }
        }
        return listeners;
    }

    private static boolean holds(Path process, Set<String> targets) {
        try {
            for (Path descriptor : in(process.resolve("fd"), "*")) {
                if (Files.isSymbolicLink(descriptor)
                        && targets.contains(Files.readSymbolicLink(descriptor).toString())) {
                    return true;
                }
            }
        } catch (IOException endedOrForbidden) {
            return false;
        }
        return false;
    }

    private record Listener(String pid, String command) {

        boolean isThisAgent() {
            return command.contains("/imex-agent.jar ");
        }
    }
}
