package io.imexagent.fabric.result;

import java.util.List;
import java.util.Optional;

/**
 * What one rank reports of its own part in a run, and nothing of others' parts: what it exported, and what its imports from
 * each other rank came to. {@code life} is drawn by the process and stands with its handles, so that two processes that
 * claim one rank differ in it.
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

    /** A GPU of the rank, by its UUID, and why it exported nothing. */
    public record ExportedGpu(String uuid, Optional<PairState> failure) {}

    /**
     * The imports from one rank: the {@code life} of the process that gave the handles, empty where none did, and the
     * state of each pair of GPUs, the exporter's first and the importer's second; one state stands for all pairs.
     */
    public record PeerCells(String life, List<PairState> cells) {

        public PeerCells {
            cells = List.copyOf(cells);
        }

        /** Imports that were not tried. */
        public static PeerCells untried(String reason) {
            return new PeerCells("", List.of(new PairState.UntriedPair(reason)));
        }

        /** The worst of the states; where there is none, the imports count as not tried. */
        public PairState worst() {
            return cells.stream()
                    .reduce(PairState::worse)
                    .orElse(new PairState.UntriedPair("the rank does not say what its import came to"));
        }
    }

    /** A rank that could not take part. */
    public static RankRow faulty(String run, int rank, String level, String fault) {
        return new RankRow(
                run, rank, "", level, Optional.empty(), Optional.empty(), List.of(), Optional.of(fault), List.of());
    }
}
