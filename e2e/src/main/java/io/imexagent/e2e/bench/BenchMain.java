package io.imexagent.e2e.bench;

import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The benchmark as a program: one JSON document on standard output, everything else on standard error. */
public final class BenchMain {

    private BenchMain() {}

    /** Measures; exit code 0 where it could, 1 where not, 2 for wrong flags. Missed targets are told, and no failure. */
    public static void main(String[] arguments) throws InterruptedException {
        BenchOptions options;
        try {
            options = BenchOptions.parse(List.of(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n" + BenchOptions.USAGE);
            System.exit(2);
            return;
        }
        try (Bench bench = Bench.prepare(options, BenchMain::tell)) {
            Measurements measured = bench.measure();
            Targets.print(measured, BenchMain::tell);
            System.out.println(new String(Json.bytes(measured.document()), StandardCharsets.UTF_8));
        } catch (IOException | RuntimeException e) {
            System.err.println("the benchmark failed: " + e.getMessage());
            System.exit(1);
        }
        System.exit(0);
    }

    private static void tell(String line) {
        System.err.println(line);
    }
}
