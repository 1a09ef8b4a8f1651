package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node costs an API server while nothing happens, whatever its agent does on its own host. */
@ExtendWith(Worlds.class)
class AtRestIT {

    /** Several rounds of all that the agent does by the clock in a test: it reads the host each second. */
    private static final Duration WINDOW = Duration.ofSeconds(8);

    @ParameterizedTest
    @ValueSource(strings = {"None", "IMEXChannel"})
    void twoWatchesStandAndNothingIsAsked(String isolation, World world) throws Exception {
        AgentProcess agent = world.with("imex.isolation", isolation).startRegistered(world.launch());
        agent.awaitTrue("slices", () -> !world.slices().isEmpty());
        agent.awaitTrue("both watches", () -> world.api().openWatches() == 2);
        agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
        // What belongs to the start and to the first look at nvidia-imex has ended by then.
        Thread.sleep(2000);
        world.api().requests().clear();

        Thread.sleep(WINDOW.toMillis());

        assertThat(world.api().requests().counts()).isEmpty();
        assertThat(world.api().openWatches()).isEqualTo(2);
    }

    @Test
    void aPodThatStartsCostsOneReadOfItsClaimAndOneOfItsComputeDomain(World world) throws Exception {
        AgentProcess agent = world.startServing();
        agent.awaitTrue("both watches", () -> world.api().openWatches() == 2);
        ClaimedPod workload = world.schedule(1);
        world.api().requests().clear();

        world.awaitPrepared(agent, workload);
        world.awaitUnprepared(agent, workload);

        assertThat(world.api().requests().counts())
                .isEqualTo(Map.of("get resourceclaims", 1, "list computedomains", 1));
    }
}
