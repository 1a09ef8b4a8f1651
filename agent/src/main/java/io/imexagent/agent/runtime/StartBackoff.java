package io.imexagent.agent.runtime;

import io.imexagent.core.retry.Backoff;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Counts consecutive starts that did not last, for any reason, and delays the later ones, since systemd before 254 has
 * no growing restart delay. The count is in the service's own folder below {@code /run} ({@code RUNTIME_DIRECTORY},
 * systemd.exec(5)); without this folder there is no delay.
 */
record StartBackoff(Optional<Path> file) {

    /** How long an agent must have been ready until its start counts as lasting. */
    static final Duration LASTING = Duration.ofMinutes(1);

    private static final int FREE = 3;
    private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(2), Duration.ofMinutes(1), Duration.ZERO);

    static StartBackoff of(Map<String, String> environment) {
        return new StartBackoff(Optional.ofNullable(environment.get("RUNTIME_DIRECTORY"))
                .map(folders -> folders.split(":", -1)[0])
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, "starts")));
    }

    Duration begin() {
        int before = count();
        write(before + 1);
        return before < FREE ? Duration.ZERO : PAUSES.after(before - FREE + 1, () -> 1);
    }

    /** Resets the count after the agent was ready for long, or an operator stopped it. */
    void forget() {
        file.ifPresent(path -> {
            try {
                Files.deleteIfExists(path);
            } catch (IOException failure) {
                // The only effect is that a later start may wait.
            }
        });
    }

    private int count() {
        if (file.isEmpty()) {
            return 0;
        }
        try {
            String text = Files.readString(file.get(), StandardCharsets.US_ASCII);
            return Integer.parseUnsignedInt(text.strip());
        } catch (IOException | NumberFormatException noneOrSpoiled) {
            return 0;
        }
    }

    private void write(int count) {
        file.ifPresent(path -> {
            try {
                Files.writeString(path, count + "\n", StandardCharsets.US_ASCII);
            } catch (IOException failure) {
                // Without a count no start waits; systemd's own restart delay remains.
            }
        });
    }
}
