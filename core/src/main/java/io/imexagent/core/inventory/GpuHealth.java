package io.imexagent.core.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * NVML's report on the health of one GPU, besides its fabric state: the bits of the fabric's health mask, NVML's
 * summary of them, and the recovery action that the GPU needs (field 230), {@code none} if it needs none. A part that
 * the GPU or the driver does not report is empty. If the recovery action exists but could not be read, {@code
 * unreadAction} is the reason as a clause.
 */
public record GpuHealth(
        List<FabricBit> fabric,
        Optional<String> summary,
        Optional<String> recoveryAction,
        Optional<String> unreadAction) {

    public static final GpuHealth UNTOLD = new GpuHealth(List.of(), Optional.empty(), Optional.empty());

    /** The recovery action of a GPU that needs none. */
    public static final String NO_ACTION = "none";

    /** The value 3 of a two-bit statement, for which NVML defines no meaning. */
    public static final String UNDEFINED = "undefined";

    private static final String UNHEALTHY = "unhealthy";
    private static final String LIMITED = "limited_capacity";

    /** The values of NVML's summary that report no fault. */
    private static final Set<String> FINE = Set.of("healthy", "not_supported");

    public GpuHealth {
        fabric = List.copyOf(fabric);
    }

    /** The health of a GPU whose recovery action was read, or does not exist. */
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
        /** The value has no meaning that this version knows, or could not be read. */
        UNKNOWN,
        BAD
    }

    /** The recovery action that the GPU needs; empty if it needs none. */
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

    /** The faults of the fabric alone, including a summary that the mask does not explain. */
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
