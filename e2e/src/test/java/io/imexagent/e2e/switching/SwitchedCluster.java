package io.imexagent.e2e.switching;

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
import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.controller.BoundRules;
import io.imexagent.e2e.controller.StoredPolicies;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.http.HttpControlPlane;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** A cluster around a world's node that goes from one mode to the other, and enforces the policies that are stored. */
final class SwitchedCluster implements AutoCloseable {

    static final String DEFAULT_CLASS = "compute-domain-default-channel.nvidia.com";
    static final String DAEMON_CLASS = "compute-domain-daemon.nvidia.com";
    private static final String USER = ManifestOptions.CONTROLLER_USER;
    private static final String TOKEN = "our-controller";

    final ApiDouble api;
    final World world;
    private final Isolation isolation;
    private Optional<Controller> controller = Optional.empty();

    SwitchedCluster(World world, Isolation isolation) {
        this.world = world;
        this.api = world.api();
        this.isolation = isolation;
        world.with("imex.isolation", isolation.text());
        world.with("publication.cliqueLabel", "true");
        api.remove(
                ResourceType.DEVICE_CLASSES,
                "",
                Fixtures.deviceClass().at("/metadata/name").asText());
        api.acceptToken(TOKEN, new UserIdentity(USER, Set.of()));
        api.admit(new StoredPolicies(api));
    }

    /** What {@code imex-agent manifests} prints, applied. */
    void applyOurs(boolean admission) throws IOException {
        String yaml = Manifests.of(new ManifestOptions(
                true, isolation, admission, ManifestOptions.NAMESPACE, USER, false, false, false, false));
        new ObjectMapper(new YAMLFactory())
                .readerFor(JsonNode.class)
                .<JsonNode>readValues(yaml)
                .forEachRemaining(api::apply);
        var rules = new BoundRules(yaml);
        rules.of(USER).forEach(api::grant);
        rules.reviews(USER).forEach(plural -> api.grantReview(USER, plural));
    }

    /** The device classes of the public driver's chart. */
    void applyTheirs() {
        for (String name : List.of(DEFAULT_CLASS, DAEMON_CLASS)) {
            ObjectNode deviceClass = Fixtures.deviceClass();
            deviceClass.withObject("/metadata").put("name", name);
            api.apply(deviceClass);
        }
    }

    /** Starts our controller, with the rights of the manifests. */
    void startController() throws IOException {
        Path kubeconfig =
                api.writeKubeconfig(world.directory().resolve("controller.conf"), new Login.TokenLogin(TOKEN));
        var started = new Controller(
                new HttpControlPlane(
                        ClusterAccess.of(List.of(kubeconfig)),
                        "imex-controller/test",
                        "controller",
                        ManifestOptions.NAMESPACE,
                        5000,
                        Clock.systemUTC(),
                        () -> 0.5,
                        ApiObserver.NONE),
                new ControllerPolicy(isolation, 64, Duration.ofMinutes(10), PlacementMode.OFF, Optional.empty()),
                "controller",
                Clock.systemUTC(),
                System::nanoTime,
                () -> 0.5,
                new ControllerObserver() {});
        controller = Optional.of(started);
        started.start();
    }

    void stopController() {
        controller.ifPresent(Controller::close);
        controller = Optional.empty();
    }

    /** A ComputeDomain as users make one, by its UID. */
    String create(String name) {
        ObjectNode domain = Fixtures.computeDomain(World.NAMESPACE, name, "", name + "-channel");
        domain.withObject("/metadata").remove("finalizers");
        return api.create(domain).at("/metadata/uid").asText();
    }

    /** A pod on the node with a claim of a ComputeDomain. */
    ClaimedPod schedule(String domainUid) {
        ClaimedPod pod = world.schedule(1, domainUid);
        if (isolation == Isolation.IMEX_CHANNEL) {
            api.edit(
                    ResourceType.RESOURCE_CLAIMS,
                    World.NAMESPACE,
                    pod.claim().name(),
                    claim -> ((ObjectNode) claim.at("/status/allocation/devices/results/0")).put("device", "channel"));
        }
        return pod;
    }

    JsonNode domain(String name) {
        return api.get(ResourceType.COMPUTE_DOMAINS, World.NAMESPACE, name).orElseThrow();
    }

    boolean ready(String name) {
        return domain(name).at("/status/status").asText().equals("Ready");
    }

    /** Waits until something holds, with or without an agent; {@link AssertionError} with the agents' logs where it does not. */
    void await(String what, BooleanSupplier holds) throws InterruptedException {
        long end = System.nanoTime() + AgentProcess.LONG.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("waited in vain: " + what + "\n" + world.log());
            }
            Thread.sleep(10);
        }
    }

    /** The labels of the node. */
    JsonNode labels() {
        return api.get(ResourceType.NODES, "", World.NODE).orElseThrow().at("/metadata/labels");
    }

    /** The names of all objects of a kind. */
    List<String> names(ResourceType type) {
        return api.list(type).stream()
                .map(object -> object.at("/metadata/name").asText())
                .toList();
    }

    @Override
    public void close() {
        stopController();
    }
}
