package io.imexagent.testing.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that tests put there past the rules. */
final class SeedsTest {
    private final ApiDouble api;

    SeedsTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions().plainHttp());
    }

    @AfterEach
    void stop() {
        api.close();
    }

    @Test
    void keepsUidAndStatusOfASeed() {
        api.apply(Fixtures.computeDomain("team", "domain", Fixtures.uid(1), "template"));

        ObjectNode domain =
                api.get(ResourceType.COMPUTE_DOMAINS, "team", "domain").orElseThrow();
        assertThat(domain.at("/metadata/uid").asText()).isEqualTo(Fixtures.uid(1));
        assertThat(domain.at("/status/status").asText()).isEqualTo("Ready");
        assertThat(api.get(ResourceType.NAMESPACES, "", "team")).isPresent();
    }

    @Test
    void readsListsAndDocumentsFromAFile(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("objects.yaml"), """
                apiVersion: v1
                kind: List
                items:
                - apiVersion: resource.nvidia.com/v1beta1
                  kind: ComputeDomain
                  metadata:
                    creationTimestamp: "2026-11-21T05:46:48Z"
                    name: imex-channel-injection
                    namespace: default
                    resourceVersion: "522"
                    uid: 76c683e5-1b96-46ce-9ff0-37c93527edec
                  spec:
                    channel:
                      allocationMode: Single
                      resourceClaimTemplate:
                        name: imex-channel-0
                    numNodes: 1
                ---
                apiVersion: v1
                kind: Node
                metadata:
                  name: tb-node
                """);

        api.apply(file);

        ObjectNode domain = api.get(ResourceType.COMPUTE_DOMAINS, "default", "imex-channel-injection")
                .orElseThrow();
        assertThat(domain.at("/metadata/uid").asText()).isEqualTo("76c683e5-1b96-46ce-9ff0-37c93527edec");
        assertThat(domain.at("/spec/numNodes").asInt()).isEqualTo(1);
        assertThat(api.get(ResourceType.NODES, "", "tb-node")).isPresent();
    }

    @Test
    void comparesSeedsWithWhatClientsSend() throws Exception {
        ObjectNode domain = Fixtures.computeDomain("default", "domain", Fixtures.uid(1), "template");
        domain.withObject("/spec").put("numNodes", 3L);
        api.apply(domain);
        try (Client admin = Client.admin(api)) {
            assertThat(admin.merge(Client.DOMAINS + "/domain", "{\"spec\":{\"numNodes\":3}}")
                            .code())
                    .isEqualTo(200);
        }
    }

    @Test
    void replacesAnObjectWhoseSeedBringsAnotherUid() throws Exception {
        api.apply(Fixtures.unallocatedClaim("default", "claim", Fixtures.uid(1), Fixtures.uid(9)));
        try (Client admin = Client.admin(api);
                Lines lines = admin.watch(Client.CLAIMS + "?watch=true")) {
            assertThat(lines.nextNamed()).isEqualTo("ADDED claim");

            api.apply(Fixtures.unallocatedClaim("default", "claim", Fixtures.uid(2), Fixtures.uid(9)));

            assertThat(lines.next().at("/object/metadata/uid").asText()).isEqualTo(Fixtures.uid(1));
            assertThat(lines.next().at("/object/metadata/uid").asText()).isEqualTo(Fixtures.uid(2));
        }
    }

    @Test
    void editsPastImmutability() {
        api.apply(Fixtures.computeDomain("default", "domain", Fixtures.uid(1), "template"));

        ObjectNode edited = api.edit(
                ResourceType.COMPUTE_DOMAINS,
                "default",
                "domain",
                domain -> domain.withObject("/spec").put("numNodes", 5));

        assertThat(edited.at("/spec/numNodes").asInt()).isEqualTo(5);
    }

    @Test
    void refusesAKindThatItDoesNotServe() {
        ObjectNode deployment = Json.literal("{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}");

        assertThatThrownBy(() -> api.apply(deployment)).hasMessageContaining("apps/v1 Deployment");
    }

    @Test
    void seedsEveryFixtureInAFormThatTheServerWouldTake() throws Exception {
        try (Client admin = Client.admin(api)) {
            ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(1), "n", "claim");
            ObjectNode claim = Fixtures.allocatedClaim("default", "claim", Fixtures.uid(2), "n", Fixtures.uid(3), pod);

            assertThat(admin.create(Client.NODES, Fixtures.node("n", Fixtures.uid(4)))
                            .code())
                    .isEqualTo(201);
            assertThat(admin.create(Client.PODS, pod).code()).isEqualTo(201);
            assertThat(admin.create(Client.CLAIMS, claim).header("Warning")).isEmpty();
            assertThat(admin.create(Client.TEMPLATES, Fixtures.claimTemplate("default", "t", Fixtures.uid(3)))
                            .code())
                    .isEqualTo(201);
            assertThat(admin.create("/apis/resource.k8s.io/v1/deviceclasses", Fixtures.deviceClass())
                            .code())
                    .isEqualTo(201);
        }
    }
}
