package io.imexagent.e2e.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.Controller;
import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.http.HttpControlPlane;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** An API double, and controllers that have exactly the rights of the manifests, not more. */
final class ControllerWorld implements AutoCloseable {
    static final CliqueId CLIQUE = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    static final String FINALIZER = "resource.nvidia.com/computeDomain";
    static final String NAMESPACE = "imex-agent";
    static final String USER = "imex-controller";
    static final String VIEWER = "somebody";

    /** What a controller asks at its start: each collection once, and a watch of it. */
    static final int OPENING = 6 + 6;

    final ApiDouble api;
    private final Path folder;
    private int writes;
    private final List<Controller> controllers = new ArrayList<>();

    /** A world in which the controller has the rights of the manifests. */
    ControllerWorld(Path folder) throws IOException {
        this(folder, rights());
        manifests().reviews(USER).forEach(plural -> api.grantReview(USER, plural));
    }

    /** A world in which the controller has these rights. */
    ControllerWorld(Path folder, List<RoleGrant> rights) throws IOException {
        this.folder = folder;
        this.api = ApiDouble.start(new ApiDoubleOptions()
                .historyWindow(100_000)
                .token("controller", new UserIdentity(USER, Set.of()))
                .token("viewer", new UserIdentity(VIEWER, Set.of())));
        rights.forEach(api::grant);
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        api.writeKubeconfig(folder.resolve("controller.conf"), new Login.TokenLogin("controller"));
    }

    /** The rules that the manifests bind to the controller's user. */
    static List<RoleGrant> rights() throws IOException {
        return manifests().of(USER);
    }

    private static BoundRules manifests() throws IOException {
        return new BoundRules(Manifests.of(
                new ManifestOptions(true, Isolation.IMEX_CHANNEL, false, NAMESPACE, USER, false, false, false, false)));
    }

    Controller controller(Isolation isolation) {
        return controller(isolation, Duration.ofMinutes(10));
    }

    Controller controller(Isolation isolation, Duration lostNodeAfter) {
        String identity = "controller-" + controllers.size();
        ControlPlane cluster = controlPlane(identity);
        var controller = new Controller(
                cluster,
                new ControllerPolicy(isolation, 64, lostNodeAfter, PlacementMode.OFF, Optional.empty()),
                identity,
                Clock.systemUTC(),
                System::nanoTime,
                () -> 0.5,
                new ControllerObserver() {});
        controllers.add(controller);
        controller.start();
        return controller;
    }

    /** The calls that a controller makes, as its user; to be closed by the caller, or with its controller. */
    ControlPlane controlPlane(String identity) {
        return new HttpControlPlane(
                ClusterAccess.of(List.of(folder.resolve("controller.conf"))),
                "imex-controller/test",
                identity,
                "imex-agent",
                5000,
                Clock.systemUTC(),
                () -> 0.5,
                ApiObserver.NONE);
    }

    void create(String name) {
        create(name, name + "-channel");
    }

    void create(String name, String template) {
        ObjectNode domain = Fixtures.computeDomain("default", name, Fixtures.uid(name.hashCode() & 0xffff), template);
        domain.withObject("/metadata").remove("finalizers");
        domain.putObject("status").put("status", "NotReady");
        api.apply(domain);
    }

    void delete(String name) {
        api.edit(
                ResourceType.COMPUTE_DOMAINS,
                "default",
                name,
                domain -> domain.withObject("/metadata").put("deletionTimestamp", "2026-11-21T12:00:00Z"));
    }

    JsonNode domain(String name) {
        return api.get(ResourceType.COMPUTE_DOMAINS, "default", name)
                .map(JsonNode.class::cast)
                .orElseGet(Json::object);
    }

    boolean gone(String name) {
        return api.get(ResourceType.COMPUTE_DOMAINS, "default", name).isEmpty();
    }

    JsonNode template(String name) {
        return api.get(ResourceType.RESOURCE_CLAIM_TEMPLATES, "default", name + "-channel")
                .map(JsonNode.class::cast)
                .orElseGet(Json::object);
    }

    boolean ready(String name) {
        return domain(name).path("status").path("status").asText().equals("Ready");
    }

    /** The conditions of a ComputeDomain, as type, status and reason. */
    List<String> conditions(String name) {
        return domain(name)
                .at("/status/conditions")
                .valueStream()
                .map(condition -> condition.path("type").asText() + "="
                        + condition.path("status").asText() + " "
                        + condition.path("reason").asText())
                .toList();
    }

    /** A node with an object that names its clique, and holds a channel of it for a ComputeDomain. */
    void hold(String node, CliqueId clique, String domain, int channel) {
        api.apply(Fixtures.node(node, Fixtures.uid(9000)));
        var name = new DomainName(
                new ComputeDomainUid(domain(domain).at("/metadata/uid").asText()), "default", domain);
        put(node, clique, new Hold(name, Optional.of(new ChannelId(channel))));
    }

    /** The node holds nothing any more. */
    void release(String node, CliqueId clique) {
        put(node, clique);
    }

    private void put(String node, CliqueId clique, Hold... holds) {
        ObjectNode object = Json.object()
                .put("apiVersion", FabricObjects.GROUP + "/v1alpha1")
                .put("kind", "NVLinkNode");
        ObjectNode metadata = object.putObject("metadata").put("name", node);
        metadata.putArray("finalizers").add(FabricObjects.NODE_FINALIZER);
        metadata.putObject("labels").put(FabricObjects.label(clique), "");
        ObjectNode spec = object.putObject("spec")
                .put("session", "session")
                .put("write", ++writes)
                .put("imexChannelCount", 64);
        spec.putArray("cliques").add(clique.text());
        var held = spec.putArray("holds");
        for (Hold hold : holds) {
            held.addObject()
                    .put("computeDomain", hold.domain().uid().value())
                    .put("namespace", hold.domain().namespace())
                    .put("name", hold.domain().name())
                    .put("channel", hold.channel().orElseThrow().number());
        }
        api.apply(object);
    }

    /** The numbers of the channels that are bound in a clique; nothing where there is no table. */
    Optional<List<Integer>> bound(CliqueId clique) {
        return api.get(ResourceType.NVLINK_CLIQUES, "", clique.text())
                .map(table -> table.at("/spec/channels")
                        .valueStream()
                        .map(entry -> entry.path("id").asInt())
                        .toList());
    }

    /** The reasons of all Events. */
    List<String> reasons() {
        return api.list(ResourceType.EVENTS).stream()
                .map(event -> event.path("reason").asText())
                .toList();
    }

    static void await(String what, BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within 30 s: " + what);
            }
            Thread.sleep(10);
        }
    }

    @Override
    public void close() {
        controllers.forEach(Controller::close);
        api.close();
    }
}
