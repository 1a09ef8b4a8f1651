package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static io.imexagent.kubernetes.http.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.http.ClientFixture.Failing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call about the election's Lease that hangs leaves the holder the time to renew. */
class ElectionCallsTest {

    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/imex-agent/leases";

    @TempDir
    Path folder;

    private StubServer server;
    private HttpControlPlane cluster;

    @BeforeEach
    void start() throws IOException {
        server = StubServer.plain();
        cluster = new ClientFixture().controlPlane(folder, "http://127.0.0.1:" + server.port(), Duration.ofSeconds(60));
    }

    @AfterEach
    void stop() {
        cluster.close();
        server.close();
    }

    @Test
    void aServerThatDoesNotAnswerEndsTheCall() {
        server.on("POST " + LEASES, (request, client) -> {
            Thread.sleep(Duration.ofMinutes(1));
            return json(200, "");
        });
        var content = new LeaseContent(
                Optional.of("one"), Optional.empty(), Optional.empty(), Optional.empty(), 0, Map.of(), Map.of());

        timesOut(() -> cluster.leases().create("imex-controller", content));
    }

    @Test
    void anAnswerThatStopsHalfwayEndsTheCall() {
        var lines = StubServer.lines();
        lines.add("{\"metadata\":");
        server.on("GET " + LEASES + "/imex-controller", (request, client) -> server.stream(lines));

        timesOut(() -> cluster.leases().get("imex-controller"));
    }

    private static void timesOut(Failing call) {
        long begun = System.nanoTime();

        assertThat(failure(call).kind()).isEqualTo(FailureKind.TIMEOUT);

        // In three seconds; a machine under load may be late, but not by a usual call's time.
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
    }
}
