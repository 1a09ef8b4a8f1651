package io.imexagent.kubernetes.http;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi.ApiState;
import io.imexagent.kubernetes.access.AccessException;
import io.imexagent.kubernetes.access.AccessSource.Access;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.JsonScanner;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Sends calls and opens watches. Calls block; every wait has a timeout. If the server refuses a call's identity and the
 * files hold another one, the call is sent again at once, one time; no other failure is retried here.
 */
final class Transport implements AutoCloseable {

    private final Caller caller;
    private final Sessions sessions;
    private final ApiObserver observer;
    private final String userAgent;
    private final Duration requestTimeout;
    private final InstantSource clock;
    private volatile ApiState state = new ApiState.ApiUntried();
    private volatile Optional<AnswerTime> answered = Optional.empty();

    /** The {@code Date} of a response (RFC 9110, 6.6.1), and when it arrived by this machine's clock. */
    private record AnswerTime(String date, Instant at) {}

    Transport(Caller caller, ClusterAccess access, String userAgent, InstantSource clock, ApiObserver observer) {
        this.caller = caller;
        this.sessions = new Sessions(access, clock);
        this.observer = observer;
        this.userAgent = userAgent;
        this.requestTimeout = access.requestTimeout();
        this.clock = clock;
    }

    @FunctionalInterface
    interface BodyReader<T> {
        T read(JsonScanner body) throws IOException;
    }

    ApiState state() {
        return state;
    }

    /**
     * How far the server's clock is ahead of this machine's, in whole seconds, by its last response; empty if that has
     * no date.
     */
    Optional<Duration> serverAhead() {
        try {
            return answered.map(last -> Duration.between(
                            last.at(), DateTimeFormatter.RFC_1123_DATE_TIME.parse(last.date(), Instant::from))
                    .truncatedTo(ChronoUnit.SECONDS));
        } catch (DateTimeException noDate) {
            return Optional.empty();
        }
    }

    /**
     * Records the failure of a call, or of a watch after it had begun. Some failures are regular responses, which show
     * that the server works.
     */
    void failed(ApiFailure failure) {
        state = switch (failure.kind()) {
            case NO_RELATIONSHIP, NAMESPACE_ENDING, QUOTA, ADMISSION, NOT_FOUND, CONFLICT, GONE, INVALID ->
                new ApiState.ApiAnswering();
            case UNREACHABLE,
                    TIMEOUT,
                    NO_KUBECONFIG,
                    UNAUTHORIZED,
                    FORBIDDEN,
                    OTHER_NODE,
                    THROTTLED,
                    SERVER_ERROR,
                    UNREADABLE,
                    UNSUPPORTED -> new ApiState.ApiFailing(failure);
        };
    }

    <T> T call(Call call, RateLimiter limiter, Decoder<T> decoder) throws ApiException {
        return stream(call, limiter, decoder::decode);
    }

    <T> Optional<T> find(Call call, RateLimiter limiter, Decoder<T> decoder) throws ApiException {
        try {
            return Optional.of(call(call, limiter, decoder));
        } catch (MissingException e) {
            return Optional.empty();
        }
    }

    <T> T stream(Call call, RateLimiter limiter, BodyReader<T> reading) throws ApiException {
        return observed(call, () -> {
            if (!limiter.enter(limit(call))) {
                // Calls that hang occupy all places.
                throw new ApiException(call.failed(
                        ApiFailure.FailureKind.TIMEOUT,
                        "the calls before it got no answer from the API server in time"));
            }
            try (Response response = open(call, true)) {
                return response.read(reading);
            } finally {
                limiter.leave();
            }
        });
    }

    WatchStream watch(Call call, RateLimiter limiter, FieldSelection wanted) throws ApiException {
        return observed(call, () -> {
            limiter.pace();
            return new WatchStream(open(call, true), wanted);
        });
    }

    private <T> T observed(Call call, ApiExchange<T> exchange) throws ApiException {
        long startNanos = System.nanoTime();
        try {
            T result = exchange.run();
            state = new ApiState.ApiAnswering();
            report(call, startNanos, Optional.empty());
            return result;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(call, startNanos, new ApiException(ApiFailures.gaveUp(call)));
        } catch (ApiException e) {
            throw failed(call, startNanos, e);
        }
    }

