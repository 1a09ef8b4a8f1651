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
 * What a claim asks of this node's rails, read from its status alone. Environment variables hold for a whole container, so
 * all rails of a claim have one configuration.
 *
 * @param devices the allocated devices, at least one
 */
public record RailDemand(List<AllocatedDevice> devices, RailConfig config) {

    public RailDemand {
        devices = List.copyOf(devices);
    }

    /**
     * What the claim of this status asks for.
     *
     * @param pool the pool of the node's rails
     */
    public static Outcome<RailDemand> read(ClaimStatus status, String pool) {
        return DeviceConfigs.of(status, RailDriver.NAME, RailConfig::decode)
                .then(configs -> configs.devices().stream()
                        .flatMap(device -> misplaced(device, pool).stream())
                        .findFirst()
                        .map(Outcome::<RailDemand>refused)
                        .orElseGet(() -> demand(configs.devices(), configs)));
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

    private static Outcome<RailDemand> demand(List<AllocatedDevice> devices, DeviceConfigs<RailConfig> configs) {
        var found = new ArrayList<RailConfig>();
        for (AllocatedDevice device : devices) {
            Optional<DeviceConfigs.Entry<RailConfig>> strongest = configs.strongest(device);
            RailConfig config = strongest.map(DeviceConfigs.Entry::value).orElse(RailConfig.STANDARD);
            boolean byAdministrator = strongest
                    .filter(entry -> entry.config().source() == DeviceConfig.Source.FROM_CLASS)
                    .isPresent();
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
                        "requests " + Quoted.of(devices.getFirst().request()) + " and " + Quoted.of(device.request())
                                + " have different RdmaRailConfigs, and a container has one environment; give all"
                                + " requests of the claim the same, or make a claim for each container that needs its"
                                + " own");
            }
        }
        return Outcome.accepted(new RailDemand(devices, found.getFirst()));
    }
}
