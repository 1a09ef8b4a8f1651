package io.imexagent.fabric.rank;

import io.imexagent.fabric.result.PairState;
import java.util.List;
import java.util.Optional;

/**
 * The GPU memory of a rank, through processes that end in time whatever libcuda does. Closing ends them, and with them goes
 * all that they had allocated.
 */
public interface RankMemory extends AutoCloseable {

    /**
     * Allocates and exports memory of each GPU, once, and keeps it until this is closed.
     *
     * @throws RankFaultException where there is no GPU or no libcuda
     */
    List<GpuOffer> export() throws RankFaultException, InterruptedException;

    /** Starts what imports need, where it does not run, so that no exporter waits for that while it is this rank's turn. */
    void prepareImports() throws InterruptedException;

    /**
     * Imports memory by a handle on one of the rank's own GPUs, by its number, with all that the level adds, and releases it
     * at once. One that misses its deadline is killed with its process.
     */
    PairState importOn(int gpu, MemoryOffer offer) throws InterruptedException;

    /** The version of the GPU driver; empty where the rank cannot tell. */
    Optional<String> driver();

    @Override
    void close();

    /** What one GPU exports: its UUID, and its memory or why there is none. */
    sealed interface GpuOffer {

        /** The GPU's UUID, as libcuda has it. */
        String uuid();

        /** The GPU exports this. */
        record GivenGpu(String uuid, MemoryOffer memory) implements GpuOffer {}

        /** The GPU exports nothing, since a call failed or hung. */
        record RefusedGpu(String uuid, PairState failure) implements GpuOffer {}
    }

    /**
     * Exported memory: the handle as 128 hex digits, its size in bytes, and what is written at its start as hex digits, empty
     * at levels that write nothing.
     */
    record MemoryOffer(String handle, long bytes, String written) {

        public MemoryOffer {
            if (!handle.matches("[0-9a-f]{128}") || bytes <= 0 || !written.matches("([0-9a-f]{2}){0,64}")) {
                throw new IllegalArgumentException("no handle of 64 bytes, with a size and what is written there");
            }
        }
    }

    /** A rank cannot take part; the message is a clause that says why and what to do. */
    final class RankFaultException extends Exception {
        private static final long serialVersionUID = 1L;

        public RankFaultException(String message) {
            super(message);
        }
    }
}
