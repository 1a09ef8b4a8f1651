package io.imexagent.kubernetes.clique;

import java.util.List;
import java.util.stream.Stream;

/**
 * A {@code FabricTest}: the last runs of the fabric test in the clique of the same name, the latest record first. Users
 * who run the test write it; agents and controllers never do.
 */
public record FabricTest(List<RecordedRun> runs) {

    /**
     * The most runs that are kept: more than one, so that a run of two nodes does not replace an earlier run of all
     * nodes.
     */
    public static final int MOST_RUNS = 4;

    /** No run is known. */
    public static final FabricTest NONE = new FabricTest(List.of());

    public FabricTest {
        runs = List.copyOf(runs);
    }

    /**
     * Returns a copy with one more run, or with new content of a recorded run; the oldest records beyond {@link
     * #MOST_RUNS} are dropped. The order is that of the writes: if runs were ordered by the runners' clocks, one that
     * is ahead would hide all others.
     */
    public FabricTest with(RecordedRun run) {
        return new FabricTest(Stream.concat(
                        Stream.of(run),
                        runs.stream().filter(other -> !other.id().equals(run.id())))
                .limit(MOST_RUNS)
                .toList());
    }
}
