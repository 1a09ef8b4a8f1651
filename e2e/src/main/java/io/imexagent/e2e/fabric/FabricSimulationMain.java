package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Simulates an hour of 10,000 nodes: 555 cliques of 18, 100 workloads of 18 to 360 nodes a minute. One JSON document on
 * standard output.
 */
public final class FabricSimulationMain {

    private FabricSimulationMain() {}

    /** Simulates; the seed may be given. */
    public static void main(String[] arguments) throws Exception {
        long seed = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1;
        var fleet = new FabricSimulation.Fleet(555, 18, 100, 18, 360, Duration.ofMinutes(2), Duration.ofHours(1));
        ObjectNode report = new FabricSimulation(fleet, Weights.measured(), seed).play();
        report.put("seed", seed);
        System.out.println(new String(Json.bytes(report), StandardCharsets.UTF_8));
        System.exit(0);
    }
}
