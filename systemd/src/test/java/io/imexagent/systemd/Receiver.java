package io.imexagent.systemd;

import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A datagram socket of the test's own, in the place of systemd's. */
public final class Receiver implements AutoCloseable {

    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int MSG_DONTWAIT = 0x40;
    private static final long MICROS = 200_000;
    private static final int LONGEST = 65_536;

    private final NativeLibrary libc = NativeLibrary.getProcess();
    private final int socket;

    /**
     * Listens.
     *
     * @param address as {@code NOTIFY_SOCKET} writes it
     */
    public Receiver(String address) {
        socket = libc.getFunction("socket").invokeInt(new Object[] {AF_UNIX, SOCK_DGRAM, 0});
        byte[] bytes = NotifySocket.parse(address).sockaddr();
        if (libc.getFunction("bind").invokeInt(new Object[] {socket, bytes, bytes.length}) != 0) {
            throw new IllegalStateException("cannot bind " + address);
        }
        byte[] patience = ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(0)
                .putLong(MICROS)
                .array();
        libc.getFunction("setsockopt")
                .invokeInt(new Object[] {socket, SOL_SOCKET, SO_RCVTIMEO, patience, patience.length});
    }

    /** The next datagram; empty where none comes within a fifth of a second. */
    public Optional<String> receive() {
        return receive(0);
    }

    private Optional<String> receive(int flags) {
        byte[] buffer = new byte[LONGEST];
        long length = libc.getFunction("recv").invokeLong(new Object[] {socket, buffer, (long) buffer.length, flags});
        return length < 0
                ? Optional.empty()
                : Optional.of(new String(Arrays.copyOf(buffer, (int) length), StandardCharsets.UTF_8));
    }

    /** All datagrams that are there. */
    public List<String> all() {
        return Stream.generate(() -> receive(MSG_DONTWAIT))
                .takeWhile(Optional::isPresent)
                .flatMap(Optional::stream)
                .toList();
    }

    @Override
    public void close() {
        libc.getFunction("close").invokeInt(new Object[] {socket});
    }
}
