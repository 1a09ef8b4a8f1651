package io.imexagent.rdma.probe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.LargeTree;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.RdmaInventory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan costs, in figures that do not depend on how busy the machine is; {@link ScanMeasurement} takes the time. */
class ScanCostTest {

    private static final int CALLS_PER_NIC = 50;

    /** Laid out once: these are tens of thousands of files. */
    @TempDir
    static Path largeRoot;

    private static RdmaTree large;

    @BeforeAll
    static void layOut() {
        large = LargeTree.create(largeRoot);
    }

    @Test
    void readsFewFilesOfManyGidSlots() throws IOException {
        var files = new FaultyFiles(new RootedFiles(largeRoot));

        RdmaInventory inventory = Scans.of(large, files);

        assertThat(inventory.nics()).hasSize(LargeTree.NICS);
        assertThat(files.calls()).isLessThan((long) LargeTree.NICS * CALLS_PER_NIC);
    }

    /** One probe scans again and again, as in the agent: what a scan allocates does not grow with their number. */
    @Test
    void makesNoGarbageThatGrows() throws IOException {
        var probe = new RdmaProbe(new RootedFiles(largeRoot));
        allocated(probe, large, 5);

        long early = allocated(probe, large, 10);
        long late = allocated(probe, large, 10);

        assertThat(late).isLessThanOrEqualTo(early + early / 20);
        assertThat(late / 10).isLessThan(16L << 20);
    }

    @Test
    void aRailWithoutAnAddressCostsItsWholeTableAndNoOther(@TempDir Path root) throws IOException {
        RdmaTree tree = RdmaTree.gb200(root).change("mlx5_0", nic -> nic.slots(256));
        var before = new FaultyFiles(new RootedFiles(root));
        Scans.of(tree, before);
        tree.change("mlx5_0", FixtureNic::withoutAddress);
        var after = new FaultyFiles(new RootedFiles(root));
        Scans.of(tree, after);

        assertThat(after.calls() - before.calls()).isBetween(200L, 260L);
    }

    private static long allocated(RdmaProbe probe, RdmaTree tree, int scans) throws IOException {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int scan = 0; scan < scans; scan++) {
            assertThat(probe.scan(tree.gpus(), Settings.OFF, Set.of()).nics()).hasSize(LargeTree.NICS);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
