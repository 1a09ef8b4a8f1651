package io.imexagent.systemd;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A Unix socket that takes datagrams, by its address as {@code NOTIFY_SOCKET} writes it: an absolute path, or {@code @} and
 * a name in the abstract namespace. The JDK has stream sockets only (JEP 380), so the C library is called.
 */
record NotifySocket(String text) {

    private static final short AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOCK_CLOEXEC = 0x80000;
    /** {@code MSG_DONTWAIT}: a manager with a full queue must not block the service. */
    private static final int MSG_DONTWAIT = 0x40;

    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int CLOCK_MONOTONIC = 1;
    /** {@code sizeof(sun_path)}, unix(7). */
    private static final int PATH_BYTES = 108;

    /**
     * Reads an address; throws {@link IllegalArgumentException} for one that is neither, or too long. Newer forms
     * ({@code vsock:}) are for virtual machines and not known here.
     */
    static NotifySocket parse(String text) {
        if (!text.startsWith("/") && !text.startsWith("@")) {
            throw new IllegalArgumentException(ServiceManager.SOCKET_VARIABLE + " is neither an absolute path nor an "
                    + "abstract name (@…): " + text + "; it is set by systemd, unset it elsewhere");
        }
        var socket = new NotifySocket(text);
        if (socket.name().length >= PATH_BYTES) {
            throw new IllegalArgumentException(ServiceManager.SOCKET_VARIABLE + " is longer than the "
                    + (PATH_BYTES - 1) + " bytes that a Unix address holds: " + text);
        }
        return socket;
    }

    /**
     * Sends one datagram without waiting; returns 0 on success, otherwise the errno(3). The sending socket is opened
     * for each message, as in sd_notify(3) itself, since the manager may replace its own socket at any time.
     */
    int send(byte[] message) {
        NativeLibrary calls = NativeLibrary.getProcess();
        int socket = calls.getFunction("socket").invokeInt(new Object[] {(int) AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0});
        if (socket < 0) {
            return Native.getLastError();
        }
        try {
            byte[] address = sockaddr();
            long sent = calls.getFunction("sendto").invokeLong(new Object[] {
                socket, message, (long) message.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length
            });
            // A datagram is sent as a whole or not at all.
            return sent < 0 ? Native.getLastError() : 0;
        } finally {
            calls.getFunction("close").invokeInt(new Object[] {socket});
        }
    }

    /** The C library's message for an errno. */
    static String reason(int error) {
        return NativeLibrary.getProcess().getFunction("strerror").invokeString(new Object[] {error}, false);
    }

    /** {@code CLOCK_MONOTONIC} in microseconds, the clock of {@code MONOTONIC_USEC}. */
    static long monotonicMicros() {
        byte[] timespec = new byte[2 * Long.BYTES];
        NativeLibrary.getProcess().getFunction("clock_gettime").invokeInt(new Object[] {CLOCK_MONOTONIC, timespec});
        ByteBuffer fields = ByteBuffer.wrap(timespec).order(ByteOrder.nativeOrder());
        return fields.getLong() * 1_000_000 + fields.getLong() / 1000;
    }

    /** The {@code struct sockaddr_un} without padding, since the length is part of an abstract name. */
    byte[] sockaddr() {
        byte[] name = name();
        boolean isAbstract = text.startsWith("@");
        var address = ByteBuffer.allocate(Short.BYTES + name.length + (isAbstract ? 0 : 1))
                .order(ByteOrder.nativeOrder())
                .putShort(AF_UNIX)
                .put(name);
        if (isAbstract) {
            address.put(Short.BYTES, (byte) 0);
        }
        return address.array();
    }

    private byte[] name() {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
