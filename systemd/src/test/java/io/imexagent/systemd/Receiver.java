package io.imexagent.systemd;

import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A datagram socket of the test's own, in the place of systemd's. */
final class Receiver implements AutoCloseable {

    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final long SECONDS = 10;

    private final NativeLibrary libc = NativeLibrary.getProcess();
    private final int socket;

    Receiver(NotifySocket address) {
        socket = libc.getFunction("socket").invokeInt(new Object[] {AF_UNIX, SOCK_DGRAM, 0});
        byte[] bytes = address.sockaddr();
        if (libc.getFunction("bind").invokeInt(new Object[] {socket, bytes, bytes.length}) != 0) {
            throw new IllegalStateException("cannot bind " + address);
        }
        byte[] patience = ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.nativeOrder())
                .putLong(SECONDS)
                .array();
        libc.getFunction("setsockopt")
                .invokeInt(new Object[] {socket, SOL_SOCKET, SO_RCVTIMEO, patience, patience.length});
    }

    /** The next datagram. */
    String receive() {
        byte[] buffer = new byte[4096];
        long length = libc.getFunction("recv").invokeLong(new Object[] {socket, buffer, (long) buffer.length, 0});
        if (length < 0) {
            throw new AssertionError("no datagram within " + SECONDS + " s");
        }
        return new String(Arrays.copyOf(buffer, (int) length), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        libc.getFunction("close").invokeInt(new Object[] {socket});
    }
}
