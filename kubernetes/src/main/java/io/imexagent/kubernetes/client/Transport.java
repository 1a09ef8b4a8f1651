package io.imexagent.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.AccessException;
import io.imexagent.kubernetes.access.ClusterAccess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends calls and opens watches. Blocking: every wait has an end. A call that the server refused for its identity is
 * sent once more, at once, where the files on disk hold another identity; nothing else is tried again in here.
 */
final class Transport implements AutoCloseable {

    /** A claim, a page of objects; more is no answer of an API server to this agent. */
    private static final int MOST_BYTES = 32 << 20;

    private final Sessions sessions;
    private final Heard heard;
    private final ApiObserver observer;
    private final String userAgent;
    private final Duration requestTimeout;

    Transport(ClusterAccess access, InstantSource clock, String userAgent, ApiObserver observer) {
        this.sessions = new Sessions(access, clock);
        this.heard = new Heard(clock);
        this.observer = observer;
        this.userAgent = userAgent;
        this.requestTimeout = access.requestTimeout();
    }

    /** What the last calls told. */
    KubernetesApi.State state() {
        return heard.state();
    }

    /** Makes a call and reads its whole answer. */
    Answer.Done call(Call call, RateLimiter limiter) throws ApiException {
        return switch (ask(call, limiter)) {
            case Answer.Done done -> done;
            case Answer.Missing missing -> throw new ApiException(missing.failure());
        };
    }

    /** Makes a call about one object; empty where the object is not there. */
    Optional<Answer.Done> find(Call call, RateLimiter limiter) throws ApiException {
        return switch (ask(call, limiter)) {
            case Answer.Done done -> Optional.of(done);
            case Answer.Missing missing -> Optional.empty();
        };
    }

    private Answer ask(Call call, RateLimiter limiter) throws ApiException {
        long begun = System.nanoTime();
        try {
            if (!limiter.enter(requestTimeout)) {
                throw new ApiException(ApiFailures.busy(call));
            }
            try {
                Answer answer = send(call, true);
                heard.answered();
                tell(
                        call,
                        begun,
                        answer instanceof Answer.Missing missing
                                ? Optional.of(missing.failure().kind())
                                : Optional.empty());
                return answer;
            } finally {
                limiter.leave();
            }
        } catch (InterruptedException e) {
            throw failed(call, begun, interrupted(call));
        } catch (ApiException e) {
            throw failed(call, begun, e);
        }
    }

    /** Begins a watch. */
    WatchStream watch(Call call, RateLimiter limiter) throws ApiException {
        long begun = System.nanoTime();
        try {
            limiter.pace();
            WatchStream stream = open(call, true);
            heard.answered();
            tell(call, begun, Optional.empty());
            return stream;
        } catch (InterruptedException e) {
            throw failed(call, begun, interrupted(call));
        } catch (ApiException e) {
            throw failed(call, begun, e);
        }
    }

    /** Told by a watch that broke after it had begun. */
    void broke(ApiFailure failure) {
        heard.failed(failure);
    }

    private Answer send(Call call, boolean again) throws ApiException {
        Session session = hold(call);
        try {
            Optional<String> token = session.access().bearer().token();
            try {
                Reply reply = exchange(session, token, call);
                if (reply.successful()) {
                    return new Answer.Done(call, session.access().server().toString(), reply);
                }
                if (ApiFailures.saysNone(call, reply)) {
                    return new Answer.Missing(ApiFailures.of(call, session.access(), reply));
                }
                if (reply.code() == 401 && again && sessions.refused(session, token)) {
                    return send(call, false);
                }
                throw new ApiException(ApiFailures.of(call, session.access(), reply));
            } catch (IOException | TimeoutException e) {
                if (again && TlsFault.in(e) && sessions.refused(session, token)) {
                    return send(call, false);
                }
                throw new ApiException(ApiFailures.of(call, session.access(), e), e);
            }
        } catch (AccessException e) {
            throw new ApiException(ApiFailures.of(call, e), e);
        } catch (InterruptedException e) {
            throw interrupted(call);
        } finally {
            session.release();
        }
    }

