package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Authenticator;
import io.imexagent.testing.api.access.Authorizer;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.ResourceRequest;
import io.imexagent.testing.api.access.UserIdentity;
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
import java.util.regex.Pattern;

/** Takes every request through the same stages: who, log, faults, may they, what. */
final class ApiHandler {
    private static final Logger LOG = System.getLogger(ApiHandler.class.getName());
    private static final Pattern SLASHES = Pattern.compile("/+");
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
            Registry registry,
            Lifecycle lifecycle,
            List<InjectedFault> faults,
            RequestLog log) {
        this.older = options.older;
        this.discovery = new ApiDiscovery(older);
        this.authenticator = authenticator;
        this.authorizer = authorizer;
        this.reviews = new AccessReviews(authenticator, authorizer);
        this.resources = new ResourceHandler(store, registry, lifecycle, options.bookmarkInterval);
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
    void handle(ServerExchange exchange) throws IOException {
        answer(exchange).ifPresent(whole -> {
            log.answered(whole.code());
            exchange.respond(whole);
        });
    }

    /** The answer, or empty where the request was dealt with already: a stream that is over, a dropped connection. */
    private Optional<HttpAnswer> answer(ServerExchange exchange) throws IOException {
        try {
            return serve(exchange);
        } catch (StatusException refusal) {
            return Optional.of(HttpAnswer.of(refusal));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while serving a request");
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, "fault of the double itself at " + exchange.path(), e);
            return Optional.of(
                    HttpAnswer.of(StatusException.of(500, "InternalError", "Internal error occurred: " + e)));
        }
    }

    private Optional<HttpAnswer> serve(ServerExchange exchange) throws IOException, InterruptedException {
        Optional<UserIdentity> identity =
                authenticator.identify(exchange.header("authorization"), exchange.peerCertificate());
        Optional<ResourceRequest> request = request(exchange);
        String sender = identity.map(UserIdentity::user).orElse("");
        LoggedRequest logged = request.map(asked -> new LoggedRequest(
                        asked.verb().text(), asked.resource(), asked.namespace(), asked.name(), sender))
                .orElseGet(() -> new LoggedRequest(exchange.method().toLowerCase(Locale.ROOT), "", "", "", sender));
        log.arrived(logged);
        for (InjectedFault fault : faults) {
            if (fault.drops(logged, request.map(ResourceRequest::type))) {
                exchange.drop();
                return Optional.empty();
            }
        }
        if (AccessReviews.at(exchange.path())) {
            return Optional.of(reviews.answer(exchange, identity.orElseThrow(StatusException::unauthorized)));
        }
        if (request.isEmpty()) {
            return Optional.of(document(exchange, identity));
        }
        UserIdentity user = identity.orElseThrow(StatusException::unauthorized);
        authorizer.check(user, request.get());
        requireJson(exchange);
        if (request.get().verb() == RequestVerb.WATCH) {
            log.answered(200);
            resources.watch(exchange, request.get());
            return Optional.empty();
        }
        return Optional.of(resources.handle(exchange, request.get(), user));
    }

    /** The request for a resource; empty for discovery, for unknown resources, and for unknown subresources. */
    private Optional<ResourceRequest> request(ServerExchange exchange) {
        List<String> parts = SLASHES.splitAsStream(exchange.path())
                .filter(part -> !part.isEmpty())
                .toList();
        if (parts.size() >= 3 && parts.get(0).equals("api")) {
            return request(exchange, "", parts.get(1), parts.subList(2, parts.size()));
        }
        return parts.size() >= 4 && parts.get(0).equals("apis")
                ? request(exchange, parts.get(1), parts.get(2), parts.subList(3, parts.size()))
                : Optional.empty();
    }

    /** Of a path that ends with {@code namespaces/<namespace>/<plural>/<name>/<subresource>} or a shorter form. */
    private Optional<ResourceRequest> request(
            ServerExchange exchange, String group, String version, List<String> rest) {
        boolean scoped = rest.size() >= 3
                && rest.getFirst().equals("namespaces")
                && ResourceType.find(group, version, rest.get(2)).isPresent();
        String namespace = scoped ? rest.get(1) : "";
        List<String> own = scoped ? rest.subList(2, rest.size()) : rest;
        String name = own.size() > 1 ? own.get(1) : "";
        String subresource = own.size() == 3 ? own.get(2) : "";
        return ResourceType.find(group, version, own.getFirst())
                .filter(type -> own.size() <= 3 && (!scoped || type.namespaced()) && served(type))
                .filter(type -> subresource.isEmpty()
                        || (subresource.equals("status") && type.hasStatusSubresource())
                        || (subresource.equals("log") && type == ResourceType.PODS))
                .map(type -> new ResourceRequest(
                        verb(exchange, !name.isEmpty(), scoped || !type.namespaced()),
                        type,
                        namespace,
                        name,
                        subresource,
                        exchange.parameter("fieldSelector")
                                .map(text -> Selector.ofFields(type, text))
                                .orElse(Selector.ALL)));
    }

    /** The verb of a method, as the API conventions map it; over all namespaces there are reads of collections alone. */
    private static RequestVerb verb(ServerExchange exchange, boolean named, boolean scoped) {
        return switch (exchange.method() + (named ? " NAME" : "") + (scoped ? "" : " ALL")) {
            case "GET", "GET ALL" -> exchange.flag("watch") ? RequestVerb.WATCH : RequestVerb.LIST;
            case "GET NAME" -> RequestVerb.GET;
            case "POST" -> RequestVerb.CREATE;
            case "PUT NAME" -> RequestVerb.UPDATE;
            case "PATCH NAME" -> RequestVerb.PATCH;
            case "DELETE NAME" -> RequestVerb.DELETE;
            case "DELETE" -> RequestVerb.DELETECOLLECTION;
            default -> throw StatusException.methodNotAllowed();
        };
    }

    private boolean served(ResourceType type) {
        return !withdrawn.contains(type) && (!older || !type.group().equals("resource.k8s.io"));
    }

    private HttpAnswer document(ServerExchange exchange, Optional<UserIdentity> identity) {
        if (HEALTH.contains(exchange.path())) {
            return HttpAnswer.text(200, "ok");
        }
        // Everybody may read the version; the rest of discovery takes credentials.
        if (!exchange.path().equals("/version") && identity.isEmpty()) {
            throw StatusException.unauthorized();
        }
        return discovery
                .at(exchange.path())
                .map(json -> HttpAnswer.json(200, json))
                .orElseGet(() -> HttpAnswer.text(404, "404 page not found\n"));
    }

    private static void requireJson(ServerExchange exchange) {
        String accept = exchange.header("accept").orElse("*/*");
        if (!accept.contains("json") && !accept.contains("*/*") && !accept.contains("application/*")) {
            throw StatusException.of(
                    406, "NotAcceptable", "only the following media types are accepted: application/json");
        }
    }
}
