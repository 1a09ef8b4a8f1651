package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.testing.api.object.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * What one run measured.
 *
 * @param prepare prepares of claims that are not prepared
 * @param unprepare their unprepares
 * @param repeat prepares of a claim that is prepared
 * @param firstCall the first prepare after each start
 * @param batch one call with 100 claims, one of which can be prepared
 * @param toSockets from exec to the registration socket, of each start
 * @param toSlice from exec to the first slice at the API server, of each start
 * @param floor what the same run's machine takes for one GET and three durable file replacements
 * @param processorMsPerCycle processor time of the agent for one prepare and one unprepare, in milliseconds
 * @param idle what the agent took after its start
 * @param afterTotal what it took after all cycles
 * @param installed the agent as its package installs it; empty where there is no package
 */
record Measurements(
        Samples prepare,
        Samples unprepare,
        Samples repeat,
        Samples firstCall,
        Samples batch,
        Samples toSockets,
        Samples toSlice,
        Samples floor,
        double processorMsPerCycle,
        ProcessUsage idle,
        ProcessUsage afterTotal,
        Optional<InstalledFigures> installed) {

    private static final double KB_PER_MB = 1024;
    private static final int DECIMALS = 3;

    /** The document. Its keys are stable. */
    ObjectNode document() {
        ObjectNode document = Json.object();
        document.set("prepare_ms", percentiles(prepare));
        document.set("unprepare_ms", percentiles(unprepare));
        document.set("repeat_ms", percentiles(repeat));
        document.put("first_call_ms", rounded(firstCall.median()));
        document.put("batch100_ms", rounded(batch.median()));
        document.put("cpu_ms_per_cycle", rounded(processorMsPerCycle));
        document.put("to_sockets_ms", rounded(toSockets.median()));
        document.put("to_slice_ms", rounded(toSlice.median()));
        document.putObject("rss_mb")
                .put("idle", rounded(idle.residentKb() / KB_PER_MB))
                .put("after_3000", rounded(afterTotal.residentKb() / KB_PER_MB));
        document.putObject("pss_mb")
                .put("idle", rounded(idle.proportionalKb() / KB_PER_MB))
                .put("after_3000", rounded(afterTotal.proportionalKb() / KB_PER_MB));
        document.put("floor_ms", rounded(floor.median()));
        installed.ifPresent(figures -> document.set("installed", figures.document()));
        return document;
    }

    private static ObjectNode percentiles(Samples samples) {
        return Json.object().put("p50", rounded(samples.median())).put("p99", rounded(samples.percentile(99)));
    }

    private static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }
}
