package io.imexagent.testing.api.http;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A listening loopback socket that hands every request to a handler. Each connection has a platform thread of its own:
 * a blocking read there wakes up without a scheduler in between, which keeps the double out of the measurements.
 */
public final class HttpListener implements AutoCloseable {
    /** What answers a request. An {@link IOException} ends the connection. */
    @FunctionalInterface
    public interface Handler {
        /** Answers one request through the exchange, exactly once. */
        void handle(Exchange exchange) throws IOException;
    }

    private static final Logger LOG = System.getLogger(HttpListener.class.getName());
    private static final int BACKLOG = 512;
    private static final Duration PORT_PATIENCE = Duration.ofSeconds(10);
    private static final Duration PORT_PAUSE = Duration.ofMillis(20);

    private final Optional<SSLContext> tls;
    private final Handler handler;
    private final AtomicLong numbers = new AtomicLong();
    private final Set<Connection> connections = new HashSet<>();
    private final int port;
    private @Nullable ServerSocket listening;

    private HttpListener(int port, Optional<SSLContext> tls, Handler handler) throws IOException {
        this.tls = tls;
        this.handler = handler;
        ServerSocket socket = bind(port);
        this.port = socket.getLocalPort();
        this.listening = socket;
    }

    /**
     * Opens a listener on the IPv4 loopback address.
     *
     * @param port 0 takes any free port
     * @param tls empty for plain HTTP
     * @throws IOException when the port is taken
     */
    public static HttpListener open(int port, Optional<SSLContext> tls, Handler handler) throws IOException {
        HttpListener listener = new HttpListener(port, tls, handler);
        listener.startAccepting();
        return listener;
    }

    /** The port that this listener has, also while it is suspended. */
    public int port() {
        return port;
    }

    /** Closes the listening socket and every connection: the server is gone until {@link #resume}. */
    public synchronized void suspend() {
        ServerSocket socket = listening;
        listening = null;
        if (socket != null) {
            closeQuietly(socket);
        }
        List.copyOf(connections).forEach(Connection::drop);
    }

    /**
     * Listens again on the same port after {@link #suspend}; does nothing where it listens already. A connection of another
     * process may have the port for its own end meanwhile: that is waited for.
     *
     * @throws IOException when another process keeps the port
     */
    public synchronized void resume() throws IOException {
        if (listening == null) {
            listening = bindAgain();
            startAccepting();
        }
    }

    private ServerSocket bindAgain() throws IOException {
        long start = System.nanoTime();
        while (true) {
            try {
                return bind(port);
            } catch (BindException taken) {
                if (System.nanoTime() - start > PORT_PATIENCE.toNanos()) {
                    throw taken;
                }
                LockSupport.parkNanos(PORT_PAUSE.toNanos());
            }
        }
    }

    @Override
    public void close() {
        suspend();
    }

    private static ServerSocket bind(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port), BACKLOG);
        return socket;
    }

    private synchronized void startAccepting() {
        ServerSocket socket = listening;
        if (socket != null) {
            Thread.ofPlatform().daemon().name("api-double-accept").start(() -> accept(socket));
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket raw = socket.accept();
                raw.setTcpNoDelay(true);
                serve(socket, raw);
            } catch (IOException e) {
                if (!socket.isClosed()) {
                    LOG.log(Level.WARNING, "cannot accept a connection", e);
                }
            }
        }
    }

    private synchronized void serve(ServerSocket from, Socket raw) throws IOException {
        if (!from.equals(listening)) {
            raw.close();
            return;
        }
        Connection connection = new Connection(raw, tls, handler);
        connections.add(connection);
        Thread.ofPlatform()
                .daemon()
                .name("api-double-" + numbers.incrementAndGet())
                .start(() -> {
                    connection.run();
                    forget(connection);
                });
    }

    private synchronized void forget(Connection connection) {
        connections.remove(connection);
    }

    private static void closeQuietly(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "cannot close the listening socket", e);
        }
    }
}
