package io.imexagent.files;

import java.io.IOException;
import java.nio.file.Path;

/** Hears of every step before it is done. Tests watch the steps and let single ones fail. */
@FunctionalInterface
public interface FileSteps {

    /** Lets every step pass. */
    FileSteps ALL_PASS = (step, path) -> {};

    /** Called before the step, with the name that a link or rename takes; what it throws is in the step's place. */
    void before(FileStep step, Path path) throws IOException;
}
