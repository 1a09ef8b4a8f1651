package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.access.AccessException;
import io.imexagent.kubernetes.access.AccessSource;
import io.imexagent.kubernetes.access.AccessSource.Access;
import io.imexagent.kubernetes.access.ClusterAccess;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session in use, which is opened at the first call and replaced when kubeconfig, certificates or tokens change.
 */
final class Sessions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

    /**
     * How often files are compared with the session in use; the kubelet rotates certificates days before they expire.
     */
    private static final Duration CHECK = Duration.ofSeconds(30);

    private static final Duration ASK_AGAIN = Duration.ofSeconds(2);

    /** The timeout for a connection, without TLS. */
    private static final Duration CONNECT = Duration.ofSeconds(5);

    private final AccessSource source;
    private final InstantSource clock;
    private final Thread checks;
    private volatile @Nullable TlsSession current;
    private volatile boolean closed;
    private final List<HttpClient> retired = new ArrayList<>();
    private String lastFault = "";
    private Instant requestedAt = Instant.EPOCH;

    Sessions(ClusterAccess access, InstantSource clock) {
        this.source = new AccessSource(access, clock);
        this.clock = clock;
        this.checks = Thread.ofVirtual().name("imex-api-credentials").start(this::checkForEver);
    }

    /** The connections of one identity. A replaced session still serves calls under way and is shut down later. */
    record TlsSession(Access access, HttpClient connections) {

        private static TlsSession open(Access access) {
            ThreadFactory threads = Thread.ofVirtual().name("imex-api-io-", 0).factory();
            // HTTP/1.1: a server that vanished without closing its connections blocks one of them, which the timeout of
            // its call closes. With HTTP/2 every later call would use the same dead connection, since the JDK sends no
            // pings.
            var builder = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(CONNECT)
                    .executor(task -> threads.newThread(task).start());
            access.tls().ifPresent(builder::sslContext);
            return new TlsSession(access, builder.build());
        }

        HttpResponse<ResponseBody> send(HttpRequest request) throws IOException, InterruptedException {
            return connections.send(request, head -> new ResponseBody());
        }
    }

    TlsSession current() throws AccessException {
        TlsSession session = current;
        return session == null || session.access().expired(clock.instant())
                ? renew(Optional.ofNullable(session), false)
                : session;
    }

    /**
     * Handles that the server, or TLS, refused a session's identity; true if another identity is available, so that the
     * call can be retried at once.
     */
    boolean refused(TlsSession session) {
        try {
            return !renew(Optional.of(session), true).access().equals(session.access());
        } catch (AccessException e) {
            warn(e);
            return false;
        }
    }

    /** Reads the access again, unless the session {@code seen} was already replaced; returns the session to use. */
    private synchronized TlsSession renew(Optional<TlsSession> seen, boolean refused) throws AccessException {
        if (closed) {
            throw new AccessException("the client is closed");
        }
        TlsSession session = current;
        if (session != null && seen.isPresent() && !seen.get().access().equals(session.access())) {
            return session;
        }
        Access fresh = source.read(refused && mayAskAgain());
        lastFault = "";
        return session != null && fresh.equals(session.access()) ? session : use(fresh);
    }

    private TlsSession use(Access fresh) {
        TlsSession last = current;
        TlsSession next;
        if (last != null && fresh.connectionFingerprint().equals(last.access().connectionFingerprint())) {
            next = new TlsSession(fresh, last.connections());
        } else {
            next = TlsSession.open(fresh);
            if (last != null) {
                retired.add(last.connections());
            }
        }
        current = next;
        if (last != null) {
            LOG.info("API access changed server={} identity=\"{}\"", fresh.server(), fresh.identity());
        }
        return next;
    }

    /** Whether a refused call may run the plugin: if many calls are refused at a time, one run serves them all. */
    private boolean mayAskAgain() {
        Instant now = clock.instant();
        boolean may = Duration.between(requestedAt, now).abs().compareTo(ASK_AGAIN) >= 0;
        requestedAt = may ? now : requestedAt;
        return may;
    }

    /** Compares the session in use with the files at each interval, and replaces it if they changed. */
    private void checkForEver() {
        while (!closed) {
            // A caller that took a session just before it was replaced has sent its request by the next check.
            List<HttpClient> over = takeRetired();
            try {
                Thread.sleep(CHECK);
                over.forEach(HttpClient::shutdown);
                TlsSession session = current;
                if (session != null) {
                    renew(Optional.of(session), false);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (AccessException e) {
                warn(e);
            }
        }
    }

    private synchronized List<HttpClient> takeRetired() {
        List<HttpClient> taken = List.copyOf(retired);
        retired.clear();
        return taken;
    }

    /** Logs once that the files cannot be used; the session in use stays. */
    private synchronized void warn(AccessException fault) {
        String text = String.valueOf(fault.getMessage());
        if (!closed && !text.equals(lastFault)) {
            LOG.warn("API access cannot be read again, the last one stays in use error=\"{}\"", text);
            lastFault = text;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        checks.interrupt();
        TlsSession session = current;
        if (session != null) {
            session.connections().shutdownNow();
        }
        retired.forEach(HttpClient::shutdownNow);
    }
}
