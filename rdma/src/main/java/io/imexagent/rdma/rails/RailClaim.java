package io.imexagent.rdma.rails;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DeviceConfigs;
import io.imexagent.rdma.selection.Rail;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The demand of a claim for this node's rails. Environment variables apply to a whole container, so all rails of a
 * claim share one configuration.
 *
 * @param devices the allocated devices, at least one
 * @param pod why its pod cannot have a network interface; empty where it can, or where none is to move
 */
public record RailClaim(List<AllocatedDevice> devices, RailConfig config, Optional<Refusal> pod) {

    public RailClaim {
        devices = List.copyOf(devices);
    }

    /** Reads the demand of a claim with this status for rails of this pool, without regard to its pod. */
    static Outcome<RailClaim> read(ClaimStatus status, String pool) {
        return DeviceConfigs.of(status, RailDriver.NAME, RailConfig::decode)
                .then(configs -> configs.devices().stream()
                        .flatMap(device -> misplaced(device, pool).stream())
                        .findFirst()
                        .map(Outcome::<RailClaim>refused)
                        .orElseGet(() -> configured(configs)));
    }

    private static Optional<Refusal> misplaced(AllocatedDevice device, String pool) {
        return DeviceConfigs.foreign(device, pool)
                .or(() -> Rail.address(device.device()).isPresent()
                        ? Optional.empty()
                        : Optional.of(new Refusal(
                                RefusalCode.DEVICE_NOT_PUBLISHED,
                                "device " + Quoted.of(device.device())
                                        + " is not one that this driver publishes; delete the pod, so that it is"
                                        + " scheduled again")));
    }

    private static Outcome<RailClaim> configured(DeviceConfigs<RailConfig> configs) {
        Optional<RailConfig.EnvironmentMode> requested = configs.devices().stream()
                .flatMap(device -> configs.strongest(device).stream())
                .flatMap(entry -> entry.value().env().stream())
                .findFirst();
        var found = new ArrayList<RailConfig>();
        for (AllocatedDevice device : configs.devices()) {
            Optional<DeviceConfigs.RequestConfig<RailConfig>> strongest = configs.strongest(device);
            RailConfig config = strongest
                    .map(DeviceConfigs.RequestConfig::value)
                    .orElse(RailConfig.STANDARD)
                    .orElse(requested);
            boolean byAdministrator =
                    strongest.stream().anyMatch(entry -> entry.config().source() == DeviceConfig.Source.FROM_CLASS);
            if (config.wantsManagement() && !byAdministrator) {
                return Outcome.refused(
                        RefusalCode.MANAGEMENT_NODES,
                        "the claim asks for umad or issm nodes, which reach the whole fabric; an administrator grants"
                                + " them by the configuration of a DeviceClass, take them out of the claim");
            }
            found.add(config);
            if (!config.equals(found.getFirst())) {
                return Outcome.refused(
                        RefusalCode.CONFIG_MISMATCH,
                        "requests " + Quoted.of(configs.devices().getFirst().request()) + " and "
                                + Quoted.of(device.request())
                                + " have different RdmaRailConfigs, and a container has one environment; give all"
                                + " requests of the claim the same, or make a claim for each container that needs its"
                                + " own");
            }
        }
        return Outcome.accepted(new RailClaim(configs.devices(), found.getFirst(), Optional.empty()));
    }

    /** This demand with a refusal for its pod, which cannot have an interface; empty if it can. */
    RailClaim withPod(Optional<Refusal> other) {
        return new RailClaim(devices, config, other);
    }

    /** Why this pod cannot have an interface; of several containers that use the claim, only the first would get it. */
    static Optional<Refusal> refused(String pod, boolean hostNetwork, int containers) {
        if (hostNetwork) {
            return refused("pod " + pod + " has hostNetwork, where the interface is already; take mode Verbs, or"
                    + " hostNetwork out of the pod");
        }
        return containers > 1
                ? refused(
                        containers + " containers of pod " + pod + " use the claim, and the interface moves once; name"
                                + " the claim in one container, or take mode Verbs")
                : Optional.empty();
    }

    /** The refusal of a claim that does not belong to exactly one pod. */
    static Optional<Refusal> notOfOnePod(String reason) {
        return refused(reason + ", and an interface is in one place; make a claim for each pod by a"
                + " ResourceClaimTemplate");
    }

    private static Optional<Refusal> refused(String clause) {
        return Optional.of(new Refusal(RefusalCode.NETDEV_POD, "mode Netdev: " + clause));
    }
}
