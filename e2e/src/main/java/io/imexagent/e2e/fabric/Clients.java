package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.http.HttpControlPlane;
import io.imexagent.kubernetes.http.HttpKubernetesApi;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Login;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** Clients of an API server double, as agents and a controller have them. */
final class Clients implements AutoCloseable {

    /** The clique of the benchmarks. */
    static final CliqueId CLIQUE = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");

    /** Its table at first. */
    static final NvlinkClique EMPTY = new NvlinkClique(2048, Optional.empty(), ChannelTable.EMPTY);

    /** Random numbers in 0 … 1, from any thread. */
    static final DoubleSupplier RANDOM = () -> ThreadLocalRandom.current().nextDouble();

    private final ApiDouble api;
    private final Path folder;
    private final List<KubernetesApi> agents = new ArrayList<>();

    Clients(ApiDouble api) throws IOException {
        this.api = api;
        this.folder = Files.createTempDirectory("fabric");
    }

    /** The objects of the fabric as a node's agent reaches them; the observer hears of its calls. */
    FabricObjects agent(String node, ApiObserver observer) throws IOException {
        var client = new HttpKubernetesApi(
                access(node, "node:" + node), "imex-agent/bench", Clock.systemUTC(), RANDOM, observer);
        agents.add(client);
        return client.fabric();
    }

    /** The same as a controller reaches them. */
    FabricObjects control() throws IOException {
        return new HttpControlPlane(
                        access("controller", "admin"),
                        "imex-controller/bench",
                        "controller",
                        "imex-agent",
                        300,
                        Clock.systemUTC(),
                        RANDOM,
                        ApiObserver.NONE)
                .fabric();
    }

    private ClusterAccess access(String name, String token) throws IOException {
        return ClusterAccess.of(
                List.of(api.writeKubeconfig(folder.resolve(name + ".conf"), new Login.TokenLogin(token))));
    }

    @Override
    public void close() {
        agents.forEach(KubernetesApi::close);
    }
}
