package io.imexagent.dra.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits for what another thread brings about. */
public final class Eventually {

    private static final Duration LONG = Duration.ofSeconds(30);

    private Eventually() {}

    public static void holds(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.sleep(1);
        }
    }
}
