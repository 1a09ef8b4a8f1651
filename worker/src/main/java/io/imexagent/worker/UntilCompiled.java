package io.imexagent.worker;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Repeats what is done for practice so often that the JVM has compiled it when it counts. */
public final class UntilCompiled {

    /** A method is compiled at its fortieth call ({@code Tier3InvocationThreshold} in jvm.options). */
    private static final int TIMES = 40;

    /** On a slow machine or disk fewer are enough. */
    private static final Duration ENOUGH = Duration.ofSeconds(1);

    private UntilCompiled() {}

    @FunctionalInterface
    public interface WarmUpStep {

        void run() throws IOException, InterruptedException;
    }

    /** Runs a step once at least, and no more when a second is over; what it throws ends it. */
    public static void repeat(LongSupplier nanoTime, WarmUpStep step) throws IOException, InterruptedException {
        long start = nanoTime.getAsLong();
        int done = 0;
        do {
            step.run();
        } while (++done < TIMES && nanoTime.getAsLong() - start < ENOUGH.toNanos());
    }
}
