package io.imexagent.agent.check;

import io.imexagent.core.policy.DriverNames;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Other plugins of the same driver: two would prepare the same claims over one checkpoint. */
final class PluginChecks {

    private static final String ID = "other-plugin";
    private static final String REMEDY =
            "stop the kubelet plugin of the public driver on this node; imex-agent refuses to start beside it";

    private final Path kubelet;
    private final SocketHolders holders;

    PluginChecks(Path kubelet, SocketHolders holders) {
        this.kubelet = kubelet;
        this.holders = holders;
    }

    CheckResult run() {
        try {
            for (Path socket : sockets()) {
                if (listening(socket)) {
                    Optional<SocketHolders.Holder> holder = holders.of(socket);
                    if (holder.filter(SocketHolders.Holder::isThisAgent).isEmpty()) {
                        return CheckResult.failure(ID, told(socket, holder), REMEDY);
                    }
                }
            }
            return CheckResult.ok(ID, "no other plugin of " + DriverNames.DRIVER + " runs on this node");
        } catch (IOException failure) {
            return CheckResult.warning(
                    ID, "cannot tell whether another plugin runs: " + failure.getMessage(), "run as root");
        }
    }

    private static String told(Path socket, Optional<SocketHolders.Holder> holder) {
        return holder.map(process -> "process " + process.pid() + " (" + process.command() + ")")
                        .orElse("a process that cannot be seen from here")
                + " listens on " + socket;
    }

    private List<Path> sockets() throws IOException {
        var sockets = new ArrayList<Path>();
        sockets.addAll(in(kubelet.resolve("plugins").resolve(DriverNames.DRIVER), "dra*.sock"));
        sockets.addAll(in(kubelet.resolve("plugins_registry"), DriverNames.DRIVER + "-*reg.sock"));
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

    private static boolean listening(Path socket) throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // A listener whose queue is full would block a blocking connect.
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException nobody) {
            return false;
        } catch (IOException failure) {
            if (Files.notExists(socket, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            throw new IOException(socket + ": " + failure.getMessage(), failure);
        }
    }
}
