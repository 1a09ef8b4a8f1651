package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.CLIQUE;
import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.Controller;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.bench.DomainLoad;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The controller over the wire, with exactly the rights that the manifests give it. */
class ControllerIT {

    @TempDir
    Path folder;

    private ControllerWorld world;

    @BeforeEach
    void open() throws IOException {
        world = new ControllerWorld(folder);
    }

    @AfterEach
    void close() {
        assertThat(world.api.requests().answers()).as("a right is missing").doesNotContainKey(403);
        world.close();
    }

    @Test
    void makesTheTemplateThatThePublicControllerMakes() throws InterruptedException {
        world.create("train");
        world.controller(Isolation.NONE);
        await("ready", () -> world.ready("train"));

        JsonNode captured = Fixtures.claimTemplate(
                "default",
                "train-channel",
                world.domain("train").path("metadata").path("uid").asText());
        JsonNode made = world.template("train");
        assertThat(made.at("/spec/metadata").toString())
                .as("but for the ComputeDomain's name, which claims bear")
                .isEqualTo("{\"annotations\":{\"imexagent.io/compute-domain\":\"train\"}}");
        assertThat(made.at("/spec/spec")).isEqualTo(captured.at("/spec/spec"));
        assertThat(made.path("metadata").path("labels"))
                .isEqualTo(captured.path("metadata").path("labels"));
        assertThat(made.path("metadata").path("finalizers"))
                .isEqualTo(captured.path("metadata").path("finalizers"));
        assertThat(world.domain("train")
                        .path("metadata")
                        .path("finalizers")
                        .path(0)
                        .asText())
                .isEqualTo(ControllerWorld.FINALIZER);
        assertThat(world.domain("train").path("status").has("nodes")).isFalse();
        assertThat(world.conditions("train"))
                .containsExactly(
                        "Ready=True TemplateReady", "ChannelBound=Unknown IsolationNone", "Degraded=False AsExpected");
        JsonNode ready = world.domain("train").at("/status/conditions/0");
        assertThat(ready.path("observedGeneration"))
                .isEqualTo(world.domain("train").at("/metadata/generation"));
        assertThat(ready.path("lastTransitionTime").asText()).matches("[0-9-]{10}T[0-9:]{8}Z");
    }

    @Test
    void deletesTheTemplateAndLetsTheDomainGo() throws InterruptedException {
        world.create("train");
        world.controller(Isolation.NONE);
        await("ready", () -> world.ready("train"));

        world.delete("train");

        await("gone", () -> world.gone("train"));
        assertThat(world.api.list(ResourceType.RESOURCE_CLAIM_TEMPLATES)).isEmpty();
    }

    @Test
    void withIsolationTheTemplateAsksForTheClassAndNoNumber() throws InterruptedException {
        world.create("red");
        world.controller(Isolation.IMEX_CHANNEL);
        await("ready", () -> world.ready("red"));

        assertThat(world.template("red")
                        .at("/spec/spec/devices/requests/0/exactly")
                        .toString())
                .isEqualTo("{\"allocationMode\":\"ExactCount\",\"count\":1,\"deviceClassName\":"
                        + "\"compute-domain-channel.nvidia.com\"}");
    }

    @Test
    void makesTheTableOfACliqueFromWhatItsNodesHoldFreesChannelsAndDeletesIt() throws InterruptedException {
        world.create("red");
        world.hold("tray-1", CLIQUE, "red", 5);
        world.controller(Isolation.IMEX_CHANNEL);
        await("table", () -> world.bound(CLIQUE).equals(Optional.of(List.of(5))));
        await("condition", () -> world.conditions("red").contains("ChannelBound=True ChannelAssigned"));

        world.delete("red");
        await("gone at once", () -> world.gone("red"));
        assertThat(world.bound(CLIQUE)).contains(List.of(5));

        world.release("tray-1", CLIQUE);
        await("free", () -> world.bound(CLIQUE).equals(Optional.of(List.of())));

        world.api.remove(ResourceType.NVLINK_NODES, "", "tray-1");
        await("no table", () -> world.bound(CLIQUE).isEmpty());
    }

    @Test
    void aTemplateWithoutItsLabelsIsMendedAndGoesWithItsDomain() throws InterruptedException {
        world.create("train");
        world.controller(Isolation.NONE);
        await("ready", () -> world.ready("train"));
        String uid = world.template("train").at("/metadata/uid").asText();

        world.api.edit(
                ResourceType.RESOURCE_CLAIM_TEMPLATES,
                "default",
                "train-channel",
                template -> template.withObject("/metadata").remove("labels"));
        await("mended", () -> world.template("train").at("/metadata").has("labels"));

        assertThat(world.template("train").at("/metadata/uid").asText()).isEqualTo(uid);
        world.delete("train");
        await("gone", () -> world.gone("train"));
        assertThat(world.api.list(ResourceType.RESOURCE_CLAIM_TEMPLATES)).isEmpty();
    }

    @Test
    void livesThroughDroppedWatchesConflictsSlowAndFailingCalls() throws InterruptedException {
        world.api.inject(LoggedRequest.of(RequestVerb.CREATE, "resourceclaimtemplates"), FaultAction.answer(409), 1);
        world.api.inject(LoggedRequest.of(RequestVerb.PATCH, "computedomains/status"), FaultAction.answer(500), 2);
        world.api.inject(LoggedRequest.of(RequestVerb.PATCH, "computedomains"), new FaultAction.Drop(), 1);
        world.api.inject(
                LoggedRequest.of(RequestVerb.LIST, "nvlinknodes"), new FaultAction.Delay(Duration.ofMillis(300)), 2);
        world.create("first");
        world.controller(Isolation.IMEX_CHANNEL);
        await("first", () -> world.ready("first"));
        world.api.dropWatches();
        world.create("second");
        await("second", () -> world.ready("second"));
        world.api.compact();
        world.api.dropWatches();
        world.create("third");
        world.delete("first");

        await("third", () -> world.ready("third") && world.gone("first"));
    }

    @Test
    void anotherControllerTakesOverAndOneOfTwoWorks() throws InterruptedException {
        Controller first = world.controller(Isolation.IMEX_CHANNEL);
        await("leads", first::leads);
        Controller second = world.controller(Isolation.IMEX_CHANNEL);
        world.create("train");
        await("ready", () -> world.ready("train"));
        assertThat(second.leads()).isFalse();

        first.close();
        await("leads", second::leads);
        world.create("next");

        await("ready", () -> world.ready("next"));
    }

    @Test
    void nothingIsAskedAtRestNorByARestartedController() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            world.create("domain-" + i);
        }
        var load = new DomainLoad(world.api);
        load.count();
        Controller first = world.controller(Isolation.IMEX_CHANNEL);
        await("ready", () -> world.ready("domain-19") && first.idle());
        // And the Lease of the election is made.
        assertThat(load.calls()).isEqualTo(3 * 20 + ControllerWorld.OPENING + 1);
        load.count();
        Thread.sleep(2500);
        assertThat(load.calls())
                .as("at rest: %s", world.api.requests().counts())
                .isZero();
        assertThat(load.election()).isPositive();
        first.close();
        load.count();

        Controller second = world.controller(Isolation.IMEX_CHANNEL);
        await("leads", () -> second.leads() && second.listed() && second.idle());
        Thread.sleep(2500);

        assertThat(load.calls()).isEqualTo(ControllerWorld.OPENING);
    }
}
