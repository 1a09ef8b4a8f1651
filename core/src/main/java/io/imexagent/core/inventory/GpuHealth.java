package io.imexagent.core.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What NVML says of one GPU's health, beside where it stands in the fabric: the bits of the fabric's health mask and
 * NVML's own sum of them, and what would bring the GPU back to health (field 230), {@code none} for one that is well.
 * Empty is what GPU or driver do not tell.
 */
public record GpuHealth(List<FabricBit> fabric, Optional<String> summary, Optional<String> recoveryAction) {

    public static final GpuHealth UNTOLD = new GpuHealth(List.of(), Optional.empty(), Optional.empty());

    /** The recovery action of a GPU that needs none. */
    public static final String NO_ACTION = "none";

    private static final String UNHEALTHY = "unhealthy";
    private static final String LIMITED = "limited_capacity";

    public GpuHealth {
        fabric = List.copyOf(fabric);
    }

    /** A statement of the health mask, {@code route_unhealthy}, with {@code yes}, {@code no} or another word. */
    public record FabricBit(String name, String value, Weight weight) {

        /** The statement in words: {@code route unhealthy}, {@code incorrect configuration: no partition}. */
        public String text() {
            return words(name) + (value.equals("yes") ? "" : ": " + words(value));
        }
    }

    public enum Weight {
        GOOD,
        DEGRADED,
        BAD
    }

    /** The action that NVML asks for, where it asks for one. */
    public Optional<String> neededAction() {
        return recoveryAction.filter(action -> !action.equals(NO_ACTION));
    }

    public Weight weight() {
        if (neededAction().isPresent() || summary.filter(UNHEALTHY::equals).isPresent() || has(Weight.BAD)) {
            return Weight.BAD;
        }
        return summary.filter(LIMITED::equals).isPresent() || has(Weight.DEGRADED) ? Weight.DEGRADED : Weight.GOOD;
    }

    /** Everything that is not as it should be, in words, the worst first; empty where all is well or nothing is told. */
    public List<String> complaints() {
        var complaints = new ArrayList<String>();
        neededAction().ifPresent(action -> complaints.add("recovery action: " + words(action)));
        for (Weight weight : List.of(Weight.BAD, Weight.DEGRADED)) {
            fabric.stream()
                    .filter(bit -> bit.weight() == weight)
                    .map(FabricBit::text)
                    .forEach(complaints::add);
        }
        summary.filter(sum -> sum.equals(UNHEALTHY) || sum.equals(LIMITED))
                .ifPresent(sum -> complaints.add("fabric " + words(sum)));
        return List.copyOf(complaints);
    }

    private boolean has(Weight weight) {
        return fabric.stream().anyMatch(bit -> bit.weight() == weight);
    }

    private static String words(String name) {
        return name.replace('_', ' ');
    }
}
