package io.imexagent.dra.claim;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The opaque configurations of one driver in an allocation, decoded. Pure.
 *
 * @param entries them, in the order of the allocation
 * @param <C> what they are decoded to
 */
public record DeviceConfigs<C>(List<Entry<C>> entries) {

    /** Copies the list in. */
    public DeviceConfigs {
        entries = List.copyOf(entries);
    }

    /**
     * One configuration.
     *
     * @param config where it stands, and for which requests
     * @param value what it says
     */
    public record Entry<C>(DeviceConfig config, C value) {}

    /** What became of the parameters of one configuration. */
    public sealed interface Reading<C> {

        /**
         * They say something.
         *
         * @param value what
         */
        record Valid<C>(C value) implements Reading<C> {}

        /**
         * They do not.
         *
         * @param reason a clause that names the field and what it must be
         */
        record Invalid<C>(String reason) implements Reading<C> {}
    }

    /** What became of all of them. */
    public sealed interface Outcome<C> {

        /**
         * All of them say something.
         *
         * @param configs them
         */
        record Read<C>(DeviceConfigs<C> configs) implements Outcome<C> {}

        /**
         * One of them does not.
         *
         * @param refusal what is wrong with it
         */
        record Refused<C>(Refusal refusal) implements Outcome<C> {}
    }

    /** Reads those of this driver, with a decoder for their parameters. */
    public static <C> Outcome<C> of(Allocation allocation, String driver, Function<JsonText, Reading<C>> decoder) {
        var entries = new ArrayList<Entry<C>>();
        for (int i = 0; i < allocation.config().size(); i++) {
            DeviceConfig config = allocation.config().get(i);
            if (config.opaque().isEmpty()) {
                return refused("config[" + i + "] of the allocation has no \"opaque\" part: this cluster's API is newer"
                        + " than the agent; upgrade imex-agent");
            }
            DeviceConfig.Opaque opaque = config.opaque().get();
            if (opaque.driver().equals(driver)) {
                switch (decoder.apply(opaque.parameters())) {
                    case Reading.Valid<C> valid -> entries.add(new Entry<>(config, valid.value()));
                    case Reading.Invalid<C> invalid -> {
                        return refused("config[" + i + "].opaque.parameters of the allocation: " + invalid.reason()
                                + "; mend the configuration of the claim or its template");
                    }
                }
            }
        }
        return new Outcome.Read<>(new DeviceConfigs<>(entries));
    }

    /** The one that counts for the device: a claim's beats a class's; within a source the later one the earlier. */
    public Optional<Entry<C>> strongest(AllocatedDevice device) {
        for (var source : List.of(DeviceConfig.Source.FROM_CLAIM, DeviceConfig.Source.FROM_CLASS)) {
            for (Entry<C> entry : entries.reversed()) {
                if (entry.config().source() == source && entry.config().appliesTo(device)) {
                    return Optional.of(entry);
                }
            }
        }
        return Optional.empty();
    }

    private static <C> Outcome<C> refused(String message) {
        return new Outcome.Refused<>(new Refusal(RefusalCode.CONFIG_INVALID, message));
    }
}
