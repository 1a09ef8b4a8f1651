package io.imexagent.controller.report;

import java.util.List;
import java.util.OptionalInt;

/**
 * Cliques in numbers.
 *
 * @param conflicts how many channels are used for another ComputeDomain than the one that has them
 * @param nodesKnown whether the Nodes have been listed
 */
public record FabricCounts(List<CliqueReport> cliques, int conflicts, boolean nodesKnown) {

    /** Copies the list in. */
    public FabricCounts {
        cliques = List.copyOf(cliques);
    }

    /** How many channels are bound. */
    public int used() {
        return cliques.stream().mapToInt(clique -> clique.entries().size()).sum();
    }

    /** How many channels are free. */
    public int free() {
        return cliques.stream().mapToInt(clique -> clique.free().orElse(0)).sum();
    }

    /** How many channels are free in the fullest clique; not a number where no clique says how many it has. */
    public double leastFree() {
        return cliques.stream()
                .map(CliqueReport::free)
                .filter(OptionalInt::isPresent)
                .mapToDouble(OptionalInt::getAsInt)
                .min()
                .orElse(Double.NaN);
    }

    /** How many holds are those of nodes that do not answer; not a number before the Nodes have been listed. */
    public double lostHolds() {
        return nodesKnown ? cliques.stream().mapToInt(CliqueReport::lostHolds).sum() : Double.NaN;
    }
}
