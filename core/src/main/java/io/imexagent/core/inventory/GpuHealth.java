package io.imexagent.core.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What NVML says of one GPU's health, beside where it stands in the fabric: the bits of the fabric's health mask and
 * NVML's own sum of them, and what would bring the GPU back to health (field 230), {@code none} for one that is well.
 * Empty is what GPU or driver do not tell; an action that they have, and that could not be read, is {@code unreadAction}:
 * why not, as a clause.
 */
public record GpuHealth(
        List<FabricBit> fabric,
        Optional<String> summary,
        Optional<String> recoveryAction,
        Optional<String> unreadAction) {

    public static final GpuHealth UNTOLD = new GpuHealth(List.of(), Optional.empty(), Optional.empty());

    /** The recovery action of a GPU that needs none. */
    public static final String NO_ACTION = "none";

    /** The value of a statement to which NVML gives no meaning: 3 of its two bits. */
    public static final String UNDEFINED = "undefined";

    private static final String UNHEALTHY = "unhealthy";
    private static final String LIMITED = "limited_capacity";

    /** NVML's sums that are no complaint. */
    private static final Set<String> FINE = Set.of("healthy", "not_supported");

    public GpuHealth {
        fabric = List.copyOf(fabric);
    }

    /** With an action that was read, or that GPU or driver do not have. */
    public GpuHealth(List<FabricBit> fabric, Optional<String> summary, Optional<String> recoveryAction) {
        this(fabric, summary, recoveryAction, Optional.empty());
    }

    /** A statement of the health mask, {@code route_unhealthy}, with {@code yes}, {@code no} or another word. */
    public record FabricBit(String name, String value, Weight weight) {

        /** The statement in words: {@code route unhealthy}, {@code incorrect configuration: no partition}. */
        public String text() {
            return switch (value) {
                case "yes" -> words(name);
                case UNDEFINED -> words(name) + ": 3, which has no meaning";
                default -> words(name) + ": " + words(value);
            };
        }
    }

    /** How much a statement says against a GPU, the least first. */
    public enum Weight {
        GOOD,
        DEGRADED,
        /** A number to which nvml.h, as this version knows it, gives no meaning; or nothing could be read. */
        UNKNOWN,
        BAD
    }

    /** The action that NVML asks for, where it asks for one. */
    public Optional<String> neededAction() {
        return recoveryAction.filter(action -> !action.equals(NO_ACTION));
    }

    /** The weight of everything reported of the GPU, including an action that it needs. */
    public Weight weight() {
        Weight action =
                neededAction().isPresent() ? Weight.BAD : unreadAction.isPresent() ? Weight.UNKNOWN : Weight.GOOD;
        return Stream.of(action, fabricWeight()).max(Comparator.naturalOrder()).orElseThrow();
    }

    /** The weight of the fabric's health: the worst of the mask's statements and of their sum. */
    public Weight fabricWeight() {
        return Stream.concat(fabric.stream().map(FabricBit::weight), summary.map(GpuHealth::weight).stream())
                .max(Comparator.naturalOrder())
                .orElse(Weight.GOOD);
    }

    /** All faults in words, the worst first; empty if there are none or nothing was reported. */
    public List<String> complaints() {
        return Stream.of(
                        neededAction().map(action -> "recovery action: " + words(action)).stream(),
                        fabricComplaints().stream(),
                        unreadAction.map(why -> "recovery action unknown: " + why).stream())
                .flatMap(Function.identity())
                .toList();
    }

    /** The complaints about the fabric alone; a sum that the mask does not explain is one, too. */
    public List<String> fabricComplaints() {
        Stream<FabricBit> bits = fabric.stream()
                .filter(bit -> bit.weight() != Weight.GOOD)
                .sorted(Comparator.comparing(FabricBit::weight).reversed());
        return Stream.concat(
                        bits.map(FabricBit::text),
                        summary
                                .filter(sum -> !FINE.contains(sum))
                                .map(sum -> "overall fabric health: " + words(sum))
                                .stream())
                .toList();
    }

    private static Weight weight(String summary) {
        return switch (summary) {
            case UNHEALTHY -> Weight.BAD;
            case LIMITED -> Weight.DEGRADED;
            default -> FINE.contains(summary) ? Weight.GOOD : Weight.UNKNOWN;
        };
    }

    private static String words(String name) {
        return name.replace('_', ' ');
    }
}
