package io.imexagent.rdma.selection;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Vpds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PcieLinkTest {

    private static final String PORT = "sys/devices/pci0000:00/0000:00:00.0";
    private static final String NIC = PORT + "/0000:03:00.0";

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    /** Words of kernels before 4.19 and after, of one that reads no register, and of a device that is gone. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | ",
                "16.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | 16 GT/s x16, and could at 32 GT/s x16",
                "32.0 GT/s PCIe | 8 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | 32 GT/s x8, and could at 32 GT/s x16",
                "2.5 GT/s PCIe | 1 | 64.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | 2.5 GT/s x1, and could at 32 GT/s x16",
                "8 GT/s | 16 | 16 GT/s | 16 | 16 GT/s | 16 | 8 GT/s x16, and could at 16 GT/s x16",
                // The slot cannot do more.
                "32.0 GT/s PCIe | 16 | 64.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | ",
                "16.0 GT/s PCIe | 8 | 32.0 GT/s PCIe | 16 | 16.0 GT/s PCIe | 8 | ",
                // The card cannot.
                "16.0 GT/s PCIe | 8 | 16.0 GT/s PCIe | 8 | 32.0 GT/s PCIe | 16 | ",
                // Not told.
                "Unknown | 0 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | ",
                "Unknown speed | 16 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | ",
                "16.0 GT/s PCIe | 16 | Unknown | 255 | 32.0 GT/s PCIe | 16 | ",
                "16.0 GT/s PCIe | 63 | 32.0 GT/s PCIe | 63 | 32.0 GT/s PCIe | 16 | ",
                "32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | Unknown | 0 | ",
                "16.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | Unknown | 0 | 16 GT/s x16, and could at 32 GT/s x16, if its slot can, which the kernel does not tell",
                "nonsense | -1 | 32.0 GT/s PCIe | 16 | 32.0 GT/s PCIe | 16 | ",
            })
    void aLinkBelowWhatBothEndsCanDoIsAFinding(
            String speed, String width, String most, String widest, String portMost, String portWidest, String words)
            throws IOException {
        link(NIC, speed, width, most, widest);
        link(PORT, speed, width, portMost, portWidest);

        assertThat(messages())
                .isEqualTo(
                        words == null
                                ? List.of()
                                : List.of("the PCIe link at 0000:03:00.0, over which mlx5_0 transfers, runs at "
                                        + words));
    }

    /** As where a virtual machine has the card at its PCI root: a note, since the slot may be an old one. */
    @Test
    void aLinkWhosePortIsNotShownIsANote() throws IOException {
        tree = RdmaTree.empty(root.resolve("guest"))
                .add(new FixtureNic("mlx5_0", "0000:05:00.0", "rdma0")
                        .at("pci0000:00/0000:05:00.0")
                        .ipv4("10.1.0.1/31"));
        link("sys/devices/pci0000:00/0000:05:00.0", "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");

        assertThat(Selections.of(tree).findings()).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo("rdma-pcie-downtrained");
            assertThat(finding.severity()).isEqualTo(Severity.INFO);
        });
    }

    /** The functions of a card share its link. */
    @Test
    void oneLinkIsOneFinding() throws IOException {
        tree.add(new FixtureNic("mlx5_8", "0000:03:00.1", "rdma0b").ipv4("10.1.8.1/31"));
        for (String function : List.of(NIC, PORT + "/0000:03:00.1")) {
            link(function, "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
        }
        link(PORT, "16.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");

        assertThat(messages()).singleElement().asString().contains("over which mlx5_0, mlx5_8 transfer, runs");
    }

    /** Root port, switch and NIC: each link is between two of them; within the switch there is none. */
    @Test
    void theLinkOfASwitchAboveCountsToo() throws IOException {
        tree = RdmaTree.empty(root.resolve("switched"));
        for (int nic = 0; nic < 2; nic++) {
            tree.add(new FixtureNic("mlx5_" + nic, "0000:0" + (3 + nic) + ":00.0", "rdma" + nic)
                    .below("0000:00:00.0", "0000:01:00.0", "0000:02:0" + nic + ".0")
                    .ipv4("10.1." + nic + ".1/31"));
            String down = "sys/devices/pci0000:00/0000:00:00.0/0000:01:00.0/0000:02:0" + nic + ".0";
            link(down, "2.5 GT/s PCIe", "1", "32.0 GT/s PCIe", "16");
            link(down + "/0000:0" + (3 + nic) + ":00.0", "32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16");
        }
        link("sys/devices/pci0000:00/0000:00:00.0", "32.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16");
        link("sys/devices/pci0000:00/0000:00:00.0/0000:01:00.0", "32.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16");

        assertThat(messages())
                .containsExactly(
                        "the PCIe link at 0000:01:00.0, over which mlx5_0, mlx5_1 transfer, runs at 32 GT/s x8,"
                                + " and could at 32 GT/s x16");
    }

    @Test
    void virtualFunctionsAndWhatServesSwitchesHaveNone() throws IOException {
        tree.change("mlx5_0", nic -> nic.vpd(Vpds.of(Vpds.SWITCHES)));
        link(NIC, "16.0 GT/s PCIe", "2", "32.0 GT/s PCIe", "16");
        link(PORT, "16.0 GT/s PCIe", "2", "32.0 GT/s PCIe", "16");
        assertThat(messages()).isEmpty();

        tree.change("mlx5_0", nic -> nic.vpd(Vpds.of(Vpds.NIC)).virtualFunctionOf("0000:03:00.1"));
        link(NIC, "16.0 GT/s PCIe", "2", "32.0 GT/s PCIe", "16");
        assertThat(messages()).isEmpty();
    }

    private void link(String folder, String speed, String width, String most, String widest) {
        tree.file(folder + "/current_link_speed", speed)
                .file(folder + "/current_link_width", width)
                .file(folder + "/max_link_speed", most)
                .file(folder + "/max_link_width", widest);
    }

    private List<String> messages() throws IOException {
        return Selections.of(tree).findings().stream()
                .filter(finding -> finding.code().equals("rdma-pcie-downtrained"))
                .map(Finding::message)
                .toList();
    }
}
