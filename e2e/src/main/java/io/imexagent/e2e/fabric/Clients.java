package io.imexagent.e2e.fabric;

import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpControlPlane;
import io.imexagent.kubernetes.client.HttpKubernetesApi;
import io.imexagent.kubernetes.control.ControlPlane;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Login;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Clients of an API server double, as agents and a controller have them. */
final class Clients implements AutoCloseable {

    private final ApiDouble api;
    private final Path folder;
    private final List<KubernetesApi> agents = new ArrayList<>();

    Clients(ApiDouble api) throws IOException {
        this.api = api;
        this.folder = Files.createTempDirectory("fabric");
    }

    /** The client of a node's agent. */
    KubernetesApi agent(String node) throws IOException {
        Path kubeconfig = api.writeKubeconfig(folder.resolve(node + ".conf"), new Login.Token("node:" + node));
        var client = new HttpKubernetesApi(
                ClusterAccess.of(kubeconfig),
                "imex-agent/bench",
                Clock.systemUTC(),
                () -> ThreadLocalRandom.current().nextDouble(),
                ApiObserver.NONE);
        agents.add(client);
        return client;
    }

    /** A controller's client. */
    ControlPlane control() throws IOException {
        Path kubeconfig = api.writeKubeconfig(folder.resolve("controller.conf"), new Login.Token("admin"));
        return new HttpControlPlane(
                ClusterAccess.of(kubeconfig),
                "imex-controller/bench",
                "controller",
                "imex-agent",
                300,
                Clock.systemUTC(),
                () -> ThreadLocalRandom.current().nextDouble(),
                ApiObserver.NONE);
    }

    @Override
    public void close() {
        agents.forEach(KubernetesApi::close);
    }
}
