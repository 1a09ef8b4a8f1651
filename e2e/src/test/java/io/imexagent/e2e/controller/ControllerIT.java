package io.imexagent.e2e.controller;

import static io.imexagent.e2e.controller.ControllerWorld.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.Controller;
import io.imexagent.core.policy.Isolation;
import io.imexagent.e2e.controlplane.DomainLoad;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.FaultMatch;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.access.Verb;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
        assertThat(made.path("spec")).isEqualTo(captured.path("spec"));
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
        assertThat(world.domain("train").path("status").has("channel")).isFalse();
        assertThat(world.domain("train").path("status").has("nodes")).isFalse();
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
    void givesEachDomainAChannelOfItsOwn() throws InterruptedException {
        world.create("red");
        world.create("blue");
        world.controller(Isolation.IMEX_CHANNEL);
        await("ready", () -> world.ready("red") && world.ready("blue"));

        int red = world.domain("red").path("status").path("channel").asInt();
        int blue = world.domain("blue").path("status").path("channel").asInt();
        assertThat(List.of(red, blue)).containsExactlyInAnyOrder(1, 2);
        assertThat(world.template("red")
                        .at("/spec/spec/devices/requests/0/exactly")
                        .toString())
                .isEqualTo("{\"allocationMode\":\"ExactCount\",\"count\":1,\"deviceClassName\":"
                        + "\"compute-domain-channel.nvidia.com\",\"selectors\":[{\"cel\":{\"expression\":"
                        + "\"device.attributes['compute-domain.nvidia.com'].id == " + red + "\"}}]}");
    }

    @Test
    void keepsTheChannelOfADeletedDomainWhileItsClaimsLive() throws InterruptedException {
        world.create("train");
        world.controller(Isolation.IMEX_CHANNEL);
        await("ready", () -> world.ready("train"));
        String uid = world.domain("train").path("metadata").path("uid").asText();
        ObjectNode pod = Fixtures.pod("default", "pod", Fixtures.uid(7), "tray-1", "claim");
        world.api.apply(Fixtures.allocatedClaim("default", "claim", Fixtures.uid(8), "tray-1", uid, pod));
        world.delete("train");

        await("told", () -> world.reasons().contains("ClaimsAlive"));
        assertThat(world.gone("train")).isFalse();
        assertThat(world.template("train").isEmpty()).isTrue();
        world.api.remove(ResourceType.RESOURCE_CLAIMS, "default", "claim");

        await("gone", () -> world.gone("train"));
    }

    @Test
    void livesThroughDroppedWatchesConflictsSlowAndFailingCalls() throws InterruptedException {
        world.api.inject(FaultMatch.of(Verb.CREATE, "resourceclaimtemplates"), FaultAction.answer(409), 1);
        world.api.inject(FaultMatch.of(Verb.PATCH, "computedomains/status"), FaultAction.answer(500), 2);
        world.api.inject(FaultMatch.of(Verb.PATCH, "computedomains"), new FaultAction.Drop(), 1);
        world.api.inject(FaultMatch.of(Verb.CREATE, "leases"), new FaultAction.Delay(Duration.ofMillis(300)), 2);
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
        assertThat(world.domain("next").path("status").path("channel").asInt()).isEqualTo(2);
    }

    /** What a controller asks at its start: each collection once, and a watch of it. */
    private static final int OPENING = 4 + 4;

    @Test
    void nothingIsAskedAtRestNorByARestartedController() throws InterruptedException {
        for (int i = 0; i < 20; i++) {
            world.create("domain-" + i);
        }
        var load = new DomainLoad(world.api);
        load.count();
        Controller first = world.controller(Isolation.NONE);
        await("ready", () -> world.ready("domain-19") && first.idle());
        // And the Lease of the election is made.
        assertThat(load.calls()).isEqualTo(3 * 20 + OPENING + 1);
        load.count();
        Thread.sleep(2500);
        assertThat(load.calls())
                .as("at rest: %s", world.api.requests().counts())
                .isZero();
        assertThat(load.election()).isPositive();
        first.close();
        load.count();

        Controller second = world.controller(Isolation.NONE);
        await("leads", () -> second.leads() && second.listed() && second.idle());
        Thread.sleep(2500);

        assertThat(load.calls()).isEqualTo(OPENING);
    }

    @Test
    void anIsolatedDomainCostsFourCallsAndItsDeletionFiveAndAnEvent() throws InterruptedException {
        for (int i = 0; i < 30; i++) {
            world.create("domain-" + i);
        }
        var load = new DomainLoad(world.api);
        load.count();
        Controller controller = world.controller(Isolation.IMEX_CHANNEL);
        for (int i = 0; i < 30; i++) {
            String name = "domain-" + i;
            await("ready", () -> world.ready(name) && controller.idle());
        }
        assertThat(load.calls()).isEqualTo(4 * 30 + OPENING + 1);
        load.count();

        for (int i = 0; i < 30; i++) {
            world.delete("domain-" + i);
        }
        for (int i = 0; i < 30; i++) {
            String name = "domain-" + i;
            await("gone", () -> world.gone(name) && controller.idle());
        }

        // Whether claims live is asked of the server before a channel is released; the watch alone could lag behind.
        assertThat(world.api.requests().count("list", "resourceclaims")).isEqualTo(30);
        assertThat(load.calls()).isEqualTo(6 * 30);
    }

    @Test
    void fiveThousandDomainsComeAndGo() throws InterruptedException {
        var load = new DomainLoad(world.api);
        for (int number = 1; number <= 5000; number++) {
            load.create(number);
        }
        load.count();
        world.controller(Isolation.NONE);
        DomainLoad.await(Duration.ofMinutes(5), () -> load.allReady(5000));
        assertThat(load.calls()).isLessThanOrEqualTo(4 * 5000);
        load.count();

        for (int number = 1; number <= 5000; number++) {
            load.delete(number);
        }
        DomainLoad.await(Duration.ofMinutes(5), () -> load.allGone(5000, 0));

        assertThat(load.calls()).isLessThanOrEqualTo(4 * 5000);
    }
}
