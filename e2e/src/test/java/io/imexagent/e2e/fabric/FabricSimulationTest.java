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
        var fleet = new FabricSimulation.Fleet(3, 18, 60, 2, 54, Duration.ofSeconds(40), Duration.ofMinutes(5), 0);
        var simulation = new FabricSimulation(fleet, seed);

        ObjectNode report = simulation.play();

        assertThat(simulation.figures().bound()).as("seed %d", seed).isGreaterThan(1_000);
        assertThat(report.path("refused for want of a channel").asInt()).isZero();
    }

    @Test
    void whereChannelsRunOutClaimsWaitForThem() {
        var fleet = new FabricSimulation.Fleet(1, 18, 300, 1, 2, Duration.ofMinutes(2), Duration.ofMinutes(2), 0);
        var simulation = new FabricSimulation(fleet, 1);

        ObjectNode report = simulation.play();

        assertThat(report.path("refused for want of a channel").asInt()).isPositive();
    }

    /** What a node could see it goes against, and what is used twice after the last consequence of a damage, end it. */
    @Test
    void nodesBreakNothingFurtherInTablesThatSomebodyDamages() {
        long seed = ThreadLocalRandom.current().nextLong();
        var fleet = new FabricSimulation.Fleet(3, 18, 60, 1, 9, Duration.ofSeconds(30), Duration.ofMinutes(20), 3);
        var simulation = new FabricSimulation(fleet, seed);

        simulation.play();

        Figures figures = simulation.figures();
        assertThat(figures.conflicts()).as("claims refused, seed %d", seed).isPositive();
        assertThat(figures.furtherClaims()).as("further claims, seed %d", seed).isGreaterThan(1_000);
        assertThat(figures.mended()).as("cliques mended, seed %d", seed).isGreaterThan(10);
        assertThat(figures.stillDamaged())
                .as("cliques not mended, seed %d", seed)
                .isZero();
    }

    @Test
    void theSameSeedPlaysTheSame() {
        var fleet = new FabricSimulation.Fleet(2, 18, 30, 2, 36, Duration.ofSeconds(30), Duration.ofMinutes(1), 0);

        assertThat(new FabricSimulation(fleet, 7).play()).isEqualTo(new FabricSimulation(fleet, 7).play());
    }
}
