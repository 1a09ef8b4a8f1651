package io.imexagent.rdma.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.report.RdmaPeer;
import io.imexagent.rdma.selection.Choice.SelectionRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules that the harness of seed 002 learned the hard way, each by its name there. */
class SeedRulesTest {

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void layOut() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void uplinksStayOnTheHost() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0020:03:00.0", "eth0").ipv4("10.7.0.1/24"));

        Selection selection = Selections.of(tree);

        assertThat(Selections.rails(selection)).containsExactly("rdma0", "rdma1", "rdma2", "rdma3");
        assertThat(Selections.dropped(selection, "mlx5_8").rule()).isEqualTo(SelectionRule.EXCLUDED);
        assertThat(Selections.dropped(selection, "mlx5_8").reason())
                .isEqualTo("eth0 matches the exclude pattern \"^eth[0-9]+$\"");
        assertThat(Selections.codes(selection)).containsOnlyOnce("rdma-nic-excluded");
    }

    @Test
    void anEmptyExcludePatternIsOff() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0020:03:00.0", "eth0").ipv4("10.7.0.1/24"));

        assertThat(Selections.rails(Selections.of(tree, Selections.excludingNothing())))
                .contains("eth0");
    }

    @Test
    void theExcludePatternIsTheOperators() throws IOException {
        assertThat(Selections.rails(Selections.of(tree, Selections.excluding("^rdma[01]$"))))
                .containsExactly("rdma2", "rdma3");
    }

    @Test
    void anExplicitIncludeListBeatsTheExcludePattern() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0020:03:00.0", "eth0").ipv4("10.7.0.1/24"));

        Selection selection = Selections.of(tree, Selections.including("eth0", "rdma1"));

        assertThat(Selections.rails(selection)).containsExactly("rdma1", "eth0");
        assertThat(Selections.dropped(selection, "mlx5_0").rule()).isEqualTo(SelectionRule.NOT_INCLUDED);
    }

    @Test
    void anIncludeListFiltersTheRealScanAndNeverReplacesIt() throws IOException {
        Selection selection = Selections.of(tree, Selections.including("rdma0", "rdma9"));

        assertThat(Selections.rails(selection)).containsExactly("rdma0");
        assertThat(Rail.ncclIbHca(selection.rails())).contains("=mlx5_0");
        assertThat(selection.verdicts()).hasSize(8);
        assertThat(Selections.codes(selection)).containsExactly("rdma-include-unmatched");
        assertThat(selection.findings().getFirst().message()).contains("\"rdma9\"");
    }

    @Test
    void ncclIbHcaNamesTheKeptDevicesExactly() throws IOException {
        tree.add(new FixtureNic("mlx5_10", "0022:03:00.0", "rdma10").ipv4("10.1.10.1/31"));

        Selection selection = Selections.of(tree);

        assertThat(Rail.ncclIbHca(selection.rails())).contains("=mlx5_0,mlx5_1,mlx5_4,mlx5_5,mlx5_10");
        assertThat(Rail.ncclGidIndex(selection.rails())).hasValue(3);
    }

    @Test
    void nicsWithoutIpv4AreLeftOutWithANote() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        Selection selection = Selections.of(tree);

        assertThat(Selections.rails(selection)).containsExactly("rdma0", "rdma2", "rdma3");
        assertThat(Selections.dropped(selection, "mlx5_1").reason()).isEqualTo("RDMA netdev rdma1 has no IPv4 address");
        assertThat(selection.failures()).isEmpty();
    }

    @Test
    void strictModeFailsForANicWithoutIpv4() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        Selection selection = Selections.of(tree, Selections.strict());

        assertThat(selection.failures()).containsExactly("RDMA netdev rdma1 has no IPv4 address");
        assertThat(selection.rails()).isEmpty();
        assertThat(Selections.codes(selection)).containsExactly("rdma-no-address");
    }

    @Test
    void strictModeDoesNotMindANicThatTheIncludeListLeavesOut() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        assertThat(Selections.rails(Selections.of(tree, Selections.strict("rdma0", "rdma2"))))
                .containsExactly("rdma0", "rdma2");
        assertThat(Selections.of(tree, Selections.strict("rdma0", "mlx5_1")).failures())
                .containsExactly("RDMA netdev rdma1 has no IPv4 address");
    }

    @Test
    void strictModeDoesNotMindANicThatThePeerDoesNotHave() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        assertThat(Selections.rails(Selections.withPeer(tree, Selections.strict(), "rdma0", "mlx5_4")))
                .containsExactly("rdma0", "rdma2");
        assertThat(Selections.withPeer(tree, Selections.strict(), "rdma0", "rdma1")
                        .failures())
                .containsExactly("RDMA netdev rdma1 has no IPv4 address");
    }

    @Test
    void strictModeLeavesTheComparisonWithThePeerItsRails() throws IOException {
        tree.change("mlx5_1", FixtureNic::withoutAddress);

        Selection strict = Selections.of(tree, Selections.strict());
        assertThat(strict.rails()).isEmpty();

        RdmaPeer.Difference difference = new RdmaPeer(Set.of("rdma0")).difference(strict);

        assertThat(difference.onlyHere()).containsExactly("rdma2", "rdma3");
        assertThat(difference.onlyThere()).isEmpty();
    }

    @Test
    void thePeerSetKeepsOnlyWhatThePeerHasToo() throws IOException {
        Selection selection = Selections.withPeer(tree, Settings.OFF, "rdma0", "mlx5_4", "rdma7");

        assertThat(Selections.rails(selection)).containsExactly("rdma0", "rdma2");
        assertThat(Selections.dropped(selection, "mlx5_1").rule()).isEqualTo(SelectionRule.NOT_AT_PEER);
        RdmaPeer.Difference difference = new RdmaPeer(Set.of("rdma0", "mlx5_4", "rdma7")).difference(selection);
        assertThat(difference.onlyHere()).containsExactly("rdma1", "rdma3");
        assertThat(difference.onlyThere()).containsExactly("rdma7");
        assertThat(difference.isNone()).isFalse();
        assertThat(new RdmaPeer(Set.of("rdma0", "rdma1", "mlx5_4", "mlx5_5"))
                        .difference(Selections.of(tree))
                        .isNone())
                .isTrue();
    }

    @Test
    void nicsInOneSubnetThatAnswerForEachOtherAreTold() throws IOException {
        for (String name : Set.of("mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5")) {
            tree.change(name, nic -> nic.withoutAddress().ipv4("10.0.0." + (10 + name.charAt(5)) + "/12"));
        }

        Selection selection = Selections.of(tree);

        assertThat(Selections.codes(selection)).containsExactly("rdma-arp-shared-subnet");
        assertThat(selection.findings().getFirst().message())
                .startsWith(
                        "rdma0, rdma1, rdma2, rdma3 share the subnet 10.0.0.0/12 and would answer ARP for each other:")
                .contains("rdma0: arp_announce=0, needs 2, arp_ignore=0, needs 1");
    }

    @Test
    void theEffectiveArpValueIsTheLargerOneAndForTheFilterEither() throws IOException {
        for (String name : Set.of("mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5")) {
            tree.change(name, nic -> nic.withoutAddress().ipv4("10.0.0." + (10 + name.charAt(5)) + "/12"));
        }
        tree.arp("all", 2, 0, 1, 0);
        for (String netdev : Set.of("rdma0", "rdma1", "rdma2", "rdma3")) {
            tree.arp(netdev, 0, 1, 0, 1);
        }
        assertThat(Selections.codes(Selections.of(tree))).isEmpty();

        tree.arp("all", 2, 0, 1, 2);
        assertThat(Selections.of(tree).findings().getFirst().message()).contains("rp_filter=2, needs 1");
    }

    /** A flat subnet: the interface of the host would answer for the one rail as well. */
    @Test
    void anInterfaceThatIsNoRailAndAnswersForOneIsTold() throws IOException {
        tree.addressed("mgmt0", "10.1.0.9/31")
                .change("mlx5_0", nic -> nic.withoutAddress().ipv4("10.1.0.8/31"));

        assertThat(Selections.of(tree).findings().getFirst().message())
                .startsWith("rdma0, mgmt0 share the subnet 10.1.0.8/31 and would answer ARP for each other: rdma0: ")
                .endsWith("; mgmt0: arp_announce=0, needs 2, arp_ignore=0, needs 1");

        tree.arp("rdma0", 2, 1, 1, 1).arp("mgmt0", 2, 1, 0, 0);
        assertThat(Selections.codes(Selections.of(tree))).isEmpty();
    }

    @Test
    void aDeviceThatIsNoPciDeviceIsLeftOut() throws IOException {
        tree.softDevice("rxe0");

        Selection selection = Selections.of(tree);

        assertThat(Selections.dropped(selection, "rxe0").reason()).contains("in software");
        assertThat(Selections.codes(selection)).isEmpty();
    }

    @Test
    void everyDroppedNicIsNamedWithItsReasonAndARemedy() throws IOException {
        tree.bindToVfio("mlx5_1");

        Selection selection = Selections.of(tree);

        assertThat(selection.rails().size() + selection.dropped().size()).isEqualTo(8);
        assertThat(selection.dropped()).allSatisfy(verdict -> {
            Choice.DroppedNic dropped = (Choice.DroppedNic) verdict.choice();
            assertThat(dropped.reason()).isNotBlank();
            assertThat(dropped.remedy()).isNotBlank();
        });
    }
}
