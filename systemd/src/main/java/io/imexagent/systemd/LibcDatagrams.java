package io.imexagent.systemd;

import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Datagrams by the C library of this process, because the JDK has stream sockets only (JEP 380). A socket lives for one
 * message, as in sd_notify(3) itself: the manager may make its own again at any time.
 */
final class LibcDatagrams implements Datagrams {

    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    /** A manager whose queue is full must not stop the service. */
    private static final int MSG_DONTWAIT = 0x40;

    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int CLOCK_MONOTONIC = 1;

    @Override
    public boolean send(NotifySocket to, String text) {
        NativeLibrary calls = NativeLibrary.getProcess();
        int socket = calls.getFunction("socket").invokeInt(new Object[] {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0});
        if (socket < 0) {
            return false;
        }
        try {
            byte[] message = text.getBytes(StandardCharsets.UTF_8);
            byte[] address = to.sockaddr();
            long sent = calls.getFunction("sendto").invokeLong(new Object[] {
                socket, message, (long) message.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length
            });
            return sent == message.length;
        } finally {
            calls.getFunction("close").invokeInt(new Object[] {socket});
        }
    }

    @Override
    public long monotonicMicros() {
        byte[] timespec = new byte[2 * Long.BYTES];
        NativeLibrary.getProcess().getFunction("clock_gettime").invokeInt(new Object[] {CLOCK_MONOTONIC, timespec});
        ByteBuffer fields = ByteBuffer.wrap(timespec).order(ByteOrder.nativeOrder());
        return fields.getLong() * 1_000_000 + fields.getLong() / 1000;
    }
}