    private WatchStream open(Call call, boolean again) throws ApiException {
        Session session = hold(call);
        boolean kept = false;
        try {
            Optional<String> token = session.access().bearer().token();
            try {
                var incoming = new Incoming();
                HttpResponse<AsyncBody> response = head(session, token, call, incoming);
                if (response.isSuccessful()) {
                    kept = true;
                    return new WatchStream(call, session, incoming);
                }
                if (response.code() == 401 && again && sessions.refused(session, token)) {
                    incoming.cancel();
                    return open(call, false);
                }
                throw new ApiException(
                        ApiFailures.of(call, session.access(), reply(response, incoming, System.nanoTime())));
            } catch (IOException | TimeoutException e) {
                if (again && TlsFault.in(e) && sessions.refused(session, token)) {
                    return open(call, false);
                }
                throw new ApiException(ApiFailures.of(call, session.access(), e), e);
            }
        } catch (AccessException e) {
            throw new ApiException(ApiFailures.of(call, e), e);
        } catch (InterruptedException e) {
            throw interrupted(call);
        } finally {
            if (!kept) {
                session.release();
            }
        }
    }

    private Session hold(Call call) throws ApiException {
        try {
            return sessions.hold();
        } catch (AccessException e) {
            throw new ApiException(ApiFailures.of(call, e), e);
        }
    }

    private Reply exchange(Session session, Optional<String> token, Call call)
            throws IOException, InterruptedException, TimeoutException {
        long begun = System.nanoTime();
        var incoming = new Incoming();
        return reply(head(session, token, call, incoming), incoming, begun);
    }

    /** Sends the request and waits for the head of the response; the body then comes in. */
    private HttpResponse<AsyncBody> head(Session session, Optional<String> token, Call call, Incoming incoming)
            throws IOException, InterruptedException, TimeoutException {
        HttpRequest.Builder request = session.client()
                .newHttpRequestBuilder()
                .uri(session.access().server() + call.path())
                .setHeader("Accept", "application/json")
                .setHeader("User-Agent", userAgent)
                .timeout(requestTimeout.toMillis(), TimeUnit.MILLISECONDS);
        token.ifPresent(secret -> request.setHeader("Authorization", "Bearer " + secret));
        call.body()
                .ifPresentOrElse(
                        body -> request.method(call.verb().method(), body.contentType(), body.json()),
                        () -> request.method(call.verb().method(), null, (String) null));
        CompletableFuture<HttpResponse<AsyncBody>> response = session.client().consumeBytes(request.build(), incoming);
        try {
            // The request has this timeout itself, and ends by it; the longer wait is for the worst case only.
            HttpResponse<AsyncBody> head = response.get(requestTimeout.toMillis() * 2, TimeUnit.MILLISECONDS);
            incoming.begin(head.body());
            return head;
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } catch (InterruptedException | TimeoutException e) {
            var _ = response.thenAccept(late -> late.body().cancel());
            throw e;
        }
    }

    private Reply reply(HttpResponse<AsyncBody> head, Incoming incoming, long begun)
            throws IOException, InterruptedException, TimeoutException {
        var body = new ByteArrayOutputStream();
        try {
            while (true) {
                long left = requestTimeout.toNanos() - (System.nanoTime() - begun);
                Optional<ByteBuffer> piece = incoming.next(Duration.ofNanos(Math.max(left, 0)));
                if (piece.isEmpty()) {
                    return new Reply(head.code(), retryAfter(head), body.toByteArray());
                }
                body.writeBytes(piece.get().array());
                if (body.size() > MOST_BYTES) {
                    throw new IOException("the answer is longer than " + MOST_BYTES + " bytes");
                }
            }
        } catch (IOException | InterruptedException | TimeoutException e) {
            incoming.cancel();
            throw e;
        }
    }

    private static Optional<Duration> retryAfter(HttpResponse<?> head) {
        String text = head.header("Retry-After");
        return text != null && text.matches("[0-9]{1,6}")
                ? Optional.of(Duration.ofSeconds(Long.parseLong(text)))
                : Optional.empty();
    }

    private static IOException unwrapped(ExecutionException e) throws TimeoutException {
        return switch (e.getCause()) {
            case IOException io -> io;
            case TimeoutException timeout -> throw timeout;
            case null, default -> new IOException(e.getCause());
        };
    }

    private static ApiException interrupted(Call call) {
        Thread.currentThread().interrupt();
        return new ApiException(ApiFailures.gaveUp(call));
    }

    private ApiException failed(Call call, long begun, ApiException e) {
        if (!Thread.currentThread().isInterrupted()) {
            // That a caller gave up tells nothing of the server.
            heard.failed(e.failure());
        }
        tell(call, begun, Optional.of(e.failure().kind()));
        return e;
    }

    private void tell(Call call, long begun, Optional<ApiFailure.Kind> failure) {
        var took = Duration.ofNanos(System.nanoTime() - begun);
        observer.called(call.verb().label(), call.target().label(), failure, took);
    }

    @Override
    public void close() {
        sessions.close();
    }
}
