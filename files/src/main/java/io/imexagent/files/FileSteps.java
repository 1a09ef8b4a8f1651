package io.imexagent.files;

import java.io.IOException;
import java.nio.file.Path;

/** Hears of every step before it is done. Tests watch the steps and let single ones fail. */
@FunctionalInterface
public interface FileSteps {

    /** Lets every step pass. */
    FileSteps ALL_PASS = (step, path) -> {};

    /**
     * Called before the step; for a link or rename, with the name that it takes.
     *
     * @throws IOException in place of the step, which is then not done
     */
    void before(FileStep step, Path path) throws IOException;
}
