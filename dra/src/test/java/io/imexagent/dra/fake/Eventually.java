package io.imexagent.dra.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what other threads bring about, with a limit that only a broken agent reaches. */
public final class Eventually {

    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private Eventually() {}

    /** Waits until the condition holds; one that throws fails. */
    public static void holds(String what, Callable<Boolean> condition) throws InterruptedException {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!asked(condition)) {
            assertThat(System.nanoTime()).as("gave up waiting: " + what).isLessThan(end);
            Thread.sleep(2);
        }
    }

    private static boolean asked(Callable<Boolean> condition) throws InterruptedException {
        try {
            return condition.call();
        } catch (InterruptedException | RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new AssertionError(thrown);
        }
    }
}
