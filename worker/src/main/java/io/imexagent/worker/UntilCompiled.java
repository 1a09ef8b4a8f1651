package io.imexagent.worker;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Repeats a warm-up step until the JVM has compiled its methods. */
public final class UntilCompiled {

    /** A method is compiled at its fortieth call ({@code Tier3InvocationThreshold} in jvm.options). */
    private static final int TIMES = 40;

    /** Ends the repetitions on a slow machine or disk. */
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    private UntilCompiled() {}

    @FunctionalInterface
    public interface WarmUpStep {

        void run() throws IOException, InterruptedException;
    }

    /** Runs a step at least once, and no further time after one second; an exception ends the repetitions. */
    public static void repeat(LongSupplier nanoTime, WarmUpStep step) throws IOException, InterruptedException {
        long start = nanoTime.getAsLong();
        int done = 0;
        do {
            step.run();
        } while (++done < TIMES && nanoTime.getAsLong() - start < ENOUGH.toNanos());
    }
}
