package io.imexagent.e2e.switching;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.api.tls.ClientTls;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The calls of the public driver's controller (release line 0.5) in driver-managed mode, as its service account and with the
 * rights of its chart: the finalizer, the daemons' claim template and DaemonSet, the workload's claim template, the
 * status; and the way back. One pass over all ComputeDomains at a time; a call that is refused ends what is done for
 * its ComputeDomain.
 */
final class PublicController {

    static final String NAMESPACE = "dra-driver-nvidia-gpu";
    static final String USER =
            "system:serviceaccount:" + NAMESPACE + ":dra-driver-nvidia-gpu-service-account-controller";
    private static final String TOKEN = "public-controller";
    private static final String KEY = "resource.nvidia.com/computeDomain";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ApiDouble api;
    private final HttpClient http;
    private final List<String> refusals = new ArrayList<>();

    /** The service account, with the rights of the chart, in its namespace. */
    PublicController(ApiDouble api) throws IOException {
        this.api = api;
        this.http = HttpClient.newBuilder()
                .sslContext(ClientTls.context(api.certificateAuthorityPem(), Optional.empty()))
                .build();
        api.apply(Json.literal("""
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}""".formatted(NAMESPACE)));
        api.acceptToken(TOKEN, new UserIdentity(USER, Set.of("system:serviceaccounts")));
        grant(
                ResourceType.COMPUTE_DOMAINS,
                "",
                RequestVerb.GET,
                RequestVerb.LIST,
                RequestVerb.WATCH,
                RequestVerb.UPDATE);
        grant(ResourceType.COMPUTE_DOMAINS, "status", RequestVerb.UPDATE);
        grant(
                ResourceType.RESOURCE_CLAIM_TEMPLATES,
                "",
                RequestVerb.GET,
                RequestVerb.LIST,
                RequestVerb.WATCH,
                RequestVerb.CREATE,
                RequestVerb.UPDATE,
                RequestVerb.DELETE);
        grant(ResourceType.LEASES, "", RequestVerb.GET, RequestVerb.CREATE, RequestVerb.UPDATE);
        grant(ResourceType.NODES, "", RequestVerb.GET, RequestVerb.LIST, RequestVerb.WATCH, RequestVerb.UPDATE);
        grant(ResourceType.PODS, "", RequestVerb.GET, RequestVerb.LIST, RequestVerb.WATCH);
        grant(
                ResourceType.DAEMON_SETS,
                "",
                RequestVerb.GET,
                RequestVerb.LIST,
                RequestVerb.WATCH,
                RequestVerb.CREATE,
                RequestVerb.UPDATE,
                RequestVerb.PATCH,
                RequestVerb.DELETE);
        grant(
                ResourceType.COMPUTE_DOMAIN_CLIQUES,
                "",
                RequestVerb.GET,
                RequestVerb.LIST,
                RequestVerb.WATCH,
                RequestVerb.UPDATE);
    }

    private void grant(ResourceType type, String subresource, RequestVerb... verbs) {
        Optional<String> where = switch (type) {
            case DAEMON_SETS, COMPUTE_DOMAIN_CLIQUES -> Optional.of(NAMESPACE);
            default -> Optional.empty();
        };
        api.grant(new RoleGrant(USER, type, subresource, where, Set.of(verbs)));
    }

    /** What the API server has refused, in its words. */
    List<String> refusals() {
        return List.copyOf(refusals);
    }

    /** Looks once at every ComputeDomain. */
    void pass() throws IOException, InterruptedException {
        for (ObjectNode domain : api.list(ResourceType.COMPUTE_DOMAINS)) {
            try {
                if (domain.path("metadata").has("deletionTimestamp")) {
                    remove(domain);
                } else {
                    serve(domain);
                }
            } catch (RefusedException refused) {
                refusals.add(refused.getMessage());
            }
        }
    }

