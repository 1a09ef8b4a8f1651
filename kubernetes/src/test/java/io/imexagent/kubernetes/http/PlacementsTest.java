package io.imexagent.kubernetes.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.ControlPlane.PlacedPod;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.CliquePlacement;
import io.imexagent.kubernetes.clique.CliquePlacement.PlacedTemplate;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.access.UserIdentity;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What places pods by clique, and what came of it, over an API server. */
class PlacementsTest {

    private static final String UID = "76c683e5-1b96-46ce-9ff0-37c93527edec";

    @TempDir
    Path folder;

    private ApiDouble server;
    private HttpControlPlane api;

    @BeforeEach
    void start() throws IOException {
        server = ApiDouble.start(new ApiDoubleOptions().token("hunter2", UserIdentity.ADMIN));
        Path kubeconfig = folder.resolve("kubeconfig");
        server.writeKubeconfig(kubeconfig, new Login.TokenLogin("hunter2"));
        api = new HttpControlPlane(
                ClusterAccess.of(List.of(kubeconfig)),
                "test",
                "test",
                "imex-agent",
                100,
                Clock.systemUTC(),
                () -> 0.5,
                ApiObserver.NONE);
        apply("""
            {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}}""");
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private void apply(String json) {
        server.apply(Json.literal(json));
    }

    private static PlacedTemplate placed(PlacementMode mode) {
        return new PlacedTemplate(new ComputeDomainUid(UID), mode);
    }

    @Test
    void aPlacementIsReadAsItWasWritten() throws ApiException {
        var content = new CliquePlacement(
                Map.of("train.v1", placed(PlacementMode.REQUIRED), "infer", placed(PlacementMode.PREFERRED)));
        var placements = api.placements("team");

        Stored<CliquePlacement> stored = placements.create(CliquePlacement.NAME, content);

        assertThat(stored.content()).isEqualTo(content);
        ObjectNode written = server.get(ResourceType.CLIQUE_PLACEMENTS, "team", CliquePlacement.NAME)
                .orElseThrow();
        assertThat(written.path("spec").toString())
                .isEqualTo("{\"templates\":{\"infer\":{\"computeDomain\":\"" + UID + "\",\"mode\":\"Preferred\"},"
                        + "\"train.v1\":{\"computeDomain\":\"" + UID + "\",\"mode\":\"Required\"}}}");

        var fewer = new CliquePlacement(Map.of("infer", placed(PlacementMode.REQUIRED)));
        Stored<CliquePlacement> replaced = placements.replace(stored, fewer);
        assertThat(replaced.content()).isEqualTo(fewer);
        placements.delete(replaced);
        assertThat(server.get(ResourceType.CLIQUE_PLACEMENTS, "team", CliquePlacement.NAME))
                .isEmpty();
    }

    @Test
    void asManyAsThereMayBeWithTheLongestNamesAreReadByAWatch() throws Exception {
        Map<String, PlacedTemplate> templates = new HashMap<>();
        for (int number = 0; number < CliquePlacement.MOST_TEMPLATES; number++) {
            templates.put("%0253d".formatted(number), placed(PlacementMode.PREFERRED));
        }
        var _ = api.placements("team").create(CliquePlacement.NAME, new CliquePlacement(templates));
        var listed = new CompletableFuture<List<Stored<CliquePlacement>>>();

        var failure = api.watchPlacements(update -> {
            if (update instanceof WatchUpdate.ObjectsListed<Stored<CliquePlacement>>(var objects, var _)) {
                listed.complete(objects);
            }
        });

        assertThat(listed.get(20, TimeUnit.SECONDS).getFirst().content().templates())
                .isEqualTo(templates);
        assertThat(failure.get()).isEmpty();
    }

    @Test
    void podsWithTheLabelAreReadWithTheirNodeAndTheSchedulersWords() throws ApiException {
        apply("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"runs","namespace":"team",
             "labels":{"imexagent.io/compute-domain":"%s","imexagent.io/placement-group":"g"}},
             "spec":{"nodeName":"tray-1","containers":[{"name":"c","image":"i"}]},
             "status":{"phase":"Succeeded"}}""".formatted(UID));
        apply("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"waits","namespace":"team",
             "labels":{"imexagent.io/compute-domain":"%s"}},
             "spec":{"containers":[{"name":"c","image":"i"}]},
             "status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
              "message":"0/8 nodes are available"}]}}""".formatted(UID));
        apply("""
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"other","namespace":"team"},
             "spec":{"containers":[{"name":"c","image":"i"}]}}""");

        assertThat(api.placedPods())
                .containsExactlyInAnyOrder(
                        new PlacedPod("team", "runs", UID, "g", Optional.of("tray-1"), true, Optional.empty()),
                        new PlacedPod(
                                "team",
                                "waits",
                                UID,
                                "",
                                Optional.empty(),
                                false,
                                Optional.of("0/8 nodes are available")));
    }

    @Test
    void nodesSayTheirCliqueByTheLabel() throws ApiException {
        apply("""
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"tray-1","labels":{"nvidia.com/gpu.clique":"u.1"}}}""");
        apply("""
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"tray-2"}}""");

        assertThat(api.cliqueLabels()).isEqualTo(Map.of("tray-1", "u.1"));
    }

    @Test
    void aComputeDomainIsReadWithItsAnnotation() throws ApiException {
        apply("""
            {"apiVersion":"resource.nvidia.com/v1beta1","kind":"ComputeDomain",
             "metadata":{"name":"train","namespace":"team","annotations":{"imexagent.io/placement":"Required"}},
             "spec":{"numNodes":0,"channel":{"resourceClaimTemplate":{"name":"train"}}}}""");
        String uid = server.get(ResourceType.COMPUTE_DOMAINS, "team", "train")
                .orElseThrow()
                .at("/metadata/uid")
                .asText();

        assertThat(api.find(new ComputeDomainUid(uid), "team").orElseThrow().placement())
                .isEqualTo("Required");
    }
}
