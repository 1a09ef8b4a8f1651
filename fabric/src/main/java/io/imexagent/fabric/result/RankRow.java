package io.imexagent.fabric.result;

import java.util.List;
import java.util.Optional;

/**
 * One rank's report on its own part in a run: its exports, and the results of its imports from each other rank. {@code
 * life} is a random ID of the process, which is sent with its handles, so that two processes that claim the same rank
 * can be distinguished.
 */
public record RankRow(
        String run,
        int rank,
        String life,
        String level,
        Optional<String> boot,
        Optional<String> driver,
        List<ExportedGpu> gpus,
        Optional<String> fault,
        List<PeerCells> peers) {

    public RankRow {
        gpus = List.copyOf(gpus);
        peers = List.copyOf(peers);
    }

    /** A GPU of the rank by its UUID, and why it exported nothing; empty if it exported. */
    public record ExportedGpu(String uuid, Optional<PairState> failure) {}

    /**
     * The imports from one rank: the {@code life} of the process that served the handles, empty if none did, and the
     * state of each pair of GPUs, ordered by the exporter's GPU, then the importer's. A single state applies to all
     * pairs.
     */
    public record PeerCells(String life, List<PairState> cells) {

        public PeerCells {
            cells = List.copyOf(cells);
        }

        /** Returns imports that were not tried, for this reason. */
        public static PeerCells untried(String reason) {
            return new PeerCells("", List.of(new PairState.UntriedPair(reason)));
        }

        /** Returns the worst of the states; not tried if there is none. */
        public PairState worst() {
            return cells.stream()
                    .reduce(PairState::worse)
                    .orElse(new PairState.UntriedPair("the rank does not say what its import came to"));
        }
    }
}
