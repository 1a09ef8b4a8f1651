package io.imexagent.dra.check;

import io.imexagent.core.check.CheckResult;
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

/**
 * Other plugins of the same driver: two would prepare the same claims over one checkpoint.
 *
 * @param kubelet the kubelet's root directory
 * @param holders knows the processes that listen
 * @param id the name of the check
 * @param driver the driver
 * @param remedy what to do about another plugin of it
 */
public record PluginCheck(Path kubelet, SocketHolders holders, String id, String driver, String remedy) {

    /** Looks for them. */
    public CheckResult run() {
        try {
            for (Path socket : sockets()) {
                if (listening(socket)) {
                    Optional<SocketHolders.Holder> holder = holders.of(socket);
                    if (holder.filter(SocketHolders.Holder::isThisAgent).isEmpty()) {
                        return CheckResult.failure(id, told(socket, holder), remedy);
                    }
                }
            }
            return CheckResult.ok(id, "no other plugin of " + driver + " runs on this node");
        } catch (IOException failure) {
            return CheckResult.warning(
                    id, "cannot tell whether another plugin runs: " + failure.getMessage(), "run as root");
        }
    }

    private static String told(Path socket, Optional<SocketHolders.Holder> holder) {
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
