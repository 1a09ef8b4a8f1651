package io.imexagent.e2e.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What counts as growth; {@code make soak} lets a real agent work. */
final class SoakTest {

    @Test
    void growthIsThatOfMediansAfterTheWarmUp() {
        List<Double> values = new ArrayList<>();
        // A tenth in which everything is touched for the first time, then a slow growth with one peak.
        IntStream.range(0, 10).forEach(number -> values.add(1.0));
        IntStream.range(0, 90).forEach(number -> values.add(20 + number * 0.1));
        values.set(99, 500.0);

        assertThat(Soak.trend(values)).hasToString("{\"first\":21.700,\"last\":28.100,\"growth\":6.400}");
    }

    @Test
    void growthAboveItsBoundAndEachFailureIsMissed() {
        ObjectNode document = Json.literal("""
                {"private_mb":{"growth":4.1},"threads":{"growth":4},"descriptors":{"growth":9},
                 "rss_mb":{"growth":99},"failures":["prepare in cycle 7: gone"]}""");

        assertThat(Soak.missed(document))
                .containsExactlyInAnyOrder(
                        "prepare in cycle 7: gone",
                        "private_mb has grown by 4.1, above 4",
                        "descriptors has grown by 9.0, above 8");
    }

    @Test
    void aFigureThatIsMissingIsMissed() {
        assertThat(Soak.missed(Json.object())).hasSize(3);
    }
}
