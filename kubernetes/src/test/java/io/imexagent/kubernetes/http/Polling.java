package io.imexagent.kubernetes.http;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/** Waits for what other threads bring about. */
final class Polling {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Polling() {}

    /** Waits until a value fits, and gives it. */
    static <T> T until(Callable<T> value, Predicate<T> fits) throws Exception {
        long end = System.nanoTime() + LIMIT.toNanos();
        T last = value.call();
        while (!fits.test(last)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("still " + last + " after " + LIMIT);
            }
            Thread.sleep(5);
            last = value.call();
        }
        return last;
    }

    /** Waits until something holds. */
    static void until(Callable<Boolean> holds) throws Exception {
        until(holds, Boolean::booleanValue);
    }
}
