package io.imexagent.kubernetes.clique;

import java.util.List;
import java.util.stream.Stream;

/**
 * A {@code FabricTest}: the last runs of the fabric test in the clique of the same name, that recorded last first. Who may run the
 * test writes it; agents and controllers never do.
 */
public record FabricTest(List<RecordedRun> runs) {

    /** How many runs are kept: one of two nodes does not push out what an earlier one found of all. */
    public static final int MOST_RUNS = 4;

    /** No run is known. */
    public static final FabricTest NONE = new FabricTest(List.of());

    public FabricTest {
        runs = List.copyOf(runs);
    }

    /**
     * The same with one more run, or with another content of a run that is there; what is too much goes. The order is that of
     * the writes: by the runners' clocks, one that is ahead would hide all others.
     */
    public FabricTest with(RecordedRun run) {
        return new FabricTest(Stream.concat(
                        Stream.of(run),
                        runs.stream().filter(other -> !other.id().equals(run.id())))
                .limit(MOST_RUNS)
                .toList());
    }
}
