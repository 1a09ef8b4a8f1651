package io.imexagent.dra.claim;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for what others bring about. */
public final class Waiting {

    private Waiting() {}

    /** Waits until something holds, which others bring about. */
    public static void eventually(String what, Callable<Boolean> holds) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!holds.call()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("never so: " + what);
            }
            Thread.sleep(2);
        }
    }
}
