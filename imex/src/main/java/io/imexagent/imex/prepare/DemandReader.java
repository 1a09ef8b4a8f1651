package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DeviceConfigs;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what a claim asks of this node out of its status: decodes the configuration, matches it with the allocated
 * device, and checks both. Pure.
 *
 * @param policy how this node serves
 */
public record DemandReader(ServingPolicy policy) {

    private static final Set<String> SINGLE = Set.of("", "Single");

    /** What the claim of this status asks for. */
    public Outcome<Demand> read(ClaimStatus status) {
        return status.allocation()
                .map(this::read)
                .orElseGet(() -> Outcome.refused(
                        RefusalCode.NOT_ALLOCATED,
                        "the claim is not allocated; the scheduler allocates it when its pod is scheduled"));
    }

    private Outcome<Demand> read(Allocation allocation) {
        return DeviceConfigs.of(allocation, DriverNames.DRIVER, ComputeDomainConfig::decode)
                .then(configs -> {
                    List<AllocatedDevice> devices = allocation.resultsOf(DriverNames.DRIVER);
                    return devices.size() == 1 ? match(devices.getFirst(), configs) : wrongCount(devices.size());
                });
    }

    private Outcome<Demand> wrongCount(int devices) {
        return devices == 0
                ? Outcome.refused(
                        RefusalCode.NO_DEVICE,
                        "no device of " + DriverNames.DRIVER + " is allocated to the claim, so there is nothing to"
                                + " prepare")
                : Outcome.refused(
                        RefusalCode.SEVERAL_DEVICES,
                        devices + " devices of " + DriverNames.DRIVER + " are allocated to the claim; ask for exactly"
                                + " one channel in one claim");
    }

    private Outcome<Demand> match(AllocatedDevice device, DeviceConfigs<ComputeDomainConfig> configs) {
        Optional<ComputeDomainConfig> config = configs.strongest(device).map(DeviceConfigs.Entry::value);
        if (config.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CONFIG_MISSING,
                    "request " + Quoted.of(device.request()) + " has no ComputeDomainChannelConfig; use the"
                            + " ResourceClaimTemplate that its ComputeDomain generated");
        }
        if (config.get().isChannel() != policy.isChannel(device.device())) {
            return mismatch(device, config.get());
        }
        return config.get().isChannel() ? check(device, config.get()) : daemonDisabled(device);
    }

    private Outcome<Demand> check(AllocatedDevice device, ComputeDomainConfig config) {
        if (!SINGLE.contains(config.allocationMode())) {
            return Outcome.refused(
                    RefusalCode.ALLOCATION_MODE,
                    "allocationMode " + Quoted.of(config.allocationMode()) + " of request "
                            + Quoted.of(device.request())
                            + " is not supported with host-managed IMEX; set it to \"Single\" in the ComputeDomain");
        }
        if (!device.pool().equals(policy.poolName())) {
            return Outcome.refused(
                    RefusalCode.FOREIGN_POOL,
                    "device " + device.device() + " is allocated from pool " + Quoted.of(device.pool())
                            + ", which is not this node's pool " + Quoted.of(policy.poolName())
                            + "; delete the pod, so that it is scheduled again");
        }
        if (!policy.serves(device.device())) {
            return Outcome.refused(
                    RefusalCode.DEVICE_NOT_PUBLISHED,
                    "device " + device.device() + " is not published by this node under isolation "
                            + policy.isolation().text() + "; delete the pod, so that it is scheduled again");
        }
        boolean owned = policy.isolation() == Isolation.IMEX_CHANNEL;
        if (owned && !config.domain().isUuid()) {
            return Outcome.refused(
                    RefusalCode.CONFIG_INVALID,
                    "domainID " + Quoted.of(config.domain().value()) + " of request " + Quoted.of(device.request())
                            + " is no UID; use the ResourceClaimTemplate that the ComputeDomain generated");
        }
        return Outcome.accepted(new Demand(device, config.domain(), owned));
    }

    private static Outcome<Demand> mismatch(AllocatedDevice device, ComputeDomainConfig config) {
        return Outcome.refused(
                RefusalCode.CONFIG_MISMATCH,
                "request " + Quoted.of(device.request()) + " was given device " + Quoted.of(device.device())
                        + ", which a " + config.kind() + " is not for; use the device class that fits it");
    }

    private static Outcome<Demand> daemonDisabled(AllocatedDevice device) {
        return Outcome.refused(
                RefusalCode.DAEMON_DISABLED,
                "request " + Quoted.of(device.request()) + " is a daemon claim, and daemon claims are disabled under"
                        + " HostManagedIMEX: the host runs nvidia-imex; delete the stale claim");
    }
}
