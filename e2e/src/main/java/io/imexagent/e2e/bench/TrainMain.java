package io.imexagent.e2e.bench;

import java.io.IOException;
import java.nio.file.Path;

/** Makes the class cache, as a program: its one argument is the file. */
public final class TrainMain {

    private TrainMain() {}

    /** Trains; exit code 0 where the cache was made and is used, 1 where not, 2 for wrong arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length != 1) {
            System.err.println("usage: train <cache file>");
            System.exit(2);
            return;
        }
        try (Training training = Training.prepare(Path.of(arguments[0]).toAbsolutePath())) {
            System.err.println(training.train());
        } catch (IOException | RuntimeException e) {
            System.err.println("no class cache was made: " + e.getMessage());
            System.exit(1);
        }
        System.exit(0);
    }
}
