package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Authenticator;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.http.Exchange;
import io.imexagent.testing.api.http.HttpListener;
import io.imexagent.testing.api.object.FieldSelector;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Takes every request through the same stages: who, log, faults, may they, what. */
final class ApiHandler implements HttpListener.Handler {
    private static final Logger LOG = System.getLogger(ApiHandler.class.getName());
    private static final Set<String> HEALTH = Set.of("/healthz", "/livez", "/readyz");

    private final Clock clock;
    private final boolean older;
    private final ApiDiscovery discovery;
    private final Authenticator authenticator;
    private final Authorizer authorizer;
    private final AccessReviews reviews;
    private final ResourceHandler resources;
    private final WatchHandler watches;
    private final DoubleHandler ownPaths;
    private final Faults faults;
    private final RequestLog log;
    private final Set<ResourceType> withdrawn = ConcurrentHashMap.newKeySet();
    private final AtomicLong numbers = new AtomicLong();

    ApiHandler(
            Clock clock,
            boolean older,
            Authenticator authenticator,
            Authorizer authorizer,
            ResourceHandler resources,
            WatchHandler watches,
            DoubleHandler ownPaths,
            Faults faults,
            RequestLog log) {
        this.clock = clock;
        this.older = older;
        this.discovery = new ApiDiscovery(older);
        this.authenticator = authenticator;
        this.authorizer = authorizer;
        this.reviews = new AccessReviews(authenticator, authorizer);
        this.resources = resources;
        this.watches = watches;
        this.ownPaths = ownPaths;
        this.faults = faults;
        this.log = log;
    }

    /** Serves a resource no longer, or again. */
    void serve(ResourceType type, boolean served) {
        if (served) {
            withdrawn.remove(type);
        } else {
            withdrawn.add(type);
        }
    }

    @Override
    public void handle(Exchange exchange) throws IOException {
        Optional<Answer> answer = answer(exchange);
        if (answer.isPresent()) {
            Answer whole = answer.get();
            log.answered(whole.code());
            exchange.respond(whole.code(), whole.contentType(), whole.body(), whole.headers());
        }
    }

    /** The answer, or empty where the request was dealt with already: a stream that is over, a dropped connection. */
    private Optional<Answer> answer(Exchange exchange) throws IOException {
        try {
            return serve(exchange);
        } catch (StatusException refusal) {
            return Optional.of(Answer.of(refusal));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted while serving a request");
            failure.initCause(e);
            throw failure;
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "fault of the double itself at " + exchange.path(), e);
            return Optional.of(Answer.of(StatusException.internal(e.toString())));
        }
    }

    private Optional<Answer> serve(Exchange exchange) throws IOException, InterruptedException {
        Optional<Identity> identity =
                authenticator.identify(exchange.header("authorization"), exchange.peerCertificate());
        if (exchange.path().startsWith("/double/")) {
            return Optional.of(ownPaths.handle(exchange, identity));
        }
        Optional<ApiPath> path = ApiPath.parse(exchange.path()).filter(this::served);
        boolean watch = exchange.parameter("watch")
                .filter(value -> value.equals("true") || value.equals("1"))
                .isPresent();
        Optional<Verb> verb = path.flatMap(
                p -> ResourceHandler.verb(exchange.method(), !p.name().isEmpty(), watch));
        LoggedRequest logged = logged(exchange, path, verb, identity);
        log.arrived(logged);
        if (faults.meet(logged, path.map(ApiPath::type)) == Faults.Verdict.DROP) {
            exchange.drop();
            return Optional.empty();
        }
        if (AccessReviews.at(exchange.path())) {
            return Optional.of(reviews.answer(exchange, identity.orElseThrow(StatusException::unauthorized)));
        }
        if (path.isEmpty()) {
            return Optional.of(document(exchange, identity));
        }
        Identity user = identity.orElseThrow(StatusException::unauthorized);
        ResourceRequest request = request(exchange, path.get(), verb);
        authorizer.check(user, request);
        requireJson(exchange);
        if (request.verb() == Verb.WATCH) {
            log.answered(200);
            watches.serve(exchange, ResourceHandler.filter(exchange, request));
            return Optional.empty();
        }
        return Optional.of(resources.handle(exchange, request, user));
    }

    private boolean served(ApiPath path) {
        return !withdrawn.contains(path.type())
                && (!older || !path.type().group().equals("resource.k8s.io"));
    }

    private Answer document(Exchange exchange, Optional<Identity> identity) {
        if (HEALTH.contains(exchange.path())) {
            return Answer.text(200, "ok");
        }
        // Everybody may read the version; the rest of discovery takes credentials.
        if (!exchange.path().equals("/version") && identity.isEmpty()) {
            throw StatusException.unauthorized();
        }
        return discovery.at(exchange.path()).map(Answer::ok).orElseGet(() -> Answer.text(404, "404 page not found\n"));
    }

    private static ResourceRequest request(Exchange exchange, ApiPath path, Optional<Verb> verb) {
        ResourceType type = path.type();
        Verb asked = verb.orElseThrow(StatusException::methodNotAllowed);
        boolean collection = asked == Verb.LIST || asked == Verb.WATCH;
        if (type.namespaced() && path.namespace().isEmpty() && !collection) {
            throw StatusException.methodNotAllowed();
        }
        FieldSelector fields = exchange.parameter("fieldSelector")
                .map(text -> FieldSelector.parse(type, text))
                .orElse(FieldSelector.ALL);
        return new ResourceRequest(asked, type, path.namespace(), path.name(), path.subresource(), fields);
    }

    private LoggedRequest logged(
            Exchange exchange, Optional<ApiPath> path, Optional<Verb> verb, Optional<Identity> identity) {
        String resource = path.map(p ->
                        p.subresource().isEmpty() ? p.type().plural() : p.type().plural() + "/" + p.subresource())
                .orElse("");
        return new LoggedRequest(
                numbers.incrementAndGet(),
                clock.instant(),
                verb.map(Verb::text).orElseGet(() -> exchange.method().toLowerCase(Locale.ROOT)),
                resource,
                path.map(ApiPath::namespace).orElse(""),
                path.map(ApiPath::name).orElse(""),
                identity.map(Identity::user).orElse(""),
                exchange.path());
    }

    private static void requireJson(Exchange exchange) {
        String accept = exchange.header("accept").orElse("*/*");
        if (!accept.contains("json") && !accept.contains("*/*") && !accept.contains("application/*")) {
            throw StatusException.notAcceptable();
        }
    }
}
