package io.imexagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalStreamTest {

    @TempDir
    Path directory;

    @Test
    void isTheStreamThatTheVariableNames() throws IOException {
        Path stream = Files.createFile(directory.resolve("stream"));

        assertThat(Journal.reads(stream, Map.of("JOURNAL_STREAM", identity(stream))))
                .isTrue();
    }

    @Test
    void isNotAnotherStreamOfAChildThatInheritedTheVariable() throws IOException {
        Path journal = Files.createFile(directory.resolve("journal"));
        Path elsewhere = Files.createFile(directory.resolve("elsewhere"));

        assertThat(Journal.reads(elsewhere, Map.of("JOURNAL_STREAM", identity(journal))))
                .isFalse();
    }

    @Test
    void isNoneWithoutAVariableOrAStream() {
        assertThat(Journal.reads(directory, Map.of())).isFalse();
        assertThat(Journal.reads(directory, Map.of("JOURNAL_STREAM", "x"))).isFalse();
        assertThat(Journal.reads(directory.resolve("none"), Map.of("JOURNAL_STREAM", "1:2")))
                .isFalse();
    }

    private static String identity(Path file) throws IOException {
        Map<String, Object> status = Files.readAttributes(file, "unix:dev,ino");
        return status.get("dev") + ":" + status.get("ino");
    }
}
