package io.imexagent.rdma.probe;

import com.sun.management.ThreadMXBean;
import io.imexagent.rdma.fixture.LargeTree;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.selection.RailSelector;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/** Takes the time and the processor time of scans of {@link LargeTree} with their selection, and prints it as one JSON line. */
final class ScanMeasurement {

    private static final int SCANS = 60;

    private ScanMeasurement() {}

    /** Measures below the folder that the argument names; it must be empty. */
    public static void main(String[] arguments) throws IOException {
        RdmaTree tree = LargeTree.create(Path.of(arguments[0]));
        var probe = new RdmaProbe(new RootedFiles(tree.root()));
        var selector = new RailSelector(Settings.OFF);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double[] millis = new double[SCANS];
        double[] cpu = new double[SCANS];
        long allocated = 0;
        int rails = 0;
        for (int scan = 0; scan < SCANS; scan++) {
            long bytes = threads.getCurrentThreadAllocatedBytes();
            long used = threads.getCurrentThreadCpuTime();
            long begin = System.nanoTime();
            rails = selector.select(probe.scan(tree.gpus(), Settings.OFF, Set.of()))
                    .rails()
                    .size();
            millis[scan] = (System.nanoTime() - begin) / 1e6;
            cpu[scan] = (threads.getCurrentThreadCpuTime() - used) / 1e6;
            allocated = threads.getCurrentThreadAllocatedBytes() - bytes;
        }
        double first = millis[0];
        Arrays.sort(millis);
        Arrays.sort(cpu);
        System.out.printf(
                "{\"nics\":%d,\"rails\":%d,\"firstMs\":%.1f,\"medianMs\":%.1f,\"p95Ms\":%.1f,\"cpuMedianMs\":%.1f,\"allocatedKiB\":%d}%n",
                LargeTree.NICS,
                rails,
                first,
                millis[SCANS / 2],
                millis[SCANS * 95 / 100],
                cpu[SCANS / 2],
                allocated >> 10);
    }
}
