package io.imexagent.agent.http;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where pages are served, over plain HTTP without TLS; port 0 takes a free one. The key of the port is for who has to
 * choose another.
 */
public record Endpoint(String address, int port, Optional<Tls> tls, String portKey) {

    /** Whether clients elsewhere can ask for documents: over plain HTTP, or on a loopback address, none can. */
    public boolean isForOthers() {
        return tls.isPresent() && !address.equals("localhost") && !isLoopback(address);
    }

    /** Whether this is the literal of a loopback address, or of one mapped into IPv6, which no packet from elsewhere has. */
    static boolean isLoopback(String literal) {
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException noLiteral) {
            return false;
        }
    }

    /**
     * TLS: PEM files that are read again when they change. Without authorities that sign them, clients have no
     * certificates.
     */
    public record Tls(Path certificate, Path key, Optional<Path> clientCa) {}
}
