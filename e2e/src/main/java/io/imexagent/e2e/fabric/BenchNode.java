package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.bind.HoldWriter;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A node of the clique of the benchmarks: the holds and the binder of its agent. */
record BenchNode(HoldWriter holds, ChannelBinder binder) {

    private static final Optional<BootId> BOOT = Optional.of(new BootId("boot"));

    private static final NodeInventory INVENTORY = new NodeInventory(
            Instant.EPOCH,
            new DriverState.LoadedDriver("580.95.05", "13.580.95.05"),
            List.of(),
            new CliqueState.KnownClique(Clients.CLIQUE),
            new ChannelMajor.RegisteredMajor(507),
            OptionalInt.of(2048),
            new ChannelNode.AbsentNode(),
            BOOT,
            Optional.of("NVIDIA"),
            List.of());

    static BenchNode start(String node, FabricObjects fabric, ChannelTable.Limits limits) {
        var about = new HoldWriter.NodeSources(
                node,
                "session of " + node,
                () -> INVENTORY,
                () -> NodeStatus.NONE,
                () -> false,
                () -> true,
                HoldWriter.DomainNameLookup.NONE);
        var holds = new HoldWriter(fabric, about, System::nanoTime, Clients.RANDOM, () -> {});
        holds.start(Ledger.empty(BOOT), false, BOOT);
        return new BenchNode(holds, new ChannelBinder(fabric, holds, node, () -> limits, Clients.RANDOM));
    }

    /** Nanoseconds until the node has a channel for the ComputeDomain, which it holds until the calling thread ends it. */
    long bind(DomainName domain) throws Exception {
        long begun = System.nanoTime();
        binder.bind(domain, Clients.CLIQUE).refusal().ifPresent(reason -> {
            throw new IllegalStateException(reason.message());
        });
        return System.nanoTime() - begun;
    }

    /** Waits until the node's object says that it holds nothing. */
    void awaitRest() throws InterruptedException {
        while (!holds.written() || holds.count() > 0) {
            Thread.sleep(1);
        }
    }
}
