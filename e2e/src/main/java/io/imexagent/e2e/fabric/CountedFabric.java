package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Counts the calls of one agent. */
record CountedFabric(FabricObjects server, AtomicInteger calls) implements FabricObjects {

    @Override
    public Optional<Stored<NvlinkNode>> node(String name) throws ApiException {
        calls.incrementAndGet();
        return server.node(name);
    }

    @Override
    public Stored<NvlinkNode> create(String name, NvlinkNode content) throws ApiException {
        calls.incrementAndGet();
        return server.create(name, content);
    }

    @Override
    public Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) throws ApiException {
        calls.incrementAndGet();
        return server.replace(observed, content);
    }

    @Override
    public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        server.watch(name, listener);
    }

    @Override
    public Optional<Stored<NvlinkClique>> clique(CliqueId id) throws ApiException {
        calls.incrementAndGet();
        return server.clique(id);
    }

    @Override
    public Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content) throws ApiException {
        calls.incrementAndGet();
        return server.replace(observed, content);
    }
}
