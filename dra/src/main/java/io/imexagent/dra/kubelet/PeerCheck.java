package io.imexagent.dra.kubelet;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets only admitted users connect. It stands at the head of the listening channel's pipeline, so that a refused
 * connection is closed before any protocol handler or buffer exists for it.
 */
@ChannelHandler.Sharable
final class PeerCheck extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(PeerCheck.class);

    private final Path socket;
    private final PeerPolicy policy;
    private final DraObserver observer;

    PeerCheck(Path socket, PeerPolicy policy, DraObserver observer) {
        this.socket = socket;
        this.policy = policy;
        this.observer = observer;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof EpollDomainSocketChannel connection)) {
            throw new IllegalStateException(socket + " accepted " + message + ", which is no Unix connection");
        }
        if (admits(connection)) {
            context.fireChannelRead(connection);
        } else {
            observer.connectionRefused();
            close(connection);
        }
    }

    private boolean admits(EpollDomainSocketChannel connection) {
        try {
            // SO_PEERCRED, unix(7): the peer as it was when it connected, which it cannot choose.
            PeerCredentials peer = connection.peerCredentials();
            if (policy.admits(peer.uid())) {
                return true;
            }
            LOG.warn(
                    "connection refused, only root and kubelet.uid may connect socket={} uid={} pid={}",
                    socket,
                    peer.uid(),
                    peer.pid());
        } catch (IOException failure) {
            LOG.warn("connection refused, its user is unknown socket={} reason=\"{}\"", socket, failure.getMessage());
        }
        return false;
    }

    /** Closes a channel that no event loop knows yet. */
    private static void close(Channel connection) {
        connection.unsafe().closeForcibly();
    }
}
