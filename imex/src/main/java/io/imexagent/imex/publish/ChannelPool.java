package io.imexagent.imex.publish;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device;
import io.imexagent.imex.prepare.ServingPolicy;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the node wants to publish of its IMEX channels: (inventory, policy) → pool. Pure. */
public final class ChannelPool {

    private ChannelPool() {}

    /** What the node wants to publish under this policy. */
    public static DesiredPool desired(NodeInventory inventory, ServingPolicy policy) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.NotRegistered none ->
                new DesiredPool.Withdraw(new Finding(
                        "nothing-published-no-major",
                        Finding.Severity.ERROR,
                        "no device is published: the kernel has no device major for IMEX channels",
                        "load the NVIDIA driver with NVreg_ImexChannelCount above 0; publication follows without a"
                                + " restart"));
            case ChannelMajor.Unknown unknown ->
                new DesiredPool.Keep(new Finding(
                        "publication-unknown-major",
                        Finding.Severity.WARNING,
                        "publication stays as it is: the device major of IMEX channels is unknown (" + unknown.detail()
                                + ")",
                        "see the finding on /proc/devices"));
            case ChannelMajor.Registered registered -> withMajor(inventory, policy);
        };
    }

    /**
     * The same with taints.
     *
     * @param taints the taints of all devices; empty where there are never any, so that nothing makes room for them
     */
    public static DesiredPool desired(
            NodeInventory inventory, ServingPolicy policy, Optional<List<Device.Taint>> taints) {
        DesiredPool untainted = desired(inventory, policy);
        return taints.<DesiredPool>map(present -> switch (untainted) {
                    case DesiredPool.Publish publish -> publish.tainted(present);
                    case DesiredPool.Withdraw withdraw -> withdraw;
                    case DesiredPool.Keep keep -> keep;
                })
                .orElse(untainted);
    }

    /** The channels that the node hands out under the policy, in the order of their numbers. */
    public static List<Device> channels(NodeInventory inventory, ServingPolicy policy) {
        boolean shared = switch (policy.sharing()) {
            case NONE -> false;
            case DOMAIN -> true;
        };
        return policy.channels(inventory.channelCount()).stream()
                .map(channel -> Device.channel(channel).shared(shared))
                .toList();
    }

    private static DesiredPool withMajor(NodeInventory inventory, ServingPolicy policy) {
        List<Device> channels = channels(inventory, policy);
        if (channels.isEmpty()) {
            return new DesiredPool.Withdraw(new Finding(
                    "nothing-published-no-channels",
                    Finding.Severity.ERROR,
                    "no device is published: the driver offers no IMEX channel above 0, which isolation "
                            + policy.isolation().text() + " hands out",
                    "load the NVIDIA driver with a larger NVreg_ImexChannelCount, 2048 by default; publication follows"
                            + " without a restart"));
        }
        var publish = new DesiredPool.Publish(policy.poolName(), channels);
        if (!policy.withholdWithoutClique()) {
            return publish;
        }
        return switch (inventory.clique()) {
            case CliqueState.Present present -> publish;
            case CliqueState.Unknown unknown ->
                new DesiredPool.Keep(new Finding(
                        "publication-unknown-clique",
                        Finding.Severity.WARNING,
                        "publication stays as it is: the NVLink clique is unknown (" + unknown.detail() + ")",
                        "see the finding on NVML"));
            case CliqueState.None none ->
                withheld("the node has no NVLink clique (" + none.reason() + ")", "mend the fabric");
            case CliqueState.Registering registering ->
                withheld(
                        "a GPU has not finished its registration with the NVLink fabric (" + registering.detail() + ")",
                        "wait; where it takes more than minutes, look at the fabric manager of the rack");
            case CliqueState.Failed failed ->
                withheld(
                        "a GPU could not register with the NVLink fabric (" + failed.detail() + ")",
                        "look at the fabric manager of the rack and at the GPU");
            case CliqueState.Conflicting conflicting ->
                withheld(
                        "the node's GPUs report different NVLink cliques ("
                                + conflicting.ids().stream().map(CliqueId::text).collect(Collectors.joining(", "))
                                + ")",
                        "mend the fabric");
        };
    }

    private static DesiredPool withheld(String why, String remedy) {
        return new DesiredPool.Withdraw(new Finding(
                "nothing-published-no-clique",
                Finding.Severity.WARNING,
                "no device is published: " + why + ", and the configuration withholds devices without a clique",
                remedy + ", or set publication.withoutClique to true; publication follows without a restart"));
    }
}
