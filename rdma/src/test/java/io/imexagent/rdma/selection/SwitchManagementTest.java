package io.imexagent.rdma.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.fixture.Vpds;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Functions of the ConnectX bridge to the NVSwitches look like rails: same device, link ACTIVE, a LID. */
class SwitchManagementTest {

    @TempDir
    Path root;

    @Test
    void aFunctionWhoseVpdSaysSoIsNoRailAndNoListMakesItOne() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .change("mlx5_0", nic -> nic.infiniband("0x0001").vpd(Vpds.of(Vpds.SWITCHES)));

        for (var settings : List.of(
                Settings.OFF,
                Selections.including("mlx5_0", "rdma1"),
                Selections.includingUplinks("rdma0", "rdma1"),
                Selections.excludingNothing())) {
            Selection selection = Selections.of(tree, settings);

            assertThat(Selections.rails(selection)).contains("rdma1").doesNotContain("rdma0");
            assertThat(Selections.dropped(selection, "mlx5_0"))
                    .isEqualTo(new Choice.DroppedNic(
                            Choice.SelectionRule.MANAGEMENT,
                            Optional.empty(),
                            "its VPD says SW_MNG: it serves the management of this machine's NVSwitches"));
        }
    }

    /** The card's other functions reset switches, and say nothing of it. */
    @Test
    void theOtherFunctionsOfTheCardAreNoRailsEither() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .change("mlx5_0", nic -> nic.vpd(Vpds.of(Vpds.SWITCHES)))
                .add(new FixtureNic("mlx5_8", "0000:03:00.1", "ibx")
                        .infiniband("0x0002")
                        .vpd(Vpds.of(Vpds.NIC)))
                .add(new FixtureNic("mlx5_9", "0000:03:01.0", "ibv0")
                        .infiniband("0x0003")
                        .virtualFunctionOf("0000:03:00.0"))
                .add(new FixtureNic("mlx5_10", "0000:04:00.0", "iby").infiniband("0x0004"));

        Selection selection = Selections.of(tree, Selections.including("mlx5_8", "mlx5_9", "mlx5_10"));

        assertThat(Selections.rails(selection)).containsExactly("iby");
        assertThat(Selections.dropped(selection, "mlx5_8").reason())
                .isEqualTo("it is on the card of 0000:03:00.0, whose VPD says SW_MNG: it serves the management of this"
                        + " machine's NVSwitches");
        assertThat(Selections.dropped(selection, "mlx5_9").rule()).isEqualTo(Choice.SelectionRule.MANAGEMENT);
    }

    /** As for a virtual machine that runs Fabric Manager; bound to mlx5_core it would be no rail either. */
    @Test
    void aFunctionWithoutAnRdmaDeviceIsNotToBeBoundToAnotherDriver() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).bindToVfio("mlx5_1");
        tree.file("sys/bus/pci/devices/0002:03:00.0/vpd", Vpds.of(Vpds.SWITCHES));

        assertThat(Selections.dropped(Selections.of(tree), "0002:03:00.0").rule())
                .isEqualTo(Choice.SelectionRule.MANAGEMENT);
    }

    @Test
    void whatCannotBeReadIsANoteForWhatIsOfferedAlone() throws IOException {
        RdmaTree tree = RdmaTree.gb200(root)
                .change("mlx5_0", nic -> nic.vpd(Vpds.of(Vpds.SWITCHES)))
                .change("mlx5_3", nic -> nic.vpd(Vpds.of(Vpds.NIC)));
        var files = new FaultyFiles(new RootedFiles(root))
                .fail("0000:03:00.0/vpd", "Permission denied")
                .fail("0006:03:00.1/vpd", "Permission denied");

        Selection selection =
                new RailSelector(Settings.OFF).select(new RdmaProbe(files).scan(tree.gpus(), Settings.OFF, Set.of()));

        assertThat(Selections.rails(selection)).contains("rdma0");
        assertThat(selection.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo("rdma-vpd-unread");
            assertThat(finding.severity()).isEqualTo(Severity.INFO);
            assertThat(finding.message()).startsWith("mlx5_0 is offered").contains("Permission denied");
        });
    }
}
