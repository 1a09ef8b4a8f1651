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

/** Other plugins of a driver: two would prepare the same claims. The ID is the check's, {@code proc} /proc. */
public record PluginCheck(Path kubelet, Path proc, String id, String driver, String remedy) {

    /** The fields of {@code /proc/net/unix}: {@code Num RefCount Protocol Flags Type St Inode Path}. */
    private static final int INODE = 6;

    private static final int PATH = 7;

    /** Looks for them. */
    public CheckResult run() {
        try {
            for (Path socket : sockets()) {
                if (SocketFile.listening(socket)) {
                    Optional<Listener> process = listener(socket);
                    if (process.filter(Listener::isThisAgent).isEmpty()) {
                        return CheckResult.failure(
                                id,
                                process.map(other -> "process " + other.pid() + " (" + other.command() + ")")
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
        List<Path> sockets = in(kubelet.resolve("plugins").resolve(driver), "dra*.sock");
        sockets.addAll(in(kubelet.resolve("plugins_registry"), driver + "-*reg.sock"));
        return sockets;
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
     * The process that listens on the socket, as far as root sees it: the socket's inode is in {@code /proc/net/unix},
     * and a descriptor of the process leads to {@code socket:[inode]} (proc(5)).
     */
    private Optional<Listener> listener(Path socket) throws IOException {
        Optional<String> target = Files.readString(proc.resolve("net/unix"), StandardCharsets.ISO_8859_1)
                .lines()
                .map(line -> line.strip().split("\\s+", PATH + 1))
                .filter(fields -> fields.length > PATH && fields[PATH].equals(socket.toString()))
                .map(fields -> "socket:[" + fields[INODE] + "]")
                .findFirst();
        if (target.isPresent()) {
            for (Path process : in(proc, "[0-9]*")) {
                if (holds(process, target.get())) {
                    String command = Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1);
                    return Optional.of(new Listener(
                            process.getFileName().toString(),
                            command.replace('\0', ' ').strip()));
                }
            }
        }
        return Optional.empty();
    }

    private static boolean holds(Path process, String target) {
        try {
            for (Path descriptor : in(process.resolve("fd"), "*")) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor).toString().equals(target)) {
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
            return command.contains("io.imexagent.agent.");
        }
    }
}
