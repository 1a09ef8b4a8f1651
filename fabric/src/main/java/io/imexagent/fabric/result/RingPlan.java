package io.imexagent.fabric.result;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The order in which ranks import from each other: in round k, rank i imports from rank (i + k) mod n. Thus each
 * exporter has one importer in a round, and n - 1 rounds contain every pair once in each direction.
 */
public record RingPlan(int ranks) {

    /** The most ranks of a run; an NVLink domain has 144 nodes at most. */
    public static final int MOST = 256;

    public RingPlan {
        if (ranks < 2 || ranks > MOST) {
            throw new IllegalArgumentException("a run has 2 to " + MOST + " ranks, not " + ranks);
        }
    }

    /** Returns the ranks from which this rank imports, round by round. */
    public List<Integer> exporters(int rank) {
        return IntStream.range(1, ranks)
                .mapToObj(round -> (rank + round) % ranks)
                .toList();
    }
}
