package io.imexagent.fabric.rank;

import io.imexagent.fabric.result.PairState;
import java.util.List;
import java.util.Optional;

/**
 * The GPU memory of a rank, through processes that are killed if libcuda hangs. Closing ends the processes, which frees
 * all memory that they allocated.
 */
public interface RankMemory extends AutoCloseable {

    /**
     * Allocates and exports memory of each GPU, once, and keeps it until this is closed.
     *
     * @throws RankFaultException if there is no GPU or no libcuda
     */
    List<GpuOffer> export() throws RankFaultException, InterruptedException;

    /**
     * Starts the process that imports, unless it runs, so that no exporter waits for the start during this rank's turn.
     */
    void prepareImports() throws InterruptedException;

    /**
     * Imports memory by its handle on the rank's own GPU of this number, does the steps of the level, and releases the
     * memory at once. The process of an import that misses its deadline is killed.
     */
    PairState importOn(int gpu, MemoryOffer offer) throws InterruptedException;

    /** The version of the GPU driver; empty if unknown. */
    Optional<String> driver();

    @Override
    void close();

    /** The offer of one GPU: its UUID, and its memory or why it has none. */
    sealed interface GpuOffer {

        /** The GPU's UUID, as libcuda reports it. */
        String uuid();

        /** The GPU exports this memory. */
        record GivenGpu(String uuid, MemoryOffer memory) implements GpuOffer {}

        /** The GPU exports nothing, since a call failed or hung. */
        record RefusedGpu(String uuid, PairState failure) implements GpuOffer {}
    }

    /**
     * Exported memory: the handle as 128 hex digits, the size in bytes, and the bytes that are written at its start as
     * hex digits, empty at levels that write nothing.
     */
    record MemoryOffer(String handle, long bytes, String written) {

        public MemoryOffer {
            if (!handle.matches("[0-9a-f]{128}") || bytes <= 0 || !written.matches("([0-9a-f]{2}){0,64}")) {
                throw new IllegalArgumentException("no handle of 64 bytes, with a size and what is written there");
            }
        }
    }

    /** A rank cannot take part; the message is a clause with the reason and the remedy. */
    final class RankFaultException extends Exception {
        private static final long serialVersionUID = 1L;

        public RankFaultException(String message) {
            super(message);
        }
    }
}