    private void serve(ObjectNode domain) throws IOException, InterruptedException, RefusedException {
        String uid = domain.at("/metadata/uid").asText();
        ObjectNode now = domain;
        if (!held(domain)) {
            domain.withArray("/metadata/finalizers").add(KEY);
            now = put(domain, "");
        }
        String daemon = "computedomain-daemon-" + uid;
        if (api.get(ResourceType.DAEMON_SETS, NAMESPACE, daemon).isEmpty()) {
            create(template(NAMESPACE, daemon, uid, "Daemon", "daemon", "compute-domain-daemon.nvidia.com", """
                    {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomainDaemonConfig","domainID":"%s"}"""));
            create(Json.literal("""
                    {"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"%1$s","name":"%2$s",
                     "finalizers":["%3$s"],"labels":{"%3$s":"%4$s"}},
                     "spec":{"selector":{"matchLabels":{"%3$s":"%4$s"}},"template":{"metadata":{"labels":{"%3$s":"%4$s"}},
                      "spec":{"nodeSelector":{"%3$s":"%4$s"},"containers":[{"name":"compute-domain-daemon","image":"d"}]}}}}\
                    """.formatted(NAMESPACE, daemon, KEY, uid)));
        }
        String namespace = domain.at("/metadata/namespace").asText();
        String name = domain.at("/spec/channel/resourceClaimTemplate/name").asText();
        if (api.get(ResourceType.RESOURCE_CLAIM_TEMPLATES, namespace, name).isEmpty()) {
            create(template(
                    namespace, name, uid, "Workload", "channel", "compute-domain-default-channel.nvidia.com", """
                    {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomainChannelConfig","domainID":"%s",
                     "allocationMode":"Single"}"""));
        }
        // The controller knows no conditions: what it writes has none.
        now.putObject("status")
                .put("status", "Ready")
                .putArray("nodes")
                .addObject()
                .put("name", "tb-node")
                .put("ipAddress", "192.0.2.1")
                .put("cliqueID", "b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7")
                .put("index", 0)
                .put("status", "Ready");
        put(now, "/status");
    }

    private void remove(ObjectNode domain) throws IOException, InterruptedException, RefusedException {
        String uid = domain.at("/metadata/uid").asText();
        for (ResourceType type : List.of(ResourceType.RESOURCE_CLAIM_TEMPLATES, ResourceType.DAEMON_SETS)) {
            for (ObjectNode object : api.list(type)) {
                if (object.at("/metadata/labels").path(KEY).asText().equals(uid)) {
                    request("DELETE", path(object), new byte[0]);
                    ObjectNode marked = api.get(
                                    type,
                                    object.at("/metadata/namespace").asText(),
                                    object.at("/metadata/name").asText())
                            .orElseThrow();
                    marked.withObject("/metadata").remove("finalizers");
                    put(marked, "");
                }
            }
        }
        for (ObjectNode node : api.list(ResourceType.NODES)) {
            if (node.at("/metadata/labels").path(KEY).asText().equals(uid)) {
                node.withObject("/metadata/labels").remove(KEY);
                put(node, "");
            }
        }
        domain.withObject("/metadata").remove("finalizers");
        put(domain, "");
    }

    private static boolean held(JsonNode object) {
        return object.at("/metadata/finalizers")
                .valueStream()
                .anyMatch(one -> one.asText().equals(KEY));
    }

    private static ObjectNode template(
            String namespace,
            String name,
            String uid,
            String target,
            String request,
            String deviceClass,
            String config) {
        return Json.literal(
                """
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaimTemplate","metadata":{"namespace":"%1$s","name":"%2$s",
                 "finalizers":["%3$s"],"labels":{"%3$s":"%4$s","resource.nvidia.com/computeDomainTarget":"%5$s"}},
                 "spec":{"spec":{"devices":{"requests":[{"name":"%6$s","exactly":{"deviceClassName":"%7$s"}}],
                  "config":[{"requests":["%6$s"],"opaque":{"driver":"compute-domain.nvidia.com","parameters":%8$s}}]}}}}\
                """.formatted(namespace, name, KEY, uid, target, request, deviceClass, config.formatted(uid)));
    }

    private void create(ObjectNode object) throws IOException, InterruptedException, RefusedException {
        String path = path(object);
        request("POST", path.substring(0, path.lastIndexOf('/')), JSON.writeValueAsBytes(object));
    }

    private ObjectNode put(ObjectNode object, String subresource)
            throws IOException, InterruptedException, RefusedException {
        return request("PUT", path(object) + subresource, JSON.writeValueAsBytes(object));
    }

    private static String path(ObjectNode object) {
        ResourceType type = ResourceType.ofKind(
                        object.path("apiVersion").asText(), object.path("kind").asText())
                .orElseThrow();
        String base = type.group().isEmpty() ? "/api/" : "/apis/";
        String namespace = object.at("/metadata/namespace").asText("");
        return base + type.apiVersion() + (namespace.isEmpty() ? "" : "/namespaces/" + namespace) + "/" + type.plural()
                + "/" + object.at("/metadata/name").asText();
    }

    private ObjectNode request(String method, String path, byte[] body)
            throws IOException, InterruptedException, RefusedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(api.url() + path))
                .header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<byte[]> response = http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        JsonNode answer = JSON.readTree(response.body());
        if (response.statusCode() >= 300) {
            throw new RefusedException(response.statusCode() + " " + method + " " + path + ": "
                    + answer.path("message").asText());
        }
        return (ObjectNode) answer;
    }

    /** An answer of the API server that is no success. */
    private static final class RefusedException extends Exception {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }
}
