package io.imexagent.dra.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.dra.kubelet.SocketFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Other plugins of the same driver: two would prepare the same claims over one checkpoint.
 *
 * @param kubelet the kubelet's root directory
 * @param holders knows the processes that listen
 * @param id the name of the check
 * @param driver the driver
 * @param remedy what to do about another plugin of it
 */
public record PluginCheck(Path kubelet, ProcSocketHolders holders, String id, String driver, String remedy) {

    /** Looks for them. */
    public CheckResult run() {
        try {
            for (Path socket : sockets()) {
                if (SocketFile.listening(socket)) {
                    Optional<ProcSocketHolders.Holder> holder = holders.of(socket);
                    if (holder.filter(ProcSocketHolders.Holder::isThisAgent).isEmpty()) {
                        return CheckResult.failure(id, told(socket, holder), remedy);
                    }
                }
            }
            return CheckResult.ok(id, "no other plugin of " + driver + " runs on this node");
        } catch (IOException failure) {
            return CheckResult.warning(
                    id, "other plugins cannot be looked for: " + failure.getMessage(), "run as root");
        }
    }

    private static String told(Path socket, Optional<ProcSocketHolders.Holder> holder) {
        return holder.map(process -> "process " + process.pid() + " (" + process.command() + ")")
                        .orElse("a process that cannot be seen from here")
                + " listens on " + socket;
    }

    private List<Path> sockets() throws IOException {
        var sockets = new ArrayList<Path>();
        sockets.addAll(in(kubelet.resolve("plugins").resolve(driver), "dra*.sock"));
        sockets.addAll(in(kubelet.resolve("plugins_registry"), driver + "-*reg.sock"));
        return sockets;
    }

    private static List<Path> in(Path directory, String glob) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        var found = new ArrayList<Path>();
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, glob)) {
            sockets.forEach(found::add);
        }
        return found;
    }
}
