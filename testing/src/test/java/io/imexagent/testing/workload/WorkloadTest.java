package io.imexagent.testing.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.object.ResourceType;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WorkloadTest {

    private static final Workload FIRST = new Workload("demo", "tray-1", 1);
    private static final Workload SECOND = new Workload("demo", "tray-1", 2);

    @Test
    void standsInAClusterTogetherWithOthers() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions().plainHttp())) {
            api.apply(Workload.together(List.of(Workload.cluster("tray-1"), FIRST.objects(), SECOND.objects())));

            assertThat(api.list(ResourceType.NODES)).hasSize(1);
            assertThat(api.list(ResourceType.RESOURCE_CLAIMS))
                    .extracting(claim -> claim.at("/metadata/uid").asText())
                    .containsExactly(FIRST.claim().uid(), SECOND.claim().uid());
            assertThat(api.list(ResourceType.COMPUTE_DOMAINS))
                    .extracting(domain -> domain.at("/metadata/uid").asText())
                    .containsExactly(FIRST.domainUid(), SECOND.domainUid());
        }
    }

    @Test
    void carriesTheMistakeInItsAllocation() {
        assertThat(parameters(FIRST.objects()).path("allocationMode").asText()).isEqualTo("Single");
        assertThat(parameters(FIRST.objects(Workload.Mistake.ALLOCATION_MODE))
                        .path("allocationMode")
                        .asText())
                .isEqualTo("All");
        assertThat(parameters(FIRST.objects(Workload.Mistake.UNKNOWN_FIELD)).has("domainId"))
                .isTrue();
        assertThat(parameters(FIRST.objects(Workload.Mistake.NO_DOMAIN))
                        .path("domainID")
                        .asText())
                .isEmpty();
    }

    private static JsonNode parameters(ObjectNode objects) {
        for (JsonNode object : objects.path("items")) {
            if (object.path("kind").asText().equals("ResourceClaim")) {
                return object.at("/status/allocation/devices/config/0/opaque/parameters");
            }
        }
        throw new AssertionError("no claim in " + objects);
    }
}
