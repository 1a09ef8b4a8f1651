package io.imexagent.e2e.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class FabricSimulationTest {

    /** A channel that two ComputeDomains use, and one that is left over, end the simulation. */
    @Test
    void aSmallFleetUnderLoadSharesNoChannelAndLeavesNone() {
        long seed = ThreadLocalRandom.current().nextLong();
        var fleet = new FabricSimulation.Fleet(3, 18, 60, 2, 54, Duration.ofSeconds(40), Duration.ofMinutes(5));
        var simulation = new FabricSimulation(fleet, seed);

        ObjectNode report = simulation.play();

        assertThat(simulation.figures().bound()).as("seed %d", seed).isGreaterThan(1_000);
        assertThat(report.path("refused for want of a channel").asInt()).isZero();
    }

    @Test
    void whereChannelsRunOutClaimsWaitForThem() {
        var fleet = new FabricSimulation.Fleet(1, 18, 300, 1, 2, Duration.ofMinutes(2), Duration.ofMinutes(2));
        var simulation = new FabricSimulation(fleet, 1);

        ObjectNode report = simulation.play();

        assertThat(report.path("refused for want of a channel").asInt()).isPositive();
    }

    @Test
    void theSameSeedPlaysTheSame() {
        var fleet = new FabricSimulation.Fleet(2, 18, 30, 2, 36, Duration.ofSeconds(30), Duration.ofMinutes(1));

        assertThat(new FabricSimulation(fleet, 7).play()).isEqualTo(new FabricSimulation(fleet, 7).play());
    }
}
