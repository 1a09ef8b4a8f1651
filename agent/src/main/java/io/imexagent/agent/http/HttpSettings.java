package io.imexagent.agent.http;

import io.imexagent.core.setting.Setting;
import io.imexagent.core.setting.Value;
import io.imexagent.core.setting.Value.IpAddress;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Metrics, health and documents over HTTP (the section {@code http}). */
public record HttpSettings(
        @Setting("The address on which metrics and health are served, and to this host `/inventory`,"
                + " `/domains` and `/racks`.")
        @Value(
                preset = "0.0.0.0",
                noun = "an IPv4 or IPv6 address or localhost, such as 0.0.0.0 or ::",
                form = Address.class,
                flag = "--http-address")
        String address,

        @Setting("The port on which metrics and health are served; 0 takes a free one.")
        @Value(preset = "9408", noun = "a port", range = "0..65535", flag = "--http-port")
        int port,

        Tls tls) {

    public HttpSettings at(int otherPort) {
        return new HttpSettings(address, otherPort, tls);
    }

    /** Whether clients on other hosts can read documents, which needs TLS and an address other than loopback. */
    public boolean isForOthers() {
        return tls.isOn() && !address.equals("localhost") && !isLoopback(address);
    }

    /** Whether this is a literal loopback address, also mapped into IPv6; no packet from another host has one. */
    static boolean isLoopback(String literal) {
        try {
            return InetAddress.ofLiteral(literal).isLoopbackAddress();
        } catch (IllegalArgumentException noLiteral) {
            return false;
        }
    }

    /** The files of TLS: certificate and key, or none. Without {@code clientCa}, clients cannot use certificates. */
    public record Tls(
            @Setting("The certificate chain of the HTTP server, PEM; read again when it changes.")
            @Value(unset = "plain HTTP", example = "/etc/imex-agent/tls.crt")
            Optional<Path> certificate,

            @Setting("The private key of the HTTP server, PEM; read again when it changes.")
            @Value(unset = "plain HTTP", example = "/etc/imex-agent/tls.key")
            Optional<Path> key,

            @Setting("The authorities that sign client certificates, PEM; read again when it changes. Whom a"
                    + " certificate names sees `/inventory`, `/domains` and `/racks` if the API server lets that"
                    + " user; metrics and health need none.")
            @Value(unset = "no client certificates", example = "/etc/imex-agent/client-ca.crt")
            Optional<Path> clientCa) {

        boolean isOn() {
            return certificate.isPresent();
        }

        /** The configured files, the certificate first. */
        List<Path> files() {
            return Stream.of(certificate, key, clientCa)
                    .flatMap(Optional::stream)
                    .toList();
        }
    }

    /** Whether a text is an address to listen on. Names except {@code localhost} could resolve to several. */
    static final class Address implements Predicate<String> {
        @Override
        public boolean test(String text) {
            return text.equals("localhost") || new IpAddress().test(text);
        }
    }
}
