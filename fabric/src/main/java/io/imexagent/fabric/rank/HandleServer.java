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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the handles of a rank to the other ranks, one at a time: the turn of a rank ends with its connection. The
 * server closes a connection that sends no request with a proof of the run's token in time.
 */
final class HandleServer implements AutoCloseable {

    /** The most connections at a time; a rank needs two at most. */
    static final int MOST_CONNECTIONS = 640;

    /**
     * The most connections at a time from one address that have not proven the token yet. The limit prevents that a pod
     * without the token uses up all connections.
     */
    static final int MOST_UNPROVEN = 32;

    /** The time limit for a client's request. */
    static final Duration REQUEST = Duration.ofSeconds(5);

    /** The longest time that an importer waits for its turn. */
    static final Duration TURN = Duration.ofSeconds(60);

    /**
     * The time limit for the turn of an importer. It is longer than that of one import that hangs ({@code
     * ChildDeadlines}).
     */
    private static final Duration IMPORTS = Duration.ofSeconds(20);

    /** The length of a client's frame in bytes: its request, its challenge, and its proof. */
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
    private final Set<Integer> done = ConcurrentHashMap.newKeySet();
    private final CountDownLatch allDone;
    private final Map<InetAddress, Integer> unproven = new ConcurrentHashMap<>();
    private final Set<Integer> importing = ConcurrentHashMap.newKeySet();

    /** Starts to listen on this address. */
    HandleServer(InetSocketAddress address, RunToken token, int rank, int ranks, Frame.Offer offer, SecureRandom random)
            throws IOException {
        this.socket = new ServerSocket();
        this.token = token;
        this.rank = rank;
        this.ranks = ranks;
        this.offer = offer.bytes();
        this.random = random;
        this.allDone = new CountDownLatch(ranks - 1);
        try {
            socket.setReuseAddress(true);
            socket.bind(address, MOST_CONNECTIONS);
        } catch (IOException e) {
            socket.close();
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
        Thread.ofVirtual().name("fabric-handles").start(this::accept);
    }

    /** Returns the port on which the server listens. */
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
                // The server was closed, a connection broke before it was accepted, or too many files are open.
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

    /** Uncounts an unproven connection from this address. */
    private void prove(InetAddress from) {
        unproven.compute(from, (_, count) -> count == null || count <= 1 ? null : count - 1);
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            // With this buffer no write waits for the client to read.
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
            // The connection is closed, and the client needs no other answer.
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

    /** Whether a frame is a request with a proof that the client has the token. */
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
                if (done.add(from)) {
                    allDone.countDown();
                }
            }
            case IMPORT -> {
                // A rank may have only one connection that waits or imports.
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
            // The importer sends nothing more, and closes the connection after it has released the imported memory.
            int _ = client.getInputStream().read();
        } finally {
            importer.release();
        }
    }

    static byte[] label(String side) {
        return side.getBytes(StandardCharsets.US_ASCII);
    }

    /** Waits until all other ranks are done; returns false if that takes longer than {@code most}. */
    boolean awaitDone(Duration most) throws InterruptedException {
        return allDone.await(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
