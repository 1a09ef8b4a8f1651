package io.imexagent.dra.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;

/** Waits for what must come, with a limit that only a broken agent reaches. */
final class Eventually {

    private static final long LIMIT_NANOS = 20_000_000_000L;

    private Eventually() {}

    public static void holds(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("gave up waiting: " + what).isLessThan(end);
            Thread.sleep(5);
        }
    }
}
