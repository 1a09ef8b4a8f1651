package io.imexagent.e2e.isolation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.imexagent.controller.Controller;
import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.scheduler.SchedulerDouble;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpControlPlane;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A world under isolation by channel: with the device classes of the manifests, a controller and a scheduler. Its node's
 * agent is not started yet.
 */
public final class IsolatedCluster implements AutoCloseable {

    private static final Path EXAMPLES =
            Path.of(System.getProperty("basedir", "."), "..", "packaging", "kubernetes", "examples");
    private static final String NAMESPACE = "imex-agent";
    private static final int CHANNELS = 128;

    private final World world;
    private final SchedulerDouble scheduler;
    private final Optional<Controller> controller;
    private final List<AgentProcess> controllers = new ArrayList<>();
    private int scheduled;
    private boolean stopped;

    private IsolatedCluster(World world, Optional<Controller> controller) {
        this.world = world;
        this.scheduler = new SchedulerDouble(world.api());
        this.controller = controller;
    }

    /** The cluster around a world. */
    public static IsolatedCluster around(World world) throws IOException {
        return around(world, false);
    }

    /** The cluster around a world whose agent offers RDMA NICs as well. */
    public static IsolatedCluster withRails(World world) throws IOException {
        world.with("rdma.enabled", "true");
        return around(world, true);
    }

    /** The cluster around a world, with two controllers as processes of their own, of which one leads. */
    public static IsolatedCluster withControllerProcesses(World world) throws IOException {
        Path config =
                Files.writeString(world.directory().resolve("controller.yaml"), """
                    featureGates: {HostManagedIMEX: true}
                    imex: {isolation: IMEXChannel}
                    controller: {kubeconfig: %s, port: 0}
                    http: {address: 127.0.0.1}
                    """.formatted(install(world, false)));
        var cluster = new IsolatedCluster(world, Optional.empty());
        for (int i = 0; i < 2; i++) {
            cluster.controllers.add(world.start(AgentLaunch.command("controller", "--config", config.toString())));
        }
        return cluster;
    }

    private static IsolatedCluster around(World world, boolean rdma) throws IOException {
        var cluster = new HttpControlPlane(
                ClusterAccess.of(List.of(install(world, rdma))),
                "imex-controller/test",
                "controller",
                NAMESPACE,
                5000,
                Clock.systemUTC(),
                () -> 0.5,
                ApiObserver.NONE);
        var controller = new Controller(
                cluster,
                new ControllerPolicy(
                        Isolation.IMEX_CHANNEL, CHANNELS, Duration.ofMinutes(10), PlacementMode.OFF, Optional.empty()),
                "controller",
                Clock.systemUTC(),
                System::nanoTime,
                () -> 0.5,
                new ControllerObserver() {});
        controller.start();
        return new IsolatedCluster(world, Optional.of(controller));
    }

    /** Installs what the manifests have, and says how a controller reaches the API server. */
    private static Path install(World world, boolean rdma) throws IOException {
        world.with("imex.isolation", Isolation.IMEX_CHANNEL.text());
        world.api().apply(Json.literal("""
            {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}\
            """.formatted(NAMESPACE)));
        var options = new ManifestOptions(
                true, Isolation.IMEX_CHANNEL, false, NAMESPACE, "imex-controller", rdma, false, false, false);
        var objects = new ObjectMapper(new YAMLFactory())
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(Manifests.of(options))
                .readAll();
        for (JsonNode object : objects) {
            if (object.path("kind").asText().equals("DeviceClass")) {
                world.api().apply(object);
            }
        }
        return world.api().writeKubeconfig(world.directory().resolve("controller.conf"), new Login.TokenLogin("admin"));
    }

    /** The controllers that are processes. */
    public List<AgentProcess> controllers() {
        return controllers;
    }

    /** The scheduler. */
    public SchedulerDouble scheduler() {
        return scheduler;
    }

    /** Starts the node's agent, and waits until it has published its device, and its clique has a table. */
    public AgentProcess startAgent() throws IOException, InterruptedException {
        AgentProcess agent = world.startRegistered(world.launch());
        agent.awaitTrue("the device to be published", () -> published() > 0);
        agent.awaitTrue("the clique's table", () -> !tables().isEmpty());
        return agent;
    }

    /** Starts the node's agent, and lets the pods of the example with the ComputeDomains red and blue be bound to it. */
    public AgentProcess startTwoDomains() throws IOException, InterruptedException {
        apply("two-domains.yaml");
        AgentProcess agent = startAgent();
        awaitBound(agent, "red", "blue");
        return agent;
    }

    /** The tables of all cliques. */
    public List<ObjectNode> tables() {
        return world.api().list(ResourceType.NVLINK_CLIQUES);
    }

    /** The entries of all tables. */
    public List<JsonNode> entries() {
        return tables().stream()
                .flatMap(table -> table.at("/spec/channels").valueStream())
                .toList();
    }

    /** What the node says that it holds. */
    public List<JsonNode> holds() {
        return world.api().get(ResourceType.NVLINK_NODES, "", World.NODE).stream()
                .flatMap(node -> node.at("/spec/holds").valueStream())
                .toList();
    }

    /** How many devices the slices of the driver have together. */
    public int published() {
        return world.slices().stream()
                .filter(slice -> slice.at("/spec/driver").asText().equals(DriverNames.DRIVER))
                .mapToInt(slice -> slice.at("/spec/devices").size())
                .sum();
    }

    /** Applies an example of the manifests. */
    public void apply(String name) throws IOException {
        world.api().apply(example(name));
    }

    /** The file of an example. Run without Maven, tests stand in the root of the checkout. */
    public static Path example(String name) {
        Path file = EXAMPLES.resolve(name);
        return Files.exists(file) ? file : Path.of("packaging/kubernetes/examples", name);
    }

