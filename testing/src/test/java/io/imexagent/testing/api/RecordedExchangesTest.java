package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * What agents, controllers and tenants asked of a Kubernetes 1.36.2 with the objects of the manifests, in this order, and
 * what it answered: the double answers the same, in code, reason, words, details and objects, a Node's apart.
 */
final class RecordedExchangesTest {
    private static final Path RECORDED = Path.of("../e2e/src/test/resources/real-cluster/exchanges.json");
    private static final String CONTROLLER = "system:serviceaccount:imex-agent:imex-controller";
    private static final String TENANT = "system:serviceaccount:default:tenant";

    /** What a precondition was compared with is another on each server. */
    private static final Pattern IN_RECORD = Pattern.compile("in record [(][^)]*[)]");

    /** What a server gives an object that is another on each server. */
    private static final List<String> OF_THE_SERVER =
            List.of("uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields");

    /** The version of each object as the double has answered it last, by path. */
    private final Map<String, String> versions = new HashMap<>();

    @Test
    void theDoubleAnswersAsTheServerDid() throws Exception {
        List<String> different = new ArrayList<>();
        try (ApiDouble api = server()) {
            for (JsonNode recorded : new ObjectMapper().readTree(RECORDED.toFile())) {
                JsonNode expected = ((ObjectNode) recorded.deepCopy()).remove(List.of("body", "type"));
                JsonNode answered = answer(api, recorded);
                if (!answered.equals(expected)) {
                    different.add("\nserver %s\ndouble %s".formatted(expected, answered));
                }
            }
        }
        assertThat(different).isEmpty();
    }

    private static ApiDouble server() throws IOException {
        ApiDouble api = ApiDouble.start(new ApiDoubleOptions()
                .plainHttp()
                .token("controller", new UserIdentity(CONTROLLER, Set.of("system:serviceaccounts")))
                .token("tenant", new UserIdentity(TENANT, Set.of("system:serviceaccounts"))));
        for (ResourceType type : List.of(ResourceType.NVLINK_NODES, ResourceType.NVLINK_CLIQUES)) {
            api.grant(new RoleGrant(CONTROLLER, type, "", Optional.empty(), Set.of(RequestVerb.values())));
        }
        api.grant(new RoleGrant(
                CONTROLLER,
                ResourceType.EVENTS,
                "",
                Optional.empty(),
                Set.of(RequestVerb.GET, RequestVerb.CREATE, RequestVerb.PATCH)));
        api.grant(new RoleGrant(
                CONTROLLER,
                ResourceType.LEASES,
                "",
                Optional.of("imex-agent"),
                Set.of(RequestVerb.GET, RequestVerb.LIST, RequestVerb.WATCH, RequestVerb.CREATE, RequestVerb.UPDATE)));
        for (String user : List.of(CONTROLLER, TENANT)) {
            for (String subresource : List.of("", "status")) {
                api.grant(new RoleGrant(
                        user,
                        ResourceType.COMPUTE_DOMAINS,
                        subresource,
                        Optional.empty(),
                        Set.of(RequestVerb.values())));
            }
        }
        api.apply(Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"x-node\"}}"));
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        return api;
    }

    private JsonNode answer(ApiDouble api, JsonNode recorded) throws IOException, InterruptedException {
        String path = recorded.path("path").asText();
        try (Client client = Client.withToken(api, token(recorded.path("as").asText()))) {
            Client.Reply reply = client.send(client.request(path)
                    .header("Content-Type", recorded.path("type").asText("application/json"))
                    .method(recorded.path("method").asText(), BodyPublishers.ofString(body(recorded.path("body")))));
            ObjectNode answered = ((ObjectNode) recorded.deepCopy()).retain("as", "method", "path");
            answered.put("code", reply.code());
            ObjectNode body = reply.body();
            if (body.path("status").asText().equals("Failure")) {
                answered.put("reason", body.path("reason").asText());
                answered.put("message", IN_RECORD.matcher(reply.at("/message")).replaceAll("in record (…)"));
                if (body.has("details")) {
                    answered.set("details", body.get("details"));
                }
            } else {
                keepVersion(recorded, body);
                if (recorded.has("answer")) {
                    answered.set("answer", asRecorded(body));
                }
            }
            ArrayNode warnings = Json.object().putArray("warnings");
            reply.raw().headers().allValues("Warning").forEach(warnings::add);
            if (!warnings.isEmpty()) {
                answered.set("warnings", warnings);
            }
            return answered;
        }
    }

    private void keepVersion(JsonNode recorded, JsonNode body) {
        JsonNode version = body.at("/metadata/resourceVersion");
        if (!version.isMissingNode()) {
            String object = recorded.path("path").asText().replaceAll("[?].*|/status$", "");
            String own = recorded.path("method").asText().equals("POST")
                    ? object + "/" + body.at("/metadata/name").asText()
                    : object;
            versions.put(own, version.asText());
        }
    }

    private static ObjectNode asRecorded(ObjectNode body) {
        ObjectNode object = body.deepCopy();
        for (String part : List.of("metadata", "details")) {
            if (object.get(part) instanceof ObjectNode of) {
                of.remove(OF_THE_SERVER);
            }
        }
        return object;
    }

    private static String token(String who) {
        return who.endsWith("-node") ? "node:" + who : who;
    }

    /** The request's body, with versions of the double in the place of those that the server had. */
    private String body(JsonNode recorded) {
        if (recorded.isTextual() || recorded.isMissingNode()) {
            return recorded.asText();
        }
        ObjectNode body = recorded.deepCopy();
        String version = body.at("/metadata/resourceVersion").asText();
        if (version.startsWith("$rv ")) {
            ((ObjectNode) body.get("metadata")).put("resourceVersion", versions.get(version.substring(4)));
        }
        return body.toString();
    }
}
