package io.imexagent.fabric.rank;

import io.imexagent.fabric.result.PairState;
import java.util.List;
import java.util.Optional;

/** Memory of a rank that offers this handle in the place of its own. */
record LyingMemory(RankMemory memory, String handle) implements RankMemory {

    @Override
    public List<GpuOffer> export() throws RankFaultException, InterruptedException {
        return memory.export().stream()
                .<GpuOffer>map(gpu -> new GpuOffer.GivenGpu(gpu.uuid(), new MemoryOffer(handle, 2 << 20, "")))
                .toList();
    }

    @Override
    public void prepareImports() throws InterruptedException {
        memory.prepareImports();
    }

    @Override
    public PairState importOn(int gpu, MemoryOffer offer) throws InterruptedException {
        return memory.importOn(gpu, offer);
    }

    @Override
    public Optional<String> driver() {
        return memory.driver();
    }

    @Override
    public void close() {
        memory.close();
    }
}
