package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The pool of IMEX channels that the node should publish: (inventory, policy) → pool. Pure. */
public final class ChannelPool {

    private ChannelPool() {}

    public static DesiredPool desired(NodeInventory inventory, ServingPolicy policy) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.UnregisteredMajor _ ->
                new DesiredPool.Withdraw(Finding.critical(
                        "nothing-published-no-major",
                        "no device is published: the kernel has no device major for IMEX channels",
                        "load the NVIDIA driver with NVreg_ImexChannelCount above 0; publication follows without a"
                                + " restart"));
            case ChannelMajor.UnknownMajor unknown ->
                new DesiredPool.Keep(Finding.warning(
                        "publication-unknown-major",
                        "publication stays as it is: the device major of IMEX channels is unknown (" + unknown.detail()
                                + ")",
                        "see the finding on /proc/devices"));
            case ChannelMajor.RegisteredMajor _ -> withMajor(inventory, policy);
        };
    }

    /** The pool with these taints on all devices; {@code taints} is empty if there are never any, to save room. */
    public static DesiredPool desired(
            NodeInventory inventory, ServingPolicy policy, Optional<List<Device.DeviceTaint>> taints) {
        DesiredPool untainted = desired(inventory, policy);
        return untainted instanceof DesiredPool.Publish publish && taints.isPresent()
                ? publish.tainted(taints.get())
                : untainted;
    }

    /** The device of a policy that serves one, and the numbered devices that replace it on an older cluster. */
    private static DesiredPool.Publish devices(NodeInventory inventory, ServingPolicy policy) {
        Device device = switch (policy.isolation()) {
            case IMEX_CHANNEL -> chosenLater().shared(true);
            case NONE, IMEX_DOMAIN -> Device.channel(new ChannelId(0)).shared(policy.sharing() == Sharing.DOMAIN);
        };
        if (inventory.clique() instanceof CliqueState.KnownClique(CliqueId clique)) {
            device = device.with("clique", new Device.DeviceAttribute.StringAttribute(clique.text()));
        }
        SortedMap<String, Device.DeviceAttribute> attributes = device.attributes();
        List<Device> places = policy.placeNames().stream()
                .map(name -> new Device(name, attributes))
                .toList();
        // The largest slice that the server accepts: devices without taints need no room for any.
        return new DesiredPool.Publish(policy.poolName(), List.of(device), Device.MOST_PER_SLICE, places);
    }

    /**
     * The device for a channel that is chosen at prepare. It always has an ID, since a class that selects by ID would
     * otherwise stop scheduling for the whole cluster. No class selects -1.
     */
    private static Device chosenLater() {
        return new Device(
                ServingPolicy.CHANNEL,
                new TreeMap<>(Map.of(
                        "type",
                        new Device.DeviceAttribute.StringAttribute("channel"),
                        "id",
                        new Device.DeviceAttribute.IntAttribute(-1))));
    }

    private static DesiredPool withMajor(NodeInventory inventory, ServingPolicy policy) {
        boolean few = policy.isolation() == Isolation.IMEX_CHANNEL
                && inventory.channelCount().orElse(2) < 2;
        if (few || policy.device().isEmpty()) {
            return new DesiredPool.Withdraw(Finding.critical(
                    "nothing-published-no-channels",
                    "no device is published: isolation " + policy.isolation().text()
                            + " hands out channels above 0, and the driver offers none",
                    "load the NVIDIA driver with a larger NVreg_ImexChannelCount, 2048 by default; publication follows"
                            + " without a restart"));
        }
        DesiredPool.Publish publish = devices(inventory, policy);
        if (!policy.withholdWithoutClique()) {
            return publish;
        }
        return switch (inventory.clique()) {
            case CliqueState.KnownClique _ -> publish;
            case CliqueState.UnknownClique(String detail) ->
                new DesiredPool.Keep(Finding.warning(
                        "publication-unknown-clique",
                        "publication stays as it is: the NVLink clique is unknown (" + detail + ")",
                        "see the finding on NVML"));
            case CliqueState.NoClique(String reason) ->
                withheld(
                        "the node has no NVLink clique (" + reason + ")",
                        "look at the fabric manager; outside of NVLink racks there is nothing to do");
            case CliqueState.RegisteringClique(String detail) ->
                withheld(
                        "a GPU has not finished its registration with the NVLink fabric (" + detail + ")",
                        "wait; where it takes more than minutes, look at the fabric manager of the rack");
            case CliqueState.FailedClique(String detail) ->
                withheld(
                        "a GPU could not register with the NVLink fabric (" + detail + ")",
                        "look at the fabric manager of the rack and at the GPU");
            case CliqueState.ConflictingClique(var ids) ->
                withheld(
                        "the node's GPUs report different NVLink cliques ("
                                + ids.stream().map(CliqueId::text).collect(Collectors.joining(", ")) + ")",
                        "look at the fabric manager; outside of NVLink racks there is nothing to do");
        };
    }

    private static DesiredPool withheld(String why, String remedy) {
        return new DesiredPool.Withdraw(Finding.warning(
                "nothing-published-no-clique",
                "no device is published: " + why + ", and the configuration withholds devices without a clique",
                remedy + ", or set publication.withoutClique to true; publication follows without a restart"));
    }
}
