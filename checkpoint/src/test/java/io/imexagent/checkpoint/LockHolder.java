package io.imexagent.checkpoint;

import java.nio.file.Path;
import java.time.Duration;

/** A process that takes the lock, says so, holds it until its input ends, and gives it back. */
final class LockHolder {

    private LockHolder() {}

    public static void main(String[] arguments) throws Exception {
        try (var lock = new PluginLock(Path.of(arguments[0]))) {
            try (var held = lock.acquire(Duration.ofSeconds(60))) {
                System.out.println(held == null ? "not held" : "held");
                while (System.in.read() >= 0) {
                    // wait for the end
                }
            }
            System.out.println("given back");
        }
    }
}
