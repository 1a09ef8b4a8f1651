package io.imexagent.agent.http;

import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.Optional;

/** Which addresses are this host's own, which no packet from elsewhere can have. */
public final class Loopback {

    private Loopback() {}

    /** Whether a connection's other end is on this host; what a request's headers say of it does not count. */
    static boolean is(SocketAddress peer) {
        return Optional.ofNullable(peer.hostAddress()).filter(Loopback::is).isPresent();
    }

    /** Whether this is the literal of a loopback address, or of one mapped into IPv6. A name is none. */
    public static boolean is(String literal) {
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException noLiteral) {
            return false;
        }
    }
}