    private ApiException failed(Call call, long startNanos, ApiException e) {
        if (!Thread.currentThread().isInterrupted()) {
            // An interrupted caller is no evidence about the server.
            failed(e.failure());
        }
        report(call, startNanos, Optional.of(e.failure().kind()));
        return e;
    }

    private void report(Call call, long startNanos, Optional<ApiFailure.FailureKind> failure) {
        var took = Duration.ofNanos(System.nanoTime() - startNanos);
        observer.called(call.verb().label(), call.target().label(), failure, took);
    }

    void broke(Call.Target target) {
        observer.called(
                Call.Verb.WATCH.label(), target.label(), Optional.of(ApiFailure.FailureKind.UNREADABLE), Duration.ZERO);
    }

    private Response open(Call call, boolean again) throws ApiException, InterruptedException {
        try {
            Sessions.TlsSession session = sessions.current();
            Access access = session.access();
            try {
                long startNanos = System.nanoTime();
                HttpResponse<ResponseBody> head = session.send(request(access, call));
                answered = head.headers().firstValue("Date").map(date -> new AnswerTime(date, clock.instant()));
                head.body().allow(limit(call).minusNanos(System.nanoTime() - startNanos));
                var response = new Response(caller, call, access, head);
                if (head.statusCode() >= 200 && head.statusCode() < 300) {
                    return response;
                }
                StatusText status = response.status();
                ApiFailure failure = response.failure(head.statusCode(), status);
                if (head.statusCode() == 404 && ApiFailures.saysNone(call, status)) {
                    throw new MissingException(failure);
                }
                if (head.statusCode() != 401 || !again || !sessions.refused(session)) {
                    throw new ApiException(failure);
                }
            } catch (IOException e) {
                if (!again || !ApiFailures.ofTls(e) || !sessions.refused(session)) {
                    throw new ApiException(ApiFailures.of(call, access, e), e);
                }
            }
        } catch (AccessException e) {
            throw new ApiException(
                    call.failed(ApiFailure.FailureKind.NO_KUBECONFIG, String.valueOf(e.getMessage())), e);
        }
        return open(call, false);
    }

    private HttpRequest request(Access access, Call call) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(access.server() + call.path()))
                .setHeader("Accept", "application/json")
                .setHeader("User-Agent", userAgent)
                .timeout(limit(call))
                .method(
                        call.verb().method(),
                        call.body().map(BodyPublishers::ofString).orElseGet(BodyPublishers::noBody));
        access.token().ifPresent(secret -> request.setHeader("Authorization", "Bearer " + secret));
        call.body()
                .ifPresent(body -> request.setHeader("Content-Type", call.verb().contentType()));
        return request.build();
    }

    private Duration limit(Call call) {
        return call.limit().filter(limit -> limit.compareTo(requestTimeout) < 0).orElse(requestTimeout);
    }

    @Override
    public void close() {
        sessions.close();
    }

    @FunctionalInterface
    private interface ApiExchange<T> {
        T run() throws ApiException, InterruptedException;
    }

    /** The server reported that the object does not exist. */
    private static final class MissingException extends ApiException {

        private static final long serialVersionUID = 1L;

        MissingException(ApiFailure failure) {
            super(failure);
        }
    }

    /** A response whose body may not have arrived yet. */
    record Response(Caller caller, Call call, Access access, HttpResponse<ResponseBody> head) implements AutoCloseable {

        <T> T read(BodyReader<T> reading) throws ApiException {
            var body = new JsonScanner(head.body());
            try {
                T read = reading.read(body);
                // Reading to the end of the body, a line's end away, frees the connection for reuse.
                body.nextOrEnd();
                return read;
            } catch (IOException e) {
                throw broken(e);
            }
        }

        private StatusText status() throws ApiException {
            try (ResponseBody _ = head.body()) {
                return read(StatusText::read);
            }
        }

        ApiException broken(IOException e) {
            return new ApiException(ApiFailures.of(call, access, e), e);
        }

        /** Builds the failure that a response or an event of a watch reports. */
        ApiFailure failure(int code, StatusText status) {
            // In seconds; the API server sends no dates here.
            Optional<Duration> delay = head.headers()
                    .firstValue("Retry-After")
                    .filter(text -> text.matches("[0-9]{1,6}"))
                    .map(text -> Duration.ofSeconds(Long.parseLong(text)));
            return ApiFailures.of(caller, call, access, code, status, delay.or(status::retryAfter));
        }

        @Override
        public void close() {
            head.body().close();
        }
    }
}
