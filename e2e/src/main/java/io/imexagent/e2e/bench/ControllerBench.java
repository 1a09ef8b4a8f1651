package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Measures the controller as a process, with the pace of calls that it has by default: ComputeDomains from a cold start,
 * nothing to do, deletion, and one at a time, without isolation and with it; and the start over the nodes of many cliques.
 * Calls are requests of every verb but those for the Lease of the election.
 */
public final class ControllerBench {

    private static final int SINGLES = 100;
    private static final int NODES_OF_CLIQUE = 18;
    private static final Duration REST = Duration.ofSeconds(10);

    /** What a kubelet and a problem detector tell of a node. */
    private static final int CONDITIONS = 13;

    private static final int HOLDS = 2;

    private ControllerBench() {}

    /** Measures with so many ComputeDomains, and so many cliques. */
    public static ObjectNode measure(int domains, int cliques) throws IOException, InterruptedException {
        ObjectNode document = Json.object();
        Path folder = Files.createTempDirectory("controller-bench");
        document.set("shared", domains(folder, "None", domains));
        document.set("isolated", domains(folder, "IMEXChannel", domains));
        document.set("fabric", fabric(folder, cliques));
        return document;
    }

    private static ObjectNode domains(Path folder, String isolation, int domains)
            throws IOException, InterruptedException {
        ObjectNode figures = Json.object().put("domains", domains);
        try (ApiDouble api = api(folder)) {
            var load = new DomainLoad(api);
            for (int number = 1; number <= domains; number++) {
                load.create(number);
            }
            load.count();
            try (AgentProcess controller = start(folder, isolation)) {
                figures.put("create_seconds", DomainLoad.await(() -> load.allReady(domains)))
                        .put("create_calls_per_domain", (double) load.calls() / domains)
                        .put("rss_mb_after_create", megabytes(controller));
                load.count();
                Thread.sleep(REST);
                figures.put("calls_at_rest", load.calls()).put("election_calls_at_rest", load.election());
                figures.set("single_ready_ms", singles(load));
            }
            load.count();
            try (AgentProcess controller = start(folder, isolation)) {
                Thread.sleep(REST);
                figures.put("calls_after_restart", load.calls());
                load.count();
                // Those that came one at a time stay.
                int rest = load.remaining() - 2 * domains;
                for (int number = 1; number <= domains; number++) {
                    load.delete(number);
                }
                figures.put("delete_seconds", DomainLoad.await(() -> load.allGone(domains, rest)))
                        .put("delete_calls_per_domain", (double) load.calls() / domains)
                        .put("rss_mb_after_delete", megabytes(controller));
            }
        }
        System.err.println(isolation + " " + figures);
        return figures;
    }

    private static ObjectNode singles(DomainLoad load) throws InterruptedException {
        var took = new Samples();
        for (int number = 10_000; number < 10_000 + SINGLES; number++) {
            long begun = System.nanoTime();
            load.create(number);
            while (!load.ready(number)) {
                Thread.sleep(1);
            }
            took.add(System.nanoTime() - begun);
        }
        return Json.object()
                .put("p50", Samples.rounded(took.median()))
                .put("max", Samples.rounded(took.percentile(100)));
    }

    /** A cluster of racks whose nodes hold already, and whose tables are to be made. */
    private static ObjectNode fabric(Path folder, int cliques) throws IOException, InterruptedException {
        int nodes = cliques * NODES_OF_CLIQUE;
        try (ApiDouble api = api(folder)) {
            for (int node = 0; node < nodes; node++) {
                node(api, node);
            }
            var load = new DomainLoad(api);
            load.count();
            try (AgentProcess controller = start(folder, "IMEXChannel");
                    var status = new StatusClient(controller.awaitHttpPort())) {
                double seconds = DomainLoad.await(() -> api.requests().count("create", "nvlinkcliques") >= cliques);
                Thread.sleep(REST);
                boolean unreadable = status.page("/metrics").body().contains("imex_agent_api_unreadable_objects{");
                return Json.object()
                        .put("nodes", nodes)
                        .put("tables_seconds", seconds)
                        .put("calls", load.calls())
                        .put("ready", status.ready())
                        .put("tables", api.list(ResourceType.NVLINK_CLIQUES).size())
                        .put("unreadable", unreadable)
                        .put("rss_mb_of_fabric", megabytes(controller));
            }
        }
    }

    /** A node that holds two ComputeDomains in its clique: its Node, of which much is told, and its NVLinkNode. */
    private static void node(ApiDouble api, int number) {
        String name = "tray-%05d".formatted(number);
        int clique = number / NODES_OF_CLIQUE;
        ObjectNode node = Fixtures.node(name, Fixtures.uid(10_000_000 + number));
        ArrayNode conditions = node.withObject("/status").putArray("conditions");
        for (int i = 0; i < CONDITIONS; i++) {
            conditions
                    .addObject()
                    .put("type", i == 0 ? "Ready" : "KernelProblemOfSomeKind" + i)
                    .put("status", i == 0 ? "True" : "False")
                    .put("reason", "NothingIsWrong")
                    .put("message", "what the detector looks for was not found in the kernel's log");
        }
        api.apply(node);
        String id = "c4a1f0de-5b72-4e09-9d36-%012x.1".formatted(clique);
        ObjectNode object = Json.literal("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode",
                 "metadata":{"name":"%s","finalizers":["imexagent.io/holds"],"labels":{"clique.imexagent.io/%s":""}},
                 "spec":{"session":"f87f843e-96a2-4457-b9f7-a77c468fcaff","write":7,"cliques":["%s"],
                  "bootID":"f87f843e-96a2-4457-b9f7-a77c468fcaff","imexChannelCount":2048,"holds":[]},
                 "status":{"clique":"%s","driver":"580.95.05","gpus":4,"imex":"ready",
                  "imexSince":"2026-07-28T08:00:00Z","peers":"18/18"}}""".formatted(name, id, id, id));
        for (int hold = 0; hold < HOLDS; hold++) {
            int domain = clique * HOLDS + hold;
            object.withArray("/spec/holds")
                    .addObject()
                    .put("computeDomain", Fixtures.uid(domain))
                    .put("namespace", "team-%02d".formatted(domain % 50))
                    .put("name", "training-" + domain)
                    .put("channel", 1 + hold);
        }
        api.apply(object);
    }

    /** A cluster with the namespace in which the Lease of the election stands. */
    private static ApiDouble api(Path folder) throws IOException {
        ApiDouble api = ApiDouble.start(new ApiDoubleOptions().historyWindow(100_000));
        api.writeKubeconfig(folder.resolve("controller.conf"), new Login.TokenLogin("admin"));
        api.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        return api;
    }

    private static long megabytes(AgentProcess controller) throws IOException {
        return controller.usage().residentKb() / 1024;
    }

    private static AgentProcess start(Path folder, String isolation) throws IOException {
        Path config = AgentSettings.ofController(folder.resolve("controller.conf"), isolation, 0)
                .write(folder.resolve("config.yaml"));
        return AgentLaunch.command("controller", "--config", config.toString())
                .runtimeOptions("-Xmx128m")
                .listener(System.err::println)
                .start();
    }
}
