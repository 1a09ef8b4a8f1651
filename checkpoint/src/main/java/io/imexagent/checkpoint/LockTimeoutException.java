package io.imexagent.checkpoint;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Another process held the plugin's lock for longer than was to be waited. */
public final class LockTimeoutException extends IOException {

    private static final long serialVersionUID = 1L;

    LockTimeoutException(Path file, Duration waited) {
        super(file + " is held by another process for more than " + waited.toMillis() + " ms; fuser -v " + file
                + " names it, end it if it hangs, the claim is retried");
    }
}
