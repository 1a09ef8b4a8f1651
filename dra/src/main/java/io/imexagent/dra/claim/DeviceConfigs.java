package io.imexagent.dra.claim;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The devices of one driver in an allocation, at least one, and the opaque configurations for it, decoded. Pure. */
public record DeviceConfigs<C>(List<AllocatedDevice> devices, List<RequestConfig<C>> entries) {

    public DeviceConfigs {
        devices = List.copyOf(devices);
        entries = List.copyOf(entries);
    }

    public record RequestConfig<C>(DeviceConfig config, C value) {}

    /** Decodes the parameters of one configuration. Pure. */
    @FunctionalInterface
    public interface ConfigDecoder<C> {

        /** Decodes the parameters; throws if the driver does not support them. */
        C decode(JsonText parameters) throws OpaqueFields.FieldException;
    }

    /** Reads this driver's devices and configuration from a claim's status, with a decoder for the parameters. */
    public static <C> Outcome<DeviceConfigs<C>> of(ClaimStatus status, String driver, ConfigDecoder<C> decoder) {
        if (status.allocation().isEmpty()) {
            return Outcome.refused(
                    RefusalCode.NOT_ALLOCATED,
                    "the claim is not allocated; the scheduler allocates it when its pod is scheduled");
        }
        Allocation allocation = status.allocation().get();
        var entries = new ArrayList<RequestConfig<C>>();
        for (int i = 0; i < allocation.config().size(); i++) {
            DeviceConfig config = allocation.config().get(i);
            if (config.opaque().isEmpty()) {
                return refused("config[" + i + "] of the allocation has no \"opaque\" part: this cluster's API is newer"
                        + " than the agent; upgrade imex-agent");
            }
            DeviceConfig.Opaque opaque = config.opaque().get();
            if (opaque.driver().equals(driver)) {
                try {
                    entries.add(new RequestConfig<>(config, decoder.decode(opaque.parameters())));
                } catch (OpaqueFields.FieldException fault) {
                    return refused("config[" + i + "].opaque.parameters of the allocation: " + fault.reason()
                            + "; correct the configuration of the claim or its template");
                }
            }
        }
        List<AllocatedDevice> devices = allocation.resultsOf(driver);
        return devices.isEmpty()
                ? Outcome.refused(
                        RefusalCode.NO_DEVICE,
                        "no device of " + driver + " is allocated to the claim, so there is nothing to prepare")
                : Outcome.accepted(new DeviceConfigs<>(devices, entries));
    }

    /** The refusal of a device whose pool is not this node's; empty for devices of this node. */
    public static Optional<Refusal> foreign(AllocatedDevice device, String pool) {
        return device.pool().equals(pool)
                ? Optional.empty()
                : Optional.of(new Refusal(
                        RefusalCode.FOREIGN_POOL,
                        "device " + Quoted.of(device.device()) + " is allocated from pool " + Quoted.of(device.pool())
                                + ", which is not this node's pool " + Quoted.of(pool)
                                + "; delete the pod, so that it is scheduled again"));
    }

    /**
     * The configuration that applies to the device: one of the claim before one of the class, and within a source the
     * later before the earlier.
     */
    public Optional<RequestConfig<C>> strongest(AllocatedDevice device) {
        for (var source : List.of(DeviceConfig.Source.FROM_CLAIM, DeviceConfig.Source.FROM_CLASS)) {
            for (RequestConfig<C> entry : entries.reversed()) {
                if (entry.config().source() == source && entry.config().appliesTo(device)) {
                    return Optional.of(entry);
                }
            }
        }
        return Optional.empty();
    }

    private static <C> Outcome<DeviceConfigs<C>> refused(String message) {
        return Outcome.refused(RefusalCode.CONFIG_INVALID, message);
    }
}
