package io.imexagent.agent.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads a server's certificate, key and client authorities after their files have changed. Since a rotation writes
 * one file after the other, the files are read once none has changed between two checks.
 */
final class CertificateWatch {

    private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

    private final Vertx vertx;
    private final HttpServer server;
    private final HttpSettings.Tls tls;
    private final long periodMs;
    // Used only in the context of the timer.
    private Optional<List<FileTime>> loaded;
    private Optional<List<FileTime>> seen;

    /** Creates a watch over files that the server has not read yet, which checks them every {@code periodMs}. */
    CertificateWatch(Vertx vertx, HttpServer server, HttpSettings.Tls tls, long periodMs) {
        this.vertx = vertx;
        this.server = server;
        this.tls = tls;
        this.loaded = times(tls);
        this.seen = loaded;
        this.periodMs = periodMs;
    }

    /** Reads the files, and returns their fault, if any. */
    static Optional<IOException> fault(Vertx vertx, HttpSettings.Tls tls) {
        String files = "http.tls.certificate " + text(tls.certificate()) + " with http.tls.key " + text(tls.key());
        String remedy = "both must be PEM files that the agent may read";
        try {
            pem(tls).getKeyManagerFactory(vertx);
            if (tls.clientCa().isPresent()) {
                files = "http.tls.clientCa " + tls.clientCa().get();
                remedy = "it must be a PEM file of certificates that the agent may read";
                pem(tls.clientCa().get()).getTrustManagerFactory(vertx);
            }
            return Optional.empty();
        } catch (Exception e) {
            return Optional.of(new IOException("cannot use " + files + ": " + e + "; " + remedy, e));
        }
    }

    /** Sets the server's certificate and the authorities of client certificates, which stay optional. */
    static ServerSSLOptions fill(ServerSSLOptions options, HttpSettings.Tls tls) {
        tls.clientCa()
                .ifPresent(
                        authority -> options.setClientAuth(ClientAuth.REQUEST).setTrustOptions(pem(authority)));
        return options.setKeyCertOptions(pem(tls));
    }

    private static PemKeyCertOptions pem(HttpSettings.Tls tls) {
        return new PemKeyCertOptions().addCertPath(text(tls.certificate())).addKeyPath(text(tls.key()));
    }

    private static String text(Optional<Path> file) {
        return file.orElseThrow().toString();
    }

    private static PemTrustOptions pem(Path authority) {
        return new PemTrustOptions().addCertPath(authority.toString());
    }

    void begin() {
        vertx.setPeriodic(
                periodMs, tick -> vertx.executeBlocking(() -> times(tls), false).onSuccess(this::check));
    }

    private void check(Optional<List<FileTime>> now) {
        if (now.isPresent() && now.equals(seen) && !now.equals(loaded)) {
            loaded = now;
            exchange();
        }
        seen = now;
    }

    private void exchange() {
        // Forced, since the same paths count as the same options.
        server.updateSSLOptions(fill(new ServerSSLOptions(), tls), true)
                .onSuccess(done -> LOG.info("http certificate reloaded file={}", text(tls.certificate())))
                .onFailure(failure -> LOG.warn(
                        "http certificate not reloaded, the old one stays file={} reason=\"{}\"",
                        text(tls.certificate()),
                        failure.getMessage()));
    }

    private static Optional<List<FileTime>> times(HttpSettings.Tls tls) {
        var times = new ArrayList<FileTime>();
        try {
            for (Path file : tls.files()) {
                times.add(Files.getLastModifiedTime(file));
            }
            return Optional.of(times);
        } catch (IOException halfway) {
            return Optional.empty();
        }
    }
}
