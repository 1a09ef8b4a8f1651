package io.imexagent.fabric.rank;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the handles of a rank to the others, to one of them at a time, for as long as its connection is open. Whatever is no
 * request with a proof of the run's token, in time, is answered by closing the connection.
 */
final class HandleServer implements AutoCloseable {

    /** Connections at a time; one rank needs one. */
    static final int MOST_CONNECTIONS = 320;

    /** How long a client may take for its request. */
    static final Duration REQUEST = Duration.ofSeconds(5);

    /** How long an importer may keep the others waiting, and how long one waits for its turn. */
    static final Duration TURN = Duration.ofSeconds(60);

    private static final Logger LOG = LoggerFactory.getLogger(HandleServer.class);
    private static final String CLIENT = "client";
    private static final String SERVER = "server";

    private final ServerSocket socket;
    private final RunToken token;
    private final int rank;
    private final int ranks;
    private final byte[] offer;
    private final SecureRandom random;
    private final Semaphore connections = new Semaphore(MOST_CONNECTIONS);
    private final Semaphore importer = new Semaphore(1, true);
    private final BitSet done;

    /** Listens on this address from now on. */
    HandleServer(InetSocketAddress address, RunToken token, int rank, int ranks, Frame.Offer offer, SecureRandom random)
            throws IOException {
        this.socket = new ServerSocket();
        this.token = token;
        this.rank = rank;
        this.ranks = ranks;
        this.offer = offer.bytes();
        this.random = random;
        this.done = new BitSet();
        done.set(rank);
        try {
            socket.setReuseAddress(true);
            socket.bind(address, MOST_CONNECTIONS);
        } catch (IOException e) {
            socket.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        Thread.ofVirtual().name("fabric-handles").start(this::accept);
    }

    /** The port on which it listens. */
    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                if (connections.tryAcquire()) {
                    Thread.ofVirtual().name("fabric-handles-client").start(() -> serve(client));
                } else {
                    client.close();
                }
            } catch (IOException e) {
                // Either this was closed, or one connection broke before it was there.
                LOG.debug("no connection was accepted: {}", e.getMessage());
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            client.setSoTimeout((int) REQUEST.toMillis());
            byte[] own = RunToken.challenge(random);
            Frame.write(client.getOutputStream(), own);
            int size = Frame.Request.BYTES + own.length + RunToken.PROOF;
            byte[] frame = Frame.read(client.getInputStream(), size);
            if (frame.length != size) {
                return;
            }
            int challenge = Frame.Request.BYTES;
            byte[] request = Arrays.copyOf(frame, challenge);
            byte[] other = Arrays.copyOfRange(frame, challenge, challenge + own.length);
            byte[] proof = Arrays.copyOfRange(frame, challenge + own.length, size);
            if (!token.isProof(proof, label(CLIENT), own, other, request)) {
                return;
            }
            Frame.Request wish = Frame.Request.of(request);
            if (wish.server() != rank || wish.rank() < 0 || wish.rank() >= ranks || wish.rank() == rank) {
                return;
            }
            answer(client, wish, own, other);
        } catch (IOException gone) {
            // The connection is closed, which is all that its client is owed.
            LOG.debug("a client was given up: {}", gone.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.release();
        }
    }

    private void answer(Socket client, Frame.Request wish, byte[] own, byte[] other)
            throws IOException, InterruptedException {
        switch (wish.wish()) {
            case DONE -> {
                Frame.write(client.getOutputStream(), token.proof(label(SERVER), other, own, new byte[0]));
                synchronized (done) {
                    done.set(wish.rank());
                    done.notifyAll();
                }
            }
            case IMPORT -> {
                if (!importer.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                try {
                    Frame.write(client.getOutputStream(), token.proof(label(SERVER), other, own, offer), offer);
                    client.setSoTimeout((int) TURN.toMillis());
                    // The importer says nothing more, and closes when it has released what it imported.
                    int _ = client.getInputStream().read();
                } finally {
                    importer.release();
                }
            }
        }
    }

    static byte[] label(String side) {
        return side.getBytes(StandardCharsets.US_ASCII);
    }

    /** Waits until all other ranks are done; false where they were not in this time. */
    boolean awaitDone(Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        synchronized (done) {
            while (done.cardinality() < ranks) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                done.wait(left);
            }
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
