package io.imexagent.dra.kubelet;

import io.imexagent.core.check.CheckResult;
import io.imexagent.host.HostProcesses;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Finds other plugins of a driver, which would prepare the same claims; {@code proc} is {@code /proc}. */
public record PluginCheck(Path kubelet, Path proc, String id, String driver, String remedy) {

    public CheckResult run() {
        try {
            Optional<Path> hidden = Optional.empty();
            for (Path socket : sockets()) {
                if (SocketFile.listening(socket)) {
                    Optional<Listener> process = listener(socket);
                    if (process.isEmpty() && isNamedLikeThisAgents(socket)) {
                        hidden = Optional.of(socket);
                    } else if (process.filter(Listener::isThisAgent).isEmpty()) {
                        return CheckResult.failure(
                                id,
                                process.map(other -> "process " + other.pid() + " (" + other.command() + ")")
                                                .orElse("a process that cannot be seen from here")
                                        + " listens on " + socket,
                                remedy);
                    }
                }
            }
            return hidden.map(socket -> CheckResult.warning(
                            id,
                            "cannot tell whether this agent or another plugin listens on " + socket + ": "
                                    + new HostProcesses(proc)
                                            .hidden()
                                            .orElse("its process is not to be seen in " + proc),
                            HostProcesses.REMEDY))
                    .orElseGet(() -> CheckResult.ok(id, "no other plugin of " + driver + " runs on this node"));
        } catch (IOException failure) {
            return CheckResult.warning(
                    id, "other plugins cannot be looked for: " + failure.getMessage(), "run as root");
        }
    }

    private boolean isNamedLikeThisAgents(Path socket) {
        String name = String.valueOf(socket.getFileName());
        return name.equals("dra.sock") || name.equals(driver + "-reg.sock");
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

    /** The process that listens on the socket; empty where it cannot be seen from here, as in a container. */
    private Optional<Listener> listener(Path socket) throws IOException {
        int pid = peer(socket);
        try {
            String command = Files.readString(proc.resolve(pid + "/cmdline"), StandardCharsets.ISO_8859_1);
            return Optional.of(new Listener(pid, command.replace('\0', ' ').strip()));
        } catch (NoSuchFileException | AccessDeniedException hidden) {
            return Optional.empty();
        }
    }

    /**
     * Who listens, by SO_PEERCRED (unix(7)): that is told across namespaces of the network too, such as the pod's of the
     * public driver, which {@code /proc/net/unix} does not show.
     */
    private static int peer(Path socket) throws IOException {
        var loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try {
            var asking = new Asking();
            ChannelFuture connection = new Bootstrap()
                    .group(loop)
                    .channel(EpollDomainSocketChannel.class)
                    .handler(asking)
                    .connect(new DomainSocketAddress(socket.toFile()))
                    .awaitUninterruptibly();
            if (!connection.isSuccess()) {
                throw new IOException("cannot connect to " + socket, connection.cause());
            }
            return asking.pid.join();
        } catch (CompletionException failure) {
            throw new IOException("cannot ask who listens on " + socket, failure.getCause());
        } finally {
            // Closes the connection, too.
            var _ = loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    /** Asks as soon as it is connected: a listener may hang up at once, and its channel is closed then. */
    private static final class Asking extends ChannelInboundHandlerAdapter {

        private final CompletableFuture<Integer> pid = new CompletableFuture<>();

        @Override
        public void channelActive(ChannelHandlerContext context) throws IOException {
            pid.complete(((EpollDomainSocketChannel) context.channel())
                    .peerCredentials()
                    .pid());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            pid.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            pid.completeExceptionally(new IOException("it hung up"));
        }
    }

    private record Listener(int pid, String command) {

        /** By its jar, which the image names in a file of options. */
        boolean isThisAgent() {
            return command.contains("/imex-agent.jar ") || command.contains("/imex-agent/container.options ");
        }
    }
}
