package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.CLIQUE;
import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.Controller;
import io.imexagent.controller.manifests.Manifests;
import io.imexagent.controller.manifests.Manifests.ManifestOptions;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.access.RoleGrant;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rule that the manifests lacked would be found, as the double grants by subresource and namespace; so is one too many. */
class ControllerRightsIT {

    @TempDir
    Path folder;

    @Test
    void everyRightIsUsed() throws IOException, InterruptedException {
        try (var world = new ControllerWorld(folder)) {
            world.api.inject(
                    LoggedRequest.of(RequestVerb.CREATE, "resourceclaimtemplates"), FaultAction.answer(409), 1);
            world.create("red");
            world.api.edit(
                    ResourceType.COMPUTE_DOMAINS,
                    "default",
                    "red",
                    domain -> domain.withArray("/status/conditions").add(Json.literal("""
                            {"type":"Others","status":"True","reason":"Theirs","message":"",
                             "lastTransitionTime":"2026-11-21T12:00:00Z"}""")));
            world.hold("tray-1", CLIQUE, "red", 5);
            world.controller(Isolation.IMEX_CHANNEL, Duration.ofSeconds(1));
            await("table", () -> world.bound(CLIQUE).isPresent());
            await("ready", () -> world.ready("red"));
            wantsPlacement(world);
            await("placed", () -> isPlaced(world));
            emptyPlacement(world);
            await("placed again", () -> world.api.requests().count("update", "cliqueplacements") > 0);
            // It wants the template's name that the first one has.
            world.create("blue", "red-channel");
            await("told", () -> world.reasons().contains("TemplateNameTaken"));
            tellAgain(world);

            world.api.remove(ResourceType.NODES, "", "tray-1");
            await("lost", () -> world.api.list(ResourceType.NVLINK_NODES).isEmpty());
            world.delete("red");
            await("gone", () -> world.gone("red"));
            await("nothing placed", () -> !isPlaced(world));
            await("no table", () -> world.bound(CLIQUE).isEmpty());

            assertThat(world.api.requests().answers()).doesNotContainKey(403);
            assertThat(world.api.requests().counts().keySet())
                    .containsAll(ControllerWorld.rights().stream()
                            .flatMap(grant -> grant.verbs().stream()
                                    .map(verb ->
                                            verb.text() + " " + grant.type().plural()
                                                    + (grant.subresource().isEmpty() ? "" : "/" + grant.subresource())))
                            .toList());
        }
    }

    private static void wantsPlacement(ControllerWorld world) {
        world.api.edit(ResourceType.COMPUTE_DOMAINS, "default", "red", domain -> {
            ObjectNode metadata = domain.withObject("/metadata");
            metadata.putObject("annotations").put(DriverNames.PLACEMENT_ANNOTATION, "Required");
        });
    }

    private static void emptyPlacement(ControllerWorld world) {
        world.api.edit(ResourceType.CLIQUE_PLACEMENTS, "default", "imex-agent", placement -> {
            ObjectNode spec = placement.withObject("/spec");
            spec.putObject("templates");
        });
    }

    private static boolean isPlaced(ControllerWorld world) {
        return world.api
                .get(ResourceType.CLIQUE_PLACEMENTS, "default", "imex-agent")
                .isPresent();
    }

    /** A problem that is back before the controller has seen the domain without it is not reported again. */
    private static void tellAgain(ControllerWorld world) throws InterruptedException {
        for (int tries = 0; world.api.requests().count("patch", "events") == 0; tries++) {
            assertThat(tries).as("times that the name was free and taken again").isLessThan(20);
            wantsTemplate(world, "blue-channel");
            await("blue", () -> world.ready("blue"));
            wantsTemplate(world, "red-channel");
            await("blue lost its name", () -> !world.ready("blue"));
        }
    }

    private static void wantsTemplate(ControllerWorld world, String name) {
        world.api.edit(
                ResourceType.COMPUTE_DOMAINS,
                "default",
                "blue",
                domain ->
                        domain.withObject("/spec/channel/resourceClaimTemplate").put("name", name));
    }

    @Test
    void aRuleForComputeDomainsIsNoneForTheirStatus() throws IOException, InterruptedException {
        List<RoleGrant> rights = ControllerWorld.rights().stream()
                .filter(grant -> grant.subresource().isEmpty())
                .toList();
        try (var world = new ControllerWorld(folder, rights)) {
            world.create("train");
            world.controller(Isolation.NONE);

            await("told", () -> world.reasons().contains("ReconcileFailed"));

            assertThat(world.api
                            .list(ResourceType.EVENTS)
                            .getFirst()
                            .path("message")
                            .asText())
                    .contains("computedomains/status");
            assertThat(world.ready("train")).isFalse();
        }
    }

    @Test
    void aRoleOfAnotherNamespaceIsNoneForTheControllers() throws IOException, InterruptedException {
        var elsewhere = new ManifestOptions(
                true, Isolation.IMEX_CHANNEL, false, "elsewhere", ControllerWorld.USER, false, false, false, false);
        List<RoleGrant> rights = new BoundRules(Manifests.of(elsewhere)).of(ControllerWorld.USER);
        try (var world = new ControllerWorld(folder, rights)) {
            Controller controller = world.controller(Isolation.IMEX_CHANNEL);

            await("refused", () -> world.api.requests().answers().containsKey(403));
            await("told", () -> controller.electionFailure().isPresent());

            assertThat(controller.electionFailure().orElseThrow().message()).contains("leases");
            assertThat(controller.leads()).isFalse();
        }
    }
}
