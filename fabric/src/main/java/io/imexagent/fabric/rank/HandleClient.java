package io.imexagent.fabric.rank;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;

/** Requests the handles of other ranks, and reports to them that this rank is done. */
record HandleClient(RunToken token, int rank, Addresses addresses, SecureRandom random) {

    private static final Duration CONNECT = Duration.ofSeconds(3);

    /** Looks up, for each connection, the address at which a rank serves its handles. */
    @FunctionalInterface
    interface Addresses {
        InetSocketAddress of(int rank) throws IOException;
    }

    /** The offer of a rank. Until it is closed, this rank is the only importer from that rank. */
    record OpenOffer(Frame.Offer offer, Socket socket) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /**
     * Waits for this rank's turn at another rank and returns its offer; fails without an offer with a proof of this
     * run.
     */
    OpenOffer open(int server) throws IOException {
        Socket socket = connect(server);
        try {
            byte[] frame = exchange(socket, new Frame.Request(Frame.Wish.IMPORT, rank, server), Frame.LONGEST);
            return new OpenOffer(Frame.Offer.of(frame), socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Reports to a rank that this rank imports nothing more. */
    void done(int server) throws IOException {
        try (Socket socket = connect(server)) {
            byte[] _ = exchange(socket, new Frame.Request(Frame.Wish.DONE, rank, server), RunToken.PROOF);
        }
    }

    private Socket connect(int server) throws IOException {
        var socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.connect(addresses.of(server), (int) CONNECT.toMillis());
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private byte[] exchange(Socket socket, Frame.Request wish, int most) throws IOException {
        byte[] other = Frame.read(socket, RunToken.CHALLENGE, HandleServer.REQUEST);
        if (other.length != RunToken.CHALLENGE) {
            throw new IOException("no challenge of a rank");
        }
        byte[] own = RunToken.challenge(random);
        byte[] request = wish.bytes();
        Frame.write(
                socket.getOutputStream(), request, own, token.proof(HandleServer.label("client"), other, own, request));
        // The server may serve other ranks first.
        byte[] frame = Frame.read(socket, most, HandleServer.TURN.plus(HandleServer.REQUEST));
        if (frame.length < RunToken.PROOF) {
            throw new IOException("no answer of a rank");
        }
        byte[] proof = Arrays.copyOf(frame, RunToken.PROOF);
        byte[] answer = Arrays.copyOfRange(frame, RunToken.PROOF, frame.length);
        if (!token.isProof(proof, HandleServer.label("server"), own, other, answer)) {
            throw new IOException("the answer is of no rank of this run");
        }
        return answer;
    }
}
