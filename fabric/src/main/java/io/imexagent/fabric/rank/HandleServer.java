package io.imexagent.fabric.rank;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the handles of a rank to the others, to one of them at a time, for as long as its connection is open. Whatever is no
 * request with a proof of the run's token, in time, is answered by closing the connection.
 */
final class HandleServer implements AutoCloseable {

    /** Connections at a time; a rank needs two at most. */
    static final int MOST_CONNECTIONS = 640;

    /** Connections at a time from one address that have not proven the token yet: without it no pod keeps ranks away. */
    static final int MOST_UNPROVEN = 32;

    /** How long a client may take for its request. */
    static final Duration REQUEST = Duration.ofSeconds(5);

    /** How long an importer waits for its turn. */
    static final Duration TURN = Duration.ofSeconds(60);

    /** How long an importer may keep the others waiting: longer than the one import that may hang, {@code ChildDeadlines}. */
    private static final Duration IMPORTS = Duration.ofSeconds(20);

    /** The bytes of a client's frame: its request, its challenge, its proof. */
    private static final int SIZE = Frame.Request.BYTES + RunToken.CHALLENGE + RunToken.PROOF;

    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

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
    private final Map<InetAddress, Integer> unproven = new ConcurrentHashMap<>();
    private final Set<Integer> importing = ConcurrentHashMap.newKeySet();

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
                if (admit(client.getInetAddress())) {
                    Thread.ofVirtual().name("fabric-handles-client").start(() -> serve(client));
                } else {
                    client.close();
                }
            } catch (IOException e) {
                // This was closed, or one connection broke before it was there, or there are too many open files.
                LOG.debug("no connection was accepted: {}", e.getMessage());
                LockSupport.parkNanos(AFTER_FAILURE.toNanos());
            }
        }
    }

    private boolean admit(InetAddress from) {
        if (!connections.tryAcquire()) {
            return false;
        }
        if (unproven.merge(from, 1, Integer::sum) > MOST_UNPROVEN) {
            prove(from);
            connections.release();
            return false;
        }
        return true;
    }

    /** One connection from there is unproven no more. */
    private void prove(InetAddress from) {
        unproven.compute(from, (_, count) -> count == null || count <= 1 ? null : count - 1);
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            // So that no write waits for its reader.
            client.setSendBufferSize(4 * Frame.LONGEST);
            byte[] own = RunToken.challenge(random);
            byte[] frame;
            try {
                Frame.write(client.getOutputStream(), own);
                frame = Frame.read(client, SIZE, REQUEST);
            } finally {
                prove(client.getInetAddress());
            }
            if (isProven(frame, own)) {
                answer(client, Frame.Request.of(request(frame)), own, challenge(frame));
            }
        } catch (IOException gone) {
            // The connection is closed, which is all that its client is owed.
            LOG.debug("a client was given up: {}", gone.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.release();
        }
    }

    private static byte[] request(byte[] frame) {
        return Arrays.copyOf(frame, Frame.Request.BYTES);
    }

    private static byte[] challenge(byte[] frame) {
        return Arrays.copyOfRange(frame, Frame.Request.BYTES, Frame.Request.BYTES + RunToken.CHALLENGE);
    }

    /** Whether a frame is a request of a client that has the token. */
    private boolean isProven(byte[] frame, byte[] own) {
        return frame.length == SIZE
                && token.isProof(
                        Arrays.copyOfRange(frame, SIZE - RunToken.PROOF, SIZE),
                        label(CLIENT),
                        own,
                        challenge(frame),
                        request(frame));
    }

    private void answer(Socket client, Frame.Request request, byte[] own, byte[] other)
            throws IOException, InterruptedException {
        int from = request.rank();
        if (request.server() != rank || from < 0 || from >= ranks || from == rank) {
            return;
        }
        switch (request.wish()) {
            case DONE -> {
                Frame.write(client.getOutputStream(), token.proof(label(SERVER), other, own, new byte[0]));
                synchronized (done) {
                    done.set(from);
                    done.notifyAll();
                }
            }
            case IMPORT -> {
                // A rank waits once, however many connections it opens.
                if (!importing.add(from)) {
                    return;
                }
                try {
                    offer(client, own, other);
                } finally {
                    importing.remove(from);
                }
            }
        }
    }

    private void offer(Socket client, byte[] own, byte[] other) throws IOException, InterruptedException {
        if (!importer.tryAcquire(TURN.toMillis(), TimeUnit.MILLISECONDS)) {
            return;
        }
        try {
            Frame.write(client.getOutputStream(), token.proof(label(SERVER), other, own, offer), offer);
            client.setSoTimeout((int) IMPORTS.toMillis());
            // The importer says nothing more, and closes when it has released what it imported.
            int _ = client.getInputStream().read();
        } finally {
            importer.release();
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
