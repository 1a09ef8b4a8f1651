package io.imexagent.systemd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The address of a Unix socket as {@code NOTIFY_SOCKET} writes it: an absolute path, or {@code @} and a name in the
 * abstract namespace.
 */
record NotifySocket(String text) {

    private static final short AF_UNIX = 1;
    /** {@code sizeof(sun_path)}, unix(7). */
    private static final int PATH_BYTES = 108;

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException for one that is neither, or too long; newer forms ({@code vsock:}) are for
     *     virtual machines and not known here
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

    /** {@code struct sockaddr_un}, exactly as long as it is: the length is a part of an abstract name. */
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
