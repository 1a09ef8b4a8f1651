package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Authenticator;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.Identity;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.object.Lifecycle;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.object.Selector;
import io.imexagent.testing.api.object.StatusException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Takes every request through the same stages: who, log, faults, may they, what. */
final class ApiHandler {
    private static final Logger LOG = System.getLogger(ApiHandler.class.getName());
    private static final Set<String> HEALTH = Set.of("/healthz", "/livez", "/readyz");

    private final boolean older;
    private final ApiDiscovery discovery;
    private final Authenticator authenticator;
    private final Authorizer authorizer;
    private final AccessReviews reviews;
    private final ResourceHandler resources;
    private final List<InjectedFault> faults;
    private final RequestLog log;
    private final Set<ResourceType> withdrawn = ConcurrentHashMap.newKeySet();

    ApiHandler(
            ApiDoubleOptions options,
            Authenticator authenticator,
            Authorizer authorizer,
            ObjectStore store,
            Lifecycle lifecycle,
            List<InjectedFault> faults,
            RequestLog log) {
        this.older = options.older;
        this.discovery = new ApiDiscovery(older);
        this.authenticator = authenticator;
        this.authorizer = authorizer;
        this.reviews = new AccessReviews(authenticator, authorizer);
        this.resources = new ResourceHandler(store, lifecycle, options.bookmarkInterval);
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

    /** Answers a request, exactly once. An {@link IOException} ends its connection. */
    void handle(Exchange exchange) throws IOException {
        answer(exchange).ifPresent(whole -> {
            log.answered(whole.code());
            exchange.respond(whole);
        });
    }

    /** The answer, or empty where the request was dealt with already: a stream that is over, a dropped connection. */
    private Optional<Answer> answer(Exchange exchange) throws IOException {
        try {
            return serve(exchange);
        } catch (StatusException refusal) {
            return Optional.of(Answer.of(refusal));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while serving a request");
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "fault of the double itself at " + exchange.path(), e);
            return Optional.of(Answer.of(StatusException.of(500, "InternalError", "Internal error occurred: " + e)));
        }
    }

    private Optional<Answer> serve(Exchange exchange) throws IOException, InterruptedException {
        Optional<Identity> identity =
                authenticator.identify(exchange.header("authorization"), exchange.peerCertificate());
        Optional<ApiPath> path = ApiPath.parse(exchange.path()).filter(this::served);
        Optional<Verb> verb =
                path.flatMap(p -> verb(exchange.method(), !p.name().isEmpty(), exchange.flag("watch")));
        LoggedRequest logged = new LoggedRequest(
                verb.map(Verb::text).orElseGet(() -> exchange.method().toLowerCase(Locale.ROOT)),
                path.map(ApiPath::resource).orElse(""),
                path.map(ApiPath::namespace).orElse(""),
                path.map(ApiPath::name).orElse(""),
                identity.map(Identity::user).orElse(""));
        log.arrived(logged);
        for (InjectedFault fault : faults) {
            if (fault.drops(logged, path.map(ApiPath::type))) {
                exchange.drop();
                return Optional.empty();
            }
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
            resources.watch(exchange, request);
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
        return discovery
                .at(exchange.path())
                .map(json -> Answer.json(200, json))
                .orElseGet(() -> Answer.text(404, "404 page not found\n"));
    }

    /** The verb of a method on a path, as the API conventions map it; empty where the path has no such method. */
    private static Optional<Verb> verb(String method, boolean named, boolean watch) {
        return switch (method) {
            case "GET" -> Optional.of(named ? Verb.GET : watch ? Verb.WATCH : Verb.LIST);
            case "POST" -> named ? Optional.empty() : Optional.of(Verb.CREATE);
            case "PUT" -> named ? Optional.of(Verb.UPDATE) : Optional.empty();
            case "PATCH" -> named ? Optional.of(Verb.PATCH) : Optional.empty();
            case "DELETE" -> Optional.of(named ? Verb.DELETE : Verb.DELETECOLLECTION);
            default -> Optional.empty();
        };
    }

    private static ResourceRequest request(Exchange exchange, ApiPath path, Optional<Verb> verb) {
        ResourceType type = path.type();
        Verb asked = verb.orElseThrow(StatusException::methodNotAllowed);
        boolean collection = asked == Verb.LIST || asked == Verb.WATCH;
        if (type.namespaced() && path.namespace().isEmpty() && !collection) {
            throw StatusException.methodNotAllowed();
        }
        Selector fields = exchange.parameter("fieldSelector")
                .map(text -> Selector.ofFields(type, text))
                .orElse(Selector.ALL);
        return new ResourceRequest(asked, type, path.namespace(), path.name(), path.subresource(), fields);
    }

    private static void requireJson(Exchange exchange) {
        String accept = exchange.header("accept").orElse("*/*");
        if (!accept.contains("json") && !accept.contains("*/*") && !accept.contains("application/*")) {
            throw StatusException.of(
                    406, "NotAcceptable", "only the following media types are accepted: application/json");
        }
    }
}
