package io.imexagent.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Channels per clique: on several nodes, on nodes that come, go and move, and over tables that somebody bent. */
@ExtendWith(Worlds.class)
class CliquesIT {

    private static final String OTHER_NODE = "other-node";
    private static final UUID OTHER_CLUSTER = UUID.fromString("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153");

    @Test
    void twoCliquesUseTheSameNumberAtOnce(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            World other = world.other(OTHER_NODE).with("imex.isolation", "IMEXChannel");
            move(other.driver());
            AgentProcess agent = cluster.startAgent();
            AgentProcess there = other.startRegistered(other.launch());
            there.awaitTrue("both tables", () -> cluster.tables().size() == 2);
            KubeletClaimRequest first = cluster.schedule(World.NODE, "first", cluster.create("first"));
            KubeletClaimRequest second = cluster.schedule(OTHER_NODE, "second", cluster.create("second"));

            world.awaitPrepared(agent, first);
            other.awaitPrepared(there, second);

            assertThat(cluster.channel("first")).isEqualTo(1);
            assertThat(cluster.channel("second")).isEqualTo(1);
            assertThat(cluster.tables())
                    .allSatisfy(table -> assertThat(table.at("/spec/channels")).hasSize(1));
        }
    }

    @Test
    void twentyComputeDomainsShareANode(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startAgent();
            List<String> domains =
                    IntStream.range(0, 20).mapToObj(i -> "domain-" + i).toList();
            List<KubeletClaimRequest> claims = new ArrayList<>();
            for (String domain : domains) {
                claims.add(cluster.schedule(World.NODE, domain, cluster.create(domain)));
                world.awaitPrepared(agent, claims.getLast());
            }

            assertThat(domains.stream().map(cluster::channel)).doesNotHaveDuplicates();
            for (int i = 0; i < domains.size(); i++) {
                assertThat(cluster.spec(claims.get(i))).contains("/channel" + cluster.channel(domains.get(i)) + "\"");
            }
            for (KubeletClaimRequest claim : claims) {
                assertThat(world.kubelet().unprepare(claim)).isInstanceOf(ClaimResult.ClaimDone.class);
            }
            agent.awaitTrue("all channels to be free", () -> cluster.entries().isEmpty());
        }
    }

    @Test
    void aNodeThatMovesBindsInItsNewCliqueOnceNothingOfTheOldOneIsInUse(World world) throws Exception {
        FakeNvmlLibrary driver = world.driver();
        driver.write(TrayPreset.GB200);
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            cluster.awaitPrepared(agent, "red");
            String old = cluster.tables().getFirst().at("/metadata/name").asText();
            move(driver);
            agent.awaitTrue(
                    "the number of red in both tables", () -> cluster.entries().size() == 2);

            assertThat(World.refusal(world.kubelet().prepare(cluster.claim("blue"))))
                    .contains("[clique_left]");
            assertThat(cluster.entries()).hasSize(2);

            assertThat(world.kubelet().unprepare(cluster.claim("red"))).isInstanceOf(ClaimResult.ClaimDone.class);
            cluster.awaitPrepared(agent, "blue");
            agent.awaitTrue("the old table to go", () -> cluster.tables().size() == 1);
            assertThat(cluster.tables().getFirst().at("/metadata/name").asText())
                    .isNotEqualTo(old)
                    .endsWith(".7");
            agent.awaitTrue("blue alone", () -> cluster.entries().size() == 1);
            assertThat(cluster.channel("blue")).isPositive();
        }
    }

    @Test
    void aNodeThatIsDeletedAndJoinsAgainHoldsWhatItsPodsUse(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            cluster.awaitPrepared(agent, "red");
            int red = cluster.channel("red");
            world.api().remove(ResourceType.NODES, "", World.NODE);
            world.api().deleteSlicesOfNode(World.NODE);
            world.api().apply(Fixtures.node(World.NODE, Fixtures.uid(4712)));
            agent.awaitTrue("the device to be published again", () -> cluster.published() == 1);

            cluster.awaitPrepared(agent, "blue");

            assertThat(cluster.channel("red")).isEqualTo(red).isNotEqualTo(cluster.channel("blue"));
            assertThat(cluster.holds()).hasSize(2);
        }
    }

    @Test
    void aTableOfABackupGetsWhatItLacksBeforeAnythingElseIsHandedOut(World world) throws Exception {
        try (var cluster = IsolatedCluster.around(world)) {
            AgentProcess agent = cluster.startTwoDomains();
            cluster.awaitPrepared(agent, "red");
            int red = cluster.channel("red");
            ObjectNode table = cluster.tables().getFirst();
            world.api()
                    .edit(
                            ResourceType.NVLINK_CLIQUES,
                            "",
                            table.at("/metadata/name").asText(),
                            older -> older.withObject("/spec").putArray("channels"));
            agent.awaitTrue("red to be there again", () -> cluster.entries().size() == 1);

            cluster.awaitPrepared(agent, "blue");

            assertThat(cluster.channel("red")).isEqualTo(red).isNotEqualTo(cluster.channel("blue"));
        }
    }

    /** Lets a node's GPUs be in another clique. */
    private static void move(FakeNvmlLibrary driver) throws Exception {
        driver.write(TrayPreset.GB200);
        driver.write(driver.tray().withEveryGpu(gpu -> gpu.withFabric(SimulatedFabric.healthy(OTHER_CLUSTER, 7))));
    }
}
