package io.imexagent.fabric.rank;

import io.imexagent.fabric.rank.RankMemory.GpuOffer;
import io.imexagent.fabric.rank.RankMemory.MemoryOffer;
import io.imexagent.fabric.result.PairState;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/** GPU memory of ranks in one process: what every import comes to is decided by a rule, and recorded. */
final class SimulatedDomain {

    /** An import as it happened. */
    record DoneImport(int importer, int gpu, int exporter, int exporterGpu, PairState state) {}

    final ConcurrentLinkedQueue<DoneImport> imports = new ConcurrentLinkedQueue<>();
    final AtomicInteger mostAtOnce = new AtomicInteger();
    private final Map<Integer, AtomicInteger> importing = new ConcurrentHashMap<>();
    private final BiFunction<Integer, Integer, PairState> rule;
    final int gpus;

    SimulatedDomain(int gpus, BiFunction<Integer, Integer, PairState> rule) {
        this.gpus = gpus;
        this.rule = rule;
    }

    RankMemory rank(int rank) {
        return new RankMemory() {
            @Override
            public List<GpuOffer> export() {
                return IntStream.range(0, gpus)
                        .<GpuOffer>mapToObj(gpu -> new GpuOffer.GivenGpu(
                                "GPU-" + rank + "-" + gpu, new MemoryOffer(handle(rank, gpu), 2 << 20, "")))
                        .toList();
            }

            @Override
            public void prepareImports() {}

            @Override
            public PairState importOn(int gpu, MemoryOffer offer) throws InterruptedException {
                byte[] handle = HexFormat.of().parseHex(offer.handle());
                int exporter = handle[0];
                AtomicInteger now = importing.computeIfAbsent(exporter, none -> new AtomicInteger());
                mostAtOnce.accumulateAndGet(now.incrementAndGet(), Math::max);
                Thread.sleep(2);
                PairState state = rule.apply(rank, exporter);
                imports.add(new DoneImport(rank, gpu, exporter, handle[1], state));
                now.decrementAndGet();
                return state;
            }

            @Override
            public Optional<String> driver() {
                return Optional.of("580.159.04");
            }

            @Override
            public void close() {}
        };
    }

    static String handle(int rank, int gpu) {
        byte[] handle = new byte[64];
        handle[0] = (byte) rank;
        handle[1] = (byte) gpu;
        return HexFormat.of().formatHex(handle);
    }
}
