package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DeviceConfigs;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads from a claim's status what the claim requests of a node with this policy: decodes the configuration, matches it
 * with the allocated device, and checks both. Pure.
 */
public record DemandReader(ServingPolicy policy) {

    private static final Set<String> SINGLE = Set.of("", "Single");

    /** Reads the request of a claim with this status. */
    public Outcome<Demand> read(ClaimStatus status) {
        return DeviceConfigs.of(status, DriverNames.DRIVER, ComputeDomainConfig::decode)
                .then(configs -> configs.devices().size() == 1
                        ? match(configs.devices().getFirst(), configs)
                        : Outcome.refused(
                                RefusalCode.SEVERAL_DEVICES,
                                configs.devices().size() + " devices of " + DriverNames.DRIVER
                                        + " are allocated to the claim; ask for exactly one channel in one claim"));
    }

    private Outcome<Demand> match(AllocatedDevice device, DeviceConfigs<ComputeDomainConfig> configs) {
        Optional<ComputeDomainConfig> config = configs.strongest(device).map(DeviceConfigs.RequestConfig::value);
        if (config.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CONFIG_MISSING,
                    "request " + Quoted.of(device.request()) + " has no ComputeDomainChannelConfig; use the"
                            + " ResourceClaimTemplate that its ComputeDomain generated");
        }
        if (!config.get().isChannel()) {
            return daemonDisabled(device);
        }
        return policy.isChannel(device.device()) ? check(device, config.get()) : mismatch(device, config.get());
    }

    private Outcome<Demand> check(AllocatedDevice device, ComputeDomainConfig config) {
        if (!SINGLE.contains(config.allocationMode())) {
            return Outcome.refused(
                    RefusalCode.ALLOCATION_MODE,
                    "allocationMode " + Quoted.of(config.allocationMode()) + " of request "
                            + Quoted.of(device.request())
                            + " is not supported with host-managed IMEX; set it to \"Single\" where it stands: in the"
                            + " ComputeDomain, or in a template that was written by hand");
        }
        Optional<Refusal> foreign = DeviceConfigs.foreign(device, policy.poolName());
        if (foreign.isPresent()) {
            return Outcome.refused(foreign.get());
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
                "request " + Quoted.of(device.request())
                        + " has a ComputeDomainDaemonConfig, and daemon claims are disabled under HostManagedIMEX:"
                        + " the host runs nvidia-imex; delete the claim, or ask for a channel with the"
                        + " ResourceClaimTemplate that its ComputeDomain generated");
    }

    /**
     * A decoded opaque configuration of the driver {@code compute-domain.nvidia.com}: its kind is that of a claim for a
     * channel, or of a claim for a driver-managed IMEX daemon. The allocation mode is the user's, unchecked: {@code
     * ""}, {@code Single}, {@code All} or any other text; empty for a daemon.
     */
    public record ComputeDomainConfig(String kind, ComputeDomainUid domain, String allocationMode) {

        static final String CHANNEL = "ComputeDomainChannelConfig";

        static final String DAEMON = "ComputeDomainDaemonConfig";

        boolean isChannel() {
            return kind.equals(CHANNEL);
        }

        /** Decodes the parameters of a claim strictly, as {@link OpaqueFields} does; an error names its field. */
        static ComputeDomainConfig decode(JsonText parameters) throws OpaqueFields.FieldException {
            List<String> names = List.of("apiVersion", "kind", "domainID", "allocationMode");
            OpaqueFields fields = OpaqueFields.read(parameters, names);
            for (String field : names) {
                // A field of the wrong type is reported before a missing one.
                var _ = fields.text(field);
            }
            fields.demand("apiVersion", DriverNames.API_VERSION);
            String kind = fields.required("kind");
            if (!kind.equals(CHANNEL) && !kind.equals(DAEMON)) {
                throw new OpaqueFields.FieldException(
                        "field \"kind\" must be " + CHANNEL + " or " + DAEMON + ", not " + Quoted.of(kind));
            }
            if (kind.equals(DAEMON) && fields.has("allocationMode")) {
                throw new OpaqueFields.FieldException("unknown field \"allocationMode\" in a " + DAEMON);
            }
            return new ComputeDomainConfig(
                    kind, new ComputeDomainUid(fields.required("domainID")), fields.text("allocationMode"));
        }
    }

    /**
     * The request of a claim to this node, read from its status alone: {@code owned} for a channel that belongs to its
     * ComputeDomain alone, otherwise channel 0, which all workloads share.
     */
    public record Demand(AllocatedDevice device, ComputeDomainUid domain, boolean owned) {}
}
