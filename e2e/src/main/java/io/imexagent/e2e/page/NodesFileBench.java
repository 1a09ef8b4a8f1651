package io.imexagent.e2e.page;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures what the files of nodes cost that agents report: bytes of an NVLinkNode, and a controller's heap and scrapes, with
 * the files of all nodes and without any.
 */
public final class NodesFileBench {

    private static final int SCRAPES = 15;

    private NodesFileBench() {}

    public static ObjectNode measure(int racks) throws IOException, InterruptedException {
        ObjectNode document = Json.object().put("nodes", racks * ShownRacks.NODES);
        document.set("without", measured(racks, false));
        document.set("with", measured(racks, true));
        return document;
    }

    private static ObjectNode measured(int racks, boolean files) throws IOException, InterruptedException {
        try (var world = new PageWorld(Files.createTempDirectory("nodes-file-bench"), shown -> {
            for (int rack = 0; rack < racks; rack++) {
                shown.add(rack, 2);
                for (int node = 0; files && node < ShownRacks.NODES; node++) {
                    report(shown, rack, node);
                }
            }
        })) {
            world.controller()
                    .awaitTrue(
                            "the racks",
                            () -> world.client()
                                    .page("/metrics")
                                    .body()
                                    .contains("imex_agent_controller_cliques " + racks));
            var scrapes = new Samples();
            for (int scrape = 0; scrape < SCRAPES; scrape++) {
                long begun = System.nanoTime();
                world.client().page("/metrics");
                scrapes.add(System.nanoTime() - begun);
            }
            boolean collected = AgentLaunch.command().isOnHotSpot();
            if (collected) {
                collect(world.controller().pid());
            }
            Map<String, Double> metrics = world.client().metrics();
            int bytes = Json.bytes(world.api()
                            .get(ResourceType.NVLINK_NODES, "", ShownRacks.node(racks - 1, ShownRacks.NODES - 1))
                            .orElseThrow())
                    .length;
            ObjectNode figures = Json.object()
                    .put("nvlinknode_bytes", bytes)
                    .put("scrape_ms", Samples.rounded(scrapes.median()))
                    .put("faults", total(metrics, "imex_agent_controller_nodes_file_faults"));
            return collected
                    ? figures.put(
                            "heap_mb", Math.round(total(metrics, "jvm_memory_used_bytes{area=\"heap\"") / 1e5) / 10.0)
                    : figures;
        }
    }

    /** The file of the node's rack, which is the same on its nodes, and another than that of other racks. */
    private static void report(ShownRacks shown, int rack, int node) {
        String lines = IntStream.rangeClosed(1, ShownRacks.NODES)
                .mapToObj(line -> "10.%d.%d.%d".formatted(100 + rack / 100, 100 + rack % 100, 100 + line))
                .collect(Collectors.joining(" "));
        shown.change(
                rack,
                node,
                object -> object.withObject("/status/nodesFile")
                        .put("digest", "%032x".formatted(rack))
                        .put("count", ShownRacks.NODES)
                        .put("own", node)
                        .put("lines", lines));
    }

    /** Has the controller's garbage collected by HotSpot, so that the heap is what it keeps. */
    private static void collect(long pid) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        var command = new ProcessBuilder(List.of(jcmd.toString(), Long.toString(pid), "GC.run"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        int code = command.start().waitFor();
        if (code != 0) {
            throw new IOException("jcmd GC.run ended with " + code);
        }
    }

    private static double total(Map<String, Double> metrics, String series) {
        return metrics.entrySet().stream()
                .filter(one -> one.getKey().startsWith(series))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
