package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.fixture.Vpds;
import io.imexagent.rdma.inventory.PciFunction.Vpd;
import io.imexagent.rdma.inventory.RdmaInventory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VpdReaderTest {

    @TempDir
    Path root;

    private RdmaTree tree;
    private FaultyFiles files;
    private RdmaProbe probe;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root).change("mlx5_0", nic -> nic.vpd(Vpds.of(Vpds.SWITCHES)));
        tree.change("mlx5_1", nic -> nic.vpd(Vpds.of(Vpds.NIC)));
        files = new FaultyFiles(new RootedFiles(root));
        probe = new RdmaProbe(files);
    }

    @Test
    void aFunctionThatServesSwitchesSaysSo() throws IOException {
        RdmaInventory inventory = scan();

        assertThat(vpd(inventory, "mlx5_0")).isEqualTo(new Vpd.SwitchManagementVpd());
        assertThat(vpd(inventory, "mlx5_1")).isEqualTo(new Vpd.OrdinaryVpd());
        assertThat(vpd(inventory, "mlx5_4")).as("without a file").isEqualTo(new Vpd.OrdinaryVpd());
    }

    /** Fabric Manager looks for the bytes as well, and reads no grammar; a field may be any. */
    @Test
    void theWordCountsWhereverItIs() throws IOException {
        byte[] whole = Vpds.of(Vpds.SWITCHES);
        for (byte[] bytes : List.of(
                Arrays.copyOfRange(whole, 3, whole.length),
                Arrays.copyOf(whole, whole.length - 8),
                "\u0000\u00ff SW_MNG".getBytes(StandardCharsets.ISO_8859_1))) {
            tree.change("mlx5_0", nic -> nic.vpd(bytes));

            assertThat(vpd(new RdmaProbe(files).scan(tree.gpus(), Settings.OFF, Set.of()), "mlx5_0"))
                    .isEqualTo(new Vpd.SwitchManagementVpd());
        }
    }

    @Test
    void dataThatAreNoneSayNothing() throws IOException {
        for (byte[] bytes : List.of(
                new byte[0], new byte[32768], "SW_MN".getBytes(StandardCharsets.ISO_8859_1), new byte[] {-1, -1})) {
            tree.change("mlx5_0", nic -> nic.vpd(bytes));

            assertThat(vpd(new RdmaProbe(files).scan(tree.gpus(), Settings.OFF, Set.of()), "mlx5_0"))
                    .isEqualTo(new Vpd.OrdinaryVpd());
        }
    }

    @Test
    void aFunctionIsAskedOnce() throws IOException {
        scan();
        files.fail("/vpd", "Input/output error");

        assertThat(vpd(scan(), "mlx5_0")).isEqualTo(new Vpd.SwitchManagementVpd());
        assertThat(vpd(scan(), "mlx5_1")).isEqualTo(new Vpd.OrdinaryVpd());
    }

    /** Each try can take an eighth of a second, and leaves a line in the kernel log. */
    @Test
    void aFunctionThatDoesNotAnswerIsAskedEverMoreSeldomAndCostsNoOther() throws IOException {
        files.fail("0000:03:00.0/vpd", "Input/output error");
        for (int scan = 0; scan < 2; scan++) {
            RdmaInventory inventory = scan();
            assertThat(vpd(inventory, "mlx5_0"))
                    .isInstanceOfSatisfying(
                            Vpd.UnreadVpd.class,
                            unread -> assertThat(unread.reason()).contains("Input/output error"));
            assertThat(vpd(inventory, "mlx5_1")).isEqualTo(new Vpd.OrdinaryVpd());
        }
        long least = Long.MAX_VALUE;
        List<Long> calls = new ArrayList<>();
        for (int scan = 3; scan <= 20; scan++) {
            long before = files.calls();
            scan();
            calls.add(files.calls() - before);
            least = Math.min(least, calls.getLast());
        }
        List<Integer> asked = new ArrayList<>();
        for (int scan = 3; scan <= 20; scan++) {
            if (calls.get(scan - 3) > least) {
                asked.add(scan);
            }
        }

        assertThat(asked).containsExactly(4, 7, 12);
        files.mend("0000:03:00.0/vpd");
        for (int scan = 21; scan <= 60; scan++) {
            scan();
        }
        assertThat(vpd(scan(), "mlx5_0")).isEqualTo(new Vpd.SwitchManagementVpd());
    }

    @Test
    void aFunctionThatAnswersLaterIsKnown() throws IOException {
        files.fail("0000:03:00.0/vpd", "Connection timed out");
        scan();
        files.mend("0000:03:00.0/vpd");

        assertThat(vpd(scan(), "mlx5_0")).isEqualTo(new Vpd.SwitchManagementVpd());
    }

    @Test
    void anotherCardInItsPlaceIsAskedAnew() throws IOException {
        scan();
        tree.change("mlx5_0", nic -> nic.pciId("15b3:1023").vpd(Vpds.of(Vpds.NIC)));
        assertThat(vpd(scan(), "mlx5_0")).isEqualTo(new Vpd.OrdinaryVpd());

        tree.remove("mlx5_1");
        scan();
        tree.add(new FixtureNic("mlx5_1", "0002:03:00.0", "rdma1").vpd(Vpds.of(Vpds.SWITCHES)));
        assertThat(vpd(scan(), "mlx5_1")).isEqualTo(new Vpd.SwitchManagementVpd());
    }

    @Test
    void onlyFunctionsOfTheVendorAreAsked() throws IOException {
        tree.change("mlx5_0", nic -> nic.pciId("1d0f:efa4"));
        tree.change("mlx5_1", nic -> nic.virtualFunctionOf("0000:03:00.0"));
        files.fail("/vpd", "asked");

        assertThat(vpd(scan(), "mlx5_0")).isEqualTo(new Vpd.OrdinaryVpd());
        assertThat(vpd(scan(), "mlx5_1")).isEqualTo(new Vpd.OrdinaryVpd());
    }

    private RdmaInventory scan() throws IOException {
        return probe.scan(tree.gpus(), Settings.OFF, Set.of());
    }

    private static Vpd vpd(RdmaInventory inventory, String device) {
        return Scans.nic(inventory, device).pci().vpd();
    }
}
