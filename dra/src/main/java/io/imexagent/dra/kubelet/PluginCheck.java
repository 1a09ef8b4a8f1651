package io.imexagent.dra.kubelet;

import io.imexagent.core.check.CheckResult;
import io.imexagent.dra.kubelet.RegistrySockets.Answer;
import io.imexagent.dra.kubelet.RegistrySockets.Listing;
import io.imexagent.dra.kubelet.RegistrySockets.Socket;
import io.imexagent.host.HostProcesses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds other plugins of a driver, which would prepare the same claims; {@code proc} is {@code /proc}. */
public record PluginCheck(RegistrySockets registry, Path kubelet, Path proc, String id, String driver, String remedy) {

    /** Blocks, for some seconds at most. */
    public CheckResult run() throws InterruptedException {
        try {
            Listing listing = registry.list(driver);
            Map<Socket, Answer> answers = registry.answers(listing.sockets(), false);
            Optional<Path> hidden = Optional.empty();
            for (Path socket : sockets(answers)) {
                SocketPeer process = SocketPeer.of(socket);
                Optional<String> command = command(process);
                if (command.isEmpty() && isNamedLikeThisAgents(socket)) {
                    hidden = Optional.of(socket);
                } else if (command.filter(PluginCheck::isThisAgent).isEmpty()) {
                    return CheckResult.critical(
                            id,
                            command.map(line -> process.text() + " (" + line + ")")
                                            .orElseGet(SocketPeer.HIDDEN::text)
                                    + " listens on " + socket,
                            remedy);
                }
            }
            return hidden.map(this::cannotTell).orElseGet(() -> none(listing, silent(answers)));
        } catch (IOException failure) {
            return CheckResult.warning(
                    id,
                    "other plugins cannot be looked for: " + failure.getMessage(),
                    // A list that came to no end in its time has no cause.
                    failure.getCause() == null ? "see what is mounted there" : "run as root");
        }
    }

    private CheckResult none(Listing listing, String silent) {
        String none = "no other plugin of " + driver + " runs on this node" + silent;
        return listing.cutOff()
                ? CheckResult.warning(id, none + listing.note(), "delete what is not a plugin's there")
                : CheckResult.ok(id, none);
    }

    private CheckResult cannotTell(Path socket) {
        return CheckResult.warning(
                id,
                "cannot tell whether this agent or another plugin listens on " + socket + ": "
                        + new HostProcesses(proc).hidden().orElse("its process is not to be seen in " + proc),
                HostProcesses.REMEDY);
    }

    /** A note of sockets whose plugin cannot be told, which the kubelet cannot register either. */
    private static String silent(Map<Socket, Answer> answers) {
        List<String> silent = answers.entrySet().stream()
                .filter(answer -> answer.getValue() instanceof Answer.NoAnswer)
                .map(answer -> String.valueOf(answer.getKey().path().getFileName()))
                .toList();
        return silent.isEmpty()
                ? ""
                : "; of plugins_registry " + silent.size() + (silent.size() == 1 ? " socket gives" : " sockets give")
                        + " no plugin's answer, such as " + silent.getFirst();
    }

    private boolean isNamedLikeThisAgents(Path socket) {
        String name = String.valueOf(socket.getFileName());
        return name.equals("dra.sock") || name.equals(driver + "-reg.sock");
    }

    /** Those on which a plugin of the driver listens. */
    private List<Path> sockets(Map<Socket, Answer> answers) throws IOException {
        var sockets = new ArrayList<Path>();
        for (Path socket : in(kubelet.resolve("plugins").resolve(driver), "dra*.sock")) {
            if (SocketFile.listening(socket)) {
                sockets.add(socket);
            }
        }
        answers.forEach((socket, answer) -> {
            if (answer.isOf(driver, socket)) {
                sockets.add(socket.path());
            }
        });
        return sockets;
    }

    /** The files of a directory, which may be missing. */
    private static List<Path> in(Path directory, String glob) throws IOException {
        var found = new ArrayList<Path>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, glob)) {
                sockets.forEach(found::add);
            }
        }
        return found;
    }

    /** The process's command line; empty where it cannot be seen from here, as in a container. */
    private Optional<String> command(SocketPeer process) throws IOException {
        try {
            String command = Files.readString(proc.resolve(process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1);
            return Optional.of(command.replace('\0', ' ').strip());
        } catch (NoSuchFileException | AccessDeniedException hidden) {
            return Optional.empty();
        }
    }

    /** By its executable, or by its jar, which the image names in a file of options. */
    private static boolean isThisAgent(String command) {
        return command.split(" ", 2)[0].endsWith("/imex-agent")
                || command.contains("/imex-agent.jar ")
                || command.contains("/imex-agent/container.options ");
    }
}