    /** Lets the scheduler look again and again until the pods of the namespace {@code default} run on the node. */
    public void awaitBound(AgentProcess agent, String... pods) throws InterruptedException {
        var reasons = new AtomicReference<Map<String, String>>(Map.of());
        try {
            agent.await("pods to be bound", () -> {
                Map<String, String> pending = scheduler.pass();
                reasons.set(pending);
                return Optional.of(true)
                        .filter(bound ->
                                Arrays.stream(pods).noneMatch(pod -> pending.containsKey(World.NAMESPACE + "/" + pod)));
            });
        } catch (IllegalStateException pending) {
            throw new AssertionError("pods stay pending: " + reasons.get(), pending);
        }
    }

    /** Creates a ComputeDomain as users do, and says its UID. */
    public String create(String domain) {
        ObjectNode object = Fixtures.computeDomain(World.NAMESPACE, domain, "", domain + "-channel");
        object.withObject("/metadata").remove("finalizers");
        return world.api().create(object).at("/metadata/uid").asText();
    }

    /**
     * Puts a pod of a ComputeDomain onto a node, with its claim as the server takes it from a user and the scheduler
     * allocates it.
     *
     * @param domain the UID of the ComputeDomain
     * @param more opaque configurations that the claim has besides
     */
    public KubeletClaimRequest schedule(String node, String pod, String domain, JsonNode... more) {
        ObjectNode object = Fixtures.pod(World.NAMESPACE, pod, Fixtures.uid(7000 + scheduled++), node, pod);
        ObjectNode claim = Fixtures.allocatedClaim(World.NAMESPACE, pod, "", node, domain, object);
        ((ObjectNode) claim.at("/status/allocation/devices/results/0")).put("device", "channel");
        world.api().list(ResourceType.COMPUTE_DOMAINS).stream()
                .map(found -> found.path("metadata"))
                .filter(found -> found.path("uid").asText().equals(domain)
                        && found.path("namespace").asText().equals(World.NAMESPACE))
                .forEach(found -> claim.withObject("/metadata/annotations")
                        .set(DriverNames.DOMAIN_ANNOTATION, found.path("name")));
        for (JsonNode config : more) {
            claim.withArray("/spec/devices/config").addObject().set("opaque", config);
            claim.withArray("/status/allocation/devices/config")
                    .addObject()
                    .put("source", "FromClaim")
                    .set("opaque", config);
        }
        world.api().apply(object);
        String uid = world.api().create(claim).at("/metadata/uid").asText();
        world.api()
                .edit(
                        ResourceType.RESOURCE_CLAIMS,
                        World.NAMESPACE,
                        pod,
                        made -> made.set("status", claim.path("status")));
        return new KubeletClaimRequest(World.NAMESPACE, pod, uid);
    }

    /** Takes the finalizers off an object and deletes it, as a tenant with the role edit can with its own. */
    public void strip(ResourceType type, String namespace, String name) {
        world.api()
                .edit(
                        type,
                        namespace,
                        name,
                        object -> object.withObject("/metadata").remove("finalizers"));
        world.api().remove(type, namespace, name);
    }

    /** The claim of a pod with one. */
    public KubeletClaimRequest claim(String pod) {
        return claim(pod, 0);
    }

    /** A claim of a pod, by its place among them. */
    public KubeletClaimRequest claim(String pod, int place) {
        ObjectNode object =
                world.api().get(ResourceType.PODS, World.NAMESPACE, pod).orElseThrow();
        String name = SchedulerDouble.claims(object).get(place);
        return new KubeletClaimRequest(
                World.NAMESPACE, name, claimObject(name).at("/metadata/uid").asText());
    }

    /** What the scheduler gave to the pod's claim. */
    public JsonNode allocated(String pod) {
        return claimObject(claim(pod).name()).at("/status/allocation/devices/results/0");
    }

    /** The names of the devices that the scheduler gave to a claim, in their order. */
    public List<String> devices(KubeletClaimRequest claim) {
        return claimObject(claim.name())
                .at("/status/allocation/devices/results")
                .valueStream()
                .map(result -> result.path("device").asText())
                .toList();
    }

    private ObjectNode claimObject(String name) {
        return world.api()
                .get(ResourceType.RESOURCE_CLAIMS, World.NAMESPACE, name)
                .orElseThrow();
    }

    /** The channel of a ComputeDomain that has one. */
    public int channel(String domain) {
        String uid = domain(domain).at("/metadata/uid").asText();
        return entries().stream()
                .filter(entry -> entry.path("computeDomain").asText().equals(uid))
                .mapToInt(entry -> entry.path("id").asInt())
                .findFirst()
                .orElseThrow(() -> new AssertionError("no channel of " + domain + " in " + entries()));
    }

    /** A ComputeDomain. */
    public JsonNode domain(String name) {
        return world.api()
                .get(ResourceType.COMPUTE_DOMAINS, World.NAMESPACE, name)
                .orElseThrow();
    }

    /** Prepares the pod's claim, as the kubelet does until it works. */
    public ClaimResult.ClaimDevice awaitPrepared(AgentProcess agent, String pod) throws InterruptedException {
        return world.awaitPrepared(agent, claim(pod)).devices().getFirst();
    }

    /** The text of the claim's CDI spec. */
    public String spec(KubeletClaimRequest claim) throws IOException {
        return Files.readString(world.host().cdiFiles(claim.uid()).getFirst());
    }

    /** Ends the controller that is no process, so that nobody mends what a test bends. */
    public void stopController() {
        if (!stopped) {
            stopped = true;
            controller.ifPresent(Controller::close);
        }
    }

    @Override
    public void close() {
        stopController();
    }
}
