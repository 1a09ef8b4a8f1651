package io.imexagent.kubernetes.http;

import static io.imexagent.kubernetes.http.ClientFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.Stored;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The API server double serves captured objects as their server did, and keeps Leases as one does. */
class DoubledObjectsTest extends RecordedObjectsContract {

    private final ApiDouble server;

    DoubledObjectsTest() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions().plainHttp().token("hunter2", UserIdentity.ADMIN));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Override
    void serve(JsonNode recorded) {
        server.apply(recorded);
    }

    @Override
    String url() {
        return server.url();
    }

    @Test
    void ofTwoWhoMakeOrReplaceALeaseOneSucceeds() throws Exception {
        server.apply(
                Json.literal("{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"imex-agent\"}}"));
        try (var cluster = new ClientFixture().controlPlane(folder, url(), Duration.ofSeconds(20))) {
            Stored<LeaseContent> made = cluster.leases().create("imex-controller", held("one"));

            assertThat(cluster.leases().get("imex-controller")).contains(made);
            assertThat(made.content()).isEqualTo(held("one"));
            assertThat(failure(() -> cluster.leases().create("imex-controller", held("two")))
                            .kind())
                    .isEqualTo(FailureKind.CONFLICT);

            Stored<LeaseContent> replaced = cluster.leases().replace(made, held("two"));
            assertThat(replaced.content().holder()).contains("two");
            assertThat(failure(() -> cluster.leases().replace(made, held("one")))
                            .kind())
                    .isEqualTo(FailureKind.CONFLICT);
            assertThat(cluster.leases().get("another")).isEmpty();
        }
    }

    private static LeaseContent held(String holder) {
        Instant now = Instant.parse("2026-11-21T05:46:48.123456Z");
        return new LeaseContent(
                Optional.of(holder),
                Optional.of(now),
                Optional.of(now),
                Optional.of(Duration.ofSeconds(15)),
                1,
                Map.of(),
                Map.of());
    }
}
