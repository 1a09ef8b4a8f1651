package io.imexagent.e2e.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.grpc.StatusRuntimeException;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.kubelet.Plugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/** What tests do with the driver of RDMA rails of a world. */
public final class Rails {

    /** The driver. */
    public static final String DRIVER = "rdma.imexagent.io";

    private final World world;

    /** The rails of this world. */
    public Rails(World world) {
        this.world = world;
    }

    /** Starts an agent that serves rails and no channels, and waits until the kubelet has registered it. */
    public AgentProcess startAlone() throws Exception {
        configureAlone();
        long before = registrations();
        AgentProcess agent = world.start(world.launch());
        agent.awaitTrue("the kubelet to register " + DRIVER, () -> registrations() > before);
        return agent;
    }

    /** Lets the next agent serve rails and no channels. */
    public void configureAlone() {
        world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .with("rdma.enabled", "true");
    }

    private long registrations() {
        return world.kubelet().events(KubeletEvent.PluginRegistered.class).stream()
                .filter(registered -> registered.driver().equals(DRIVER))
                .count();
    }

    /** Waits until the kubelet has registered the driver of rails. */
    public void awaitPlugin(AgentProcess agent) throws InterruptedException {
        agent.awaitTrue("the kubelet to register " + DRIVER, () -> plugin().isPresent());
    }

    private Plugin registered() {
        return plugin().orElseThrow(() -> new IllegalStateException("the kubelet knows no plugin of " + DRIVER));
    }

    private Optional<Plugin> plugin() {
        return world.kubelet().plugins().reversed().stream()
                .filter(plugin -> plugin.registration().driver().equals(DRIVER))
                .findFirst();
    }

    /** The names of the devices that are published, in their order. */
    public List<String> published() {
        return slices().stream()
                .flatMap(slice ->
                        StreamSupport.stream(slice.path("spec").path("devices").spliterator(), false))
                .map(device -> device.path("name").asText())
                .toList();
    }

    /** The slices of the driver. */
    public List<ObjectNode> slices() {
        return world.slices().stream()
                .filter(slice -> slice.path("spec").path("driver").asText().equals(DRIVER))
                .toList();
    }

    /** Schedules a pod with a claim to which these rails are allocated. */
    public KubeletClaimRequest schedule(int number, String... devices) {
        return schedule(number, Map.of(), devices);
    }

    /** As above; fields make an RdmaRailConfig. */
    public KubeletClaimRequest schedule(int number, Map<String, String> fields, String... devices) {
        var claim = new KubeletClaimRequest(World.NAMESPACE, "rails-" + number, Fixtures.uid(5000 + number));
        ObjectNode pod = Fixtures.pod(
                World.NAMESPACE, "rails-pod-" + number, Fixtures.uid(6000 + number), World.NODE, claim.name());
        ObjectNode object =
                Fixtures.allocatedClaim(World.NAMESPACE, claim.name(), claim.uid(), World.NODE, Fixtures.uid(1), pod);
        ObjectNode allocated =
                (ObjectNode) object.path("status").path("allocation").path("devices");
        allocated.remove("config");
        if (!fields.isEmpty()) {
            ObjectNode parameters = allocated
                    .putArray("config")
                    .addObject()
                    .put("source", "FromClaim")
                    .putObject("opaque")
                    .put("driver", DRIVER)
                    .putObject("parameters")
                    .put("apiVersion", DRIVER + "/v1alpha1")
                    .put("kind", "RdmaRailConfig");
            fields.forEach(parameters::put);
        }
        ArrayNode results = allocated.putArray("results");
        Arrays.stream(devices)
                .forEach(device -> results.addObject()
                        .put("request", "channel")
                        .put("driver", DRIVER)
                        .put("pool", World.NODE)
                        .put("device", device));
        world.api().apply(pod);
        world.api().apply(object);
        return claim;
    }

    /** Asks the agent once to prepare a claim. */
    public ClaimResult prepare(KubeletClaimRequest claim) {
        return Objects.requireNonNull(registered().prepare(List.of(claim)).get(claim.uid()));
    }

    /** Asks the agent once to unprepare a claim. */
    public ClaimResult unprepare(KubeletClaimRequest claim) {
        return Objects.requireNonNull(registered().unprepare(List.of(claim)).get(claim.uid()));
    }

    /** Asks until the claim is prepared, as the kubelet does with each sync of the pod. */
    public ClaimResult.ClaimDone awaitPrepared(AgentProcess agent, KubeletClaimRequest claim)
            throws InterruptedException {
        return agent.await("claim " + claim + " to be prepared", () -> done(() -> prepare(claim)));
    }

    /** Asks until the claim is unprepared. */
    public void awaitUnprepared(AgentProcess agent, KubeletClaimRequest claim) throws InterruptedException {
        agent.await("claim " + claim + " to be unprepared", () -> done(() -> unprepare(claim)));
    }

    private static Optional<ClaimResult.ClaimDone> done(Supplier<ClaimResult> call) {
        try {
            return call.get() instanceof ClaimResult.ClaimDone done ? Optional.of(done) : Optional.empty();
        } catch (StatusRuntimeException notThereYet) {
            return Optional.empty();
        }
    }

    /** Removes the pod of {@link #schedule} and its claim from the API server. */
    public void forget(int number) {
        world.api().remove(ResourceType.PODS, World.NAMESPACE, "rails-pod-" + number);
        world.api().remove(ResourceType.RESOURCE_CLAIMS, World.NAMESPACE, "rails-" + number);
    }

    /** The text of the record of prepared rails; empty where there is none. */
    public String state() throws IOException {
        Path file = directory().resolve("rails.state");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    /** The folder of the plugin. */
    public Path directory() {
        return world.host().kubeletRoot().resolve("plugins").resolve(DRIVER);
    }

    /** The CDI spec of a claim, there or not. */
    public Path spec(KubeletClaimRequest claim) {
        return world.host().cdiDirectory().resolve("k8s.rdma.imexagent.io-claim_" + claim.uid() + ".yaml");
    }

    /** What the containers of a claim are told by a file. */
    public Path variables(KubeletClaimRequest claim) {
        return Path.of(spec(claim).toString().replace(".yaml", ".conf"));
    }

    /** The CDI devices of a claim that is prepared. */
    public static List<String> cdiDevices(ClaimResult result) {
        return ((ClaimResult.ClaimDone) result)
                .devices().stream()
                        .flatMap(device -> device.cdiDeviceIds().stream())
                        .toList();
    }
}
