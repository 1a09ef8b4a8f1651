package io.imexagent.fabric.rank;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.fabric.rank.RankMemory.GpuOffer;
import io.imexagent.fabric.rank.RankMemory.MemoryOffer;
import io.imexagent.fabric.result.PairState;
import io.imexagent.host.json.JsonTrees;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The messages between ranks over TCP; each frame follows its length in four bytes. The server sends a challenge. The
 * client sends its request, its own challenge, and a proof with the token over the request and both challenges. The
 * server sends its answer, with a proof over the answer and both challenges.
 */
final class Frame {

    /** The longest frame in bytes: the handles of about fifty GPUs. */
    static final int LONGEST = 16 << 10;

    static final int MOST_GPUS = 32;

    private Frame() {}

    /** The kind of a client's request. */
    enum Wish {
        /** The client requests the handles, and to be the only importer until it closes the connection. */
        IMPORT((byte) 'I'),
        /** The client imports nothing more. */
        DONE((byte) 'D');

        private final byte letter;

        Wish(byte letter) {
            this.letter = letter;
        }
    }

    /** A client's request: its kind, the rank of the client, and the rank of the server. */
    record Request(Wish wish, int rank, int server) {

        static final int BYTES = 5;

        byte[] bytes() {
            return ByteBuffer.allocate(BYTES)
                    .put(wish.letter)
                    .putShort((short) rank)
                    .putShort((short) server)
                    .array();
        }

        static Request of(byte[] bytes) throws IOException {
            if (bytes.length != BYTES) {
                throw new IOException("a request of " + bytes.length + " bytes, not of " + BYTES);
            }
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            byte letter = buffer.get();
            Wish wish = Arrays.stream(Wish.values())
                    .filter(one -> one.letter == letter)
                    .findFirst()
                    .orElseThrow(() -> new IOException("no request"));
            return new Request(wish, buffer.getShort(), buffer.getShort());
        }
    }

    /**
     * A server's answer: the ID of its process ({@code life}) and the offers of its GPUs; none if the server's rank has
     * a fault.
     */
    record Offer(String life, List<GpuOffer> gpus) {

        Offer {
            gpus = List.copyOf(gpus);
        }

        byte[] bytes() {
            ObjectNode object = JsonTrees.object().put("life", life);
            ArrayNode all = object.putArray("gpus");
            for (GpuOffer gpu : gpus) {
                ObjectNode one = all.addObject().put("uuid", gpu.uuid());
                if (gpu instanceof GpuOffer.GivenGpu(String _, MemoryOffer memory)) {
                    one.put("handle", memory.handle())
                            .put("bytes", memory.bytes())
                            .put("written", memory.written());
                }
            }
            return JsonTrees.text(object).getBytes(StandardCharsets.UTF_8);
        }

        static Offer of(byte[] bytes) throws IOException {
            ObjectNode object = JsonTrees.object(new String(bytes, StandardCharsets.UTF_8));
            String life = object.path("life").asText();
            if (!life.matches("[0-9a-f]{6}") || object.path("gpus").size() > MOST_GPUS) {
                throw new IOException("no offer");
            }
            List<GpuOffer> gpus = new ArrayList<>();
            for (JsonNode gpu : object.path("gpus")) {
                String uuid = gpu.path("uuid").asText();
                gpus.add(
                        gpu.has("handle")
                                ? new GpuOffer.GivenGpu(uuid, memory(gpu))
                                : new GpuOffer.RefusedGpu(
                                        uuid, new PairState.UntriedPair("the exporter's GPU offers no memory")));
            }
            return new Offer(life, gpus);
        }

        private static MemoryOffer memory(JsonNode gpu) throws IOException {
            try {
                return new MemoryOffer(
                        gpu.path("handle").asText(),
                        gpu.path("bytes").asLong(),
                        gpu.path("written").asText());
            } catch (IllegalArgumentException e) {
                throw new IOException("no handle", e);
            }
        }
    }

    /**
     * Reads a frame; fails if it has more than {@code most} bytes, or if it has not arrived as a whole {@code within}
     * this time.
     */
    static byte[] read(Socket socket, int most, Duration within) throws IOException {
        long end = System.nanoTime() + within.toNanos();
        int length = ByteBuffer.wrap(read(socket, Integer.BYTES, end)).getInt();
        if (length < 0 || length > most) {
            throw new IOException("a frame of " + length + " bytes, where " + most + " are the most");
        }
        return read(socket, length, end);
    }

    private static byte[] read(Socket socket, int length, long end) throws IOException {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new SocketTimeoutException("a frame that takes too long");
            }
            socket.setSoTimeout((int) left);
            int count = socket.getInputStream().read(bytes, at, length - at);
            if (count < 0) {
                throw new EOFException("the connection ends within a frame");
            }
            at += count;
        }
        return bytes;
    }

    static void write(OutputStream out, byte[]... parts) throws IOException {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(4 + length).putInt(length);
        for (byte[] part : parts) {
            frame.put(part);
        }
        out.write(frame.array());
        out.flush();
    }
}
