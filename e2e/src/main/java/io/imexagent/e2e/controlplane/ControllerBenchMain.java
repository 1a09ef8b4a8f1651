package io.imexagent.e2e.controlplane;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * Measures the controller as a process, with the pace of calls that it has by default: 5,000 ComputeDomains from a cold
 * start, nothing to do, deletion, and one at a time, without isolation and with it; and the start over 9,990 nodes. One JSON document on standard output. Calls are requests of
 * every verb but those for the Lease of the election.
 */
public final class ControllerBenchMain {

    private static final int MANY = 5_000;
    private static final int SINGLES = 100;
    private static final int CLIQUES = 555;
    private static final int NODES_OF_CLIQUE = 18;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private ControllerBenchMain() {}

    /** Measures. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ObjectNode document = Json.object();
        Path folder = Files.createTempDirectory("controller-bench");
        document.set("shared", measure(folder, "None", MANY));
        document.set("isolated", measure(folder, "IMEXChannel", MANY));
        document.set("fabric", fabric(folder));
        System.out.println(new String(Json.bytes(document), StandardCharsets.UTF_8));
        System.exit(0);
    }

    private static ObjectNode measure(Path folder, String isolation, int domains)
            throws IOException, InterruptedException {
        ObjectNode figures = Json.object().put("domains", domains);
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().historyWindow(100_000))) {
            api.writeKubeconfig(folder.resolve("controller.conf"), new Login.Token("admin"));
            var load = new DomainLoad(api);
            for (int number = 1; number <= domains; number++) {
                load.create(number);
            }
            namespace(api);
            load.count();
            try (AgentProcess controller = start(folder, isolation)) {
                figures.put("create_seconds", DomainLoad.await(PATIENCE, () -> load.allReady(domains)));
                figures.put("create_calls_per_domain", (double) load.calls() / domains);
                usage(figures, "after_create", controller);
                load.count();
                Thread.sleep(10_000);
                figures.put("calls_at_rest", load.calls());
                figures.put("election_calls_at_rest", load.election());
                figures.set("single_ready_ms", singles(load, SINGLES));
            }
            load.count();
            try (AgentProcess controller = start(folder, isolation)) {
                Thread.sleep(10_000);
                figures.put("calls_after_restart", load.calls());
                load.count();
                // Those that came one at a time stay.
                int rest = load.remaining() - 2 * domains;
                for (int number = 1; number <= domains; number++) {
                    load.delete(number);
                }
                figures.put("delete_seconds", DomainLoad.await(PATIENCE, () -> load.allGone(domains, rest)));
                figures.put("delete_calls_per_domain", (double) load.calls() / domains);
                usage(figures, "after_delete", controller);
            }
        }
        System.err.println(isolation + " " + figures);
        return figures;
    }

    /** A cluster of racks whose nodes hold already, and whose tables are to be made. */
    private static ObjectNode fabric(Path folder) throws IOException, InterruptedException {
        ObjectNode figures = Json.object().put("nodes", CLIQUES * NODES_OF_CLIQUE);
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().historyWindow(100_000))) {
            api.writeKubeconfig(folder.resolve("controller.conf"), new Login.Token("admin"));
            for (int node = 0; node < CLIQUES * NODES_OF_CLIQUE; node++) {
                RackLoad.apply(api, node, node / NODES_OF_CLIQUE);
            }
            namespace(api);
            var load = new DomainLoad(api);
            load.count();
            try (AgentProcess controller = start(folder, "IMEXChannel");
                    var status = new StatusClient(controller.awaitHttpPort())) {
                figures.put(
                        "tables_seconds",
                        DomainLoad.await(PATIENCE, () -> api.requests().count("create", "nvlinkcliques") >= CLIQUES));
                Thread.sleep(10_000);
                figures.put("calls", load.calls());
                figures.put("ready", status.page("/readyz").statusCode() == 200);
                figures.put("tables", api.list(ResourceType.NVLINK_CLIQUES).size());
                figures.put(
                        "unreadable", status.page("/metrics").body().contains("imex_agent_api_unreadable_objects{"));
                usage(figures, "of_fabric", controller);
            }
        }
        return figures;
    }

    /** The Lease of the election stands in it. */
    private static void namespace(ApiDouble api) {
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
    }

    private static ObjectNode singles(DomainLoad load, int count) throws InterruptedException {
        double[] took = new double[count];
        for (int i = 0; i < count; i++) {
            int number = 10_000 + i;
            long begun = System.nanoTime();
            load.create(number);
            while (!load.ready(number)) {
                Thread.sleep(1);
            }
            took[i] = (System.nanoTime() - begun) / 1e6;
        }
        Arrays.sort(took);
        return Json.object().put("p50", took[count / 2]).put("max", took[count - 1]);
    }

    private static void usage(ObjectNode figures, String when, AgentProcess controller) throws IOException {
        figures.put("rss_mb_" + when, ProcessUsage.of(controller.pid()).residentKb() / 1024);
    }

    private static AgentProcess start(Path folder, String isolation) throws IOException {
        Path config = Files.writeString(
                folder.resolve("config.yaml"), """
                    featureGates:
                      HostManagedIMEX: true
                    imex:
                      isolation: %s
                    controller:
                      kubeconfig: %s
                      port: 0
                    http:
                      address: 127.0.0.1
                    """.formatted(isolation, folder.resolve("controller.conf")));
        return AgentLaunch.command("controller", "--config", config.toString())
                .jvmOptions("-Xmx128m")
                .listener(System.err::println)
                .start();
    }
}
