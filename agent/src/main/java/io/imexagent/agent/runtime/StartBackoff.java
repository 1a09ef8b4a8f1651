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
 * Counts starts in a row that have not lasted, whatever ended them, and makes the later ones wait: systemd before 254
 * knows no growing pause. The count stands in the service's own folder below {@code /run} ({@code RUNTIME_DIRECTORY},
 * systemd.exec(5)); without that there is none.
 */
record StartBackoff(Optional<Path> file) {

    /** How long an agent must have been ready for its start to have lasted. */
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

    /** The agent was ready for long, or an operator stopped it: the next start counts as the first. */
    void forget() {
        file.ifPresent(path -> {
            try {
                Files.deleteIfExists(path);
            } catch (IOException failure) {
                // The next start waits a little; it has nothing else to lose.
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
                // Without a count no start waits; systemd's own pause is left.
            }
        });
    }
}
