package io.imexagent.files;

import java.io.IOException;
import java.nio.file.Path;

/** Receives every step before it is done. Tests observe the steps and make single ones fail. */
@FunctionalInterface
public interface FileSteps {

    /** Permits every step. */
    FileSteps ALL_PASS = (step, path) -> {};

    /** Is called before the step, with the new name for a link or rename; an exception replaces the step. */
    void before(FileStep step, Path path) throws IOException;
}
