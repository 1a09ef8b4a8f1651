package io.imexagent.e2e.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import org.junit.jupiter.api.Test;

class CrowdBenchTest {

    @Test
    void namesEachBarThatIsMissed() {
        assertThat(CrowdBench.missed(report(9_999.5, 5, 19_999.5, false))).isEmpty();
        assertThat(CrowdBench.missed(report(10_000.5, 6, 20_000.5, true)))
                .containsExactly(
                        "one node: ms until all are bound is 10000.5, the bar is 10000",
                        "one node: conflicts is 6, the bar is 5",
                        "a clique: ms until all are bound is 20000.5, the bar is 20000",
                        "a clique: longer than prepare.answerWithin is true, the bar is 0");
    }

    /** A figure that is not there any more is no bar that is met. */
    @Test
    void missesTheBarOfWhatWasNotMeasured() {
        assertThat(CrowdBench.missed(Json.object())).hasSize(4);
    }

    private static ObjectNode report(double oneNode, int conflicts, double clique, boolean tooLong) {
        ObjectNode report = Json.object();
        report.set(
                "one node", Json.object().put("ms until all are bound", oneNode).put("conflicts", conflicts));
        report.set(
                "a clique",
                Json.object().put("ms until all are bound", clique).put("longer than prepare.answerWithin", tooLong));
        return report;
    }
}
