package io.imexagent.testkit.agent;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testkit.api.Fixtures;
import io.imexagent.testkit.kubelet.Claim;
import io.imexagent.testkit.kubelet.ClaimResult;
import io.imexagent.testkit.kubelet.KubeletEvent;
import io.imexagent.testkit.kubelet.Plugin;
import io.imexagent.testkit.process.AgentProcess;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
        world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .with("rdma.enabled", "true");
        long before = registrations();
        AgentProcess agent = world.start(world.launch());
        agent.awaitTrue("the kubelet to register " + DRIVER, () -> registrations() > before);
        return agent;
    }

    private long registrations() {
        return world.kubelet().events(KubeletEvent.Registered.class).stream()
                .filter(registered -> registered.driver().equals(DRIVER))
                .count();
    }

    /** Waits until the kubelet has registered the driver of rails. */
    public void awaitPlugin(AgentProcess agent) throws InterruptedException {
        agent.awaitTrue("the kubelet to register " + DRIVER, () -> plugin().isPresent());
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
    public Claim schedule(int number, String... devices) {
        var claim = new Claim(World.NAMESPACE, "rails-" + number, Fixtures.uid(5000 + number));
        ObjectNode pod = Fixtures.pod(
                World.NAMESPACE, "rails-pod-" + number, Fixtures.uid(6000 + number), World.NODE, claim.name());
        ObjectNode object =
                Fixtures.allocatedClaim(World.NAMESPACE, claim.name(), claim.uid(), World.NODE, Fixtures.uid(1), pod);
        ObjectNode allocated =
                (ObjectNode) object.path("status").path("allocation").path("devices");
        allocated.remove("config");
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
    public ClaimResult prepare(Claim claim) {
        return Objects.requireNonNull(
                plugin().orElseThrow().prepare(List.of(claim)).get(claim.uid()));
    }

    /** Asks the agent once to unprepare a claim. */
    public ClaimResult unprepare(Claim claim) {
        return Objects.requireNonNull(
                plugin().orElseThrow().unprepare(List.of(claim)).get(claim.uid()));
    }

    /** The CDI devices of a claim that is prepared. */
    public static List<String> cdiDevices(ClaimResult result) {
        return ((ClaimResult.Done) result)
                .devices().stream()
                        .flatMap(device -> device.cdiDeviceIds().stream())
                        .toList();
    }
}
