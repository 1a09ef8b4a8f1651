package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.files.DurableFiles;
import io.imexagent.files.FileSteps;
import io.imexagent.rdma.fixture.FixtureNic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Prints how long claims for all eight rails of a tray take to be prepared and unprepared, from the call to the answer,
 * with every flush, without sockets and API server. For {@code docs/performance.md}; not a test, since a figure depends on
 * the machine. The argument is a folder on the disk that counts.
 */
final class RailPrepareMeasurement {

    private static final int WARM_UP = 300;
    private static final int CYCLES = 500;

    private RailPrepareMeasurement() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory(Path.of(arguments.length == 0 ? "/tmp" : arguments[0]), "rails");
        try (RailsNode node = RailsNode.in(folder).start()) {
            for (int number = 0; number < 4; number++) {
                node.tray.add(new FixtureNic("mlx5_2" + number, "002" + number + ":03:00.0", "rdma2" + number)
                        .ipv4("10.2." + number + ".1/31"));
            }
            node.read();
            node.awaitNode("mlx5_23", 23);
            long[] prepares = new long[CYCLES];
            long[] unprepares = new long[CYCLES];
            for (int cycle = -WARM_UP; cycle < CYCLES; cycle++) {
                ClaimRef claim = node.claim(
                        "c" + (cycle + WARM_UP),
                        "rail-0000-03-00-0",
                        "rail-0002-03-00-0",
                        "rail-0010-03-00-0",
                        "rail-0012-03-00-0",
                        "rail-0020-03-00-0",
                        "rail-0021-03-00-0",
                        "rail-0022-03-00-0",
                        "rail-0023-03-00-0");
                long began = System.nanoTime();
                if (!(node.prepare(claim) instanceof Outcome.Accepted)) {
                    throw new IllegalStateException("not prepared: " + node.prepare(claim));
                }
                long prepared = System.nanoTime();
                node.unprepare(claim);
                if (cycle >= 0) {
                    prepares[cycle] = prepared - began;
                    unprepares[cycle] = System.nanoTime() - prepared;
                }
            }
            System.out.println("8 NICs, " + CYCLES + " cycles: prepare " + text(prepares) + "; unprepare "
                    + text(unprepares) + "; floor of a prepare " + text(floor(folder)));
        } finally {
            delete(folder);
        }
    }

    /** What the disk takes for the flushes of a prepare: two states and a spec, each a file and its directory. */
    private static long[] floor(Path folder) throws IOException {
        var files = new DurableFiles(FileSteps.ALL_PASS, "");
        var mode = PosixFilePermissions.fromString("rw-------");
        byte[] state = new byte[4096];
        long[] times = new long[CYCLES];
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            long began = System.nanoTime();
            for (String name : List.of("one", "spec", "one")) {
                files.replace(folder.resolve(name), state, mode);
            }
            times[cycle] = System.nanoTime() - began;
        }
        return times;
    }

    private static String text(long[] nanos) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        return "p50 %.2f ms, p99 %.2f ms".formatted(sorted[CYCLES / 2] / 1e6, sorted[CYCLES * 99 / 100] / 1e6);
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
