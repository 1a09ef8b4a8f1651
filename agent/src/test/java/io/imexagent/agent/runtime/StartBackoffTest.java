package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartBackoffTest {

    @TempDir
    Path folder;

    @Test
    void fromTheFourthStartOnEachWaitsTwiceAsLongUpToAMinute() {
        assertThat(Stream.generate(() -> backoff().begin()).limit(10).map(Duration::toSeconds))
                .containsExactly(0L, 0L, 0L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
    }

    @Test
    void aStartThatLastedIsForgotten() {
        for (int start = 0; start < 5; start++) {
            backoff().begin();
        }

        backoff().forget();

        assertThat(backoff().begin()).isZero();
    }

    @Test
    void countsNothingOutsideOfAService() {
        StartBackoff none = StartBackoff.of(Map.of());

        assertThat(Stream.generate(none::begin).limit(10)).containsOnly(Duration.ZERO);
        none.forget();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void aCountThatIsNoneIsZero() throws IOException {
        Files.writeString(folder.resolve("starts"), "many");

        assertThat(backoff().begin()).isZero();
        assertThat(folder.resolve("starts")).hasContent("1");
    }

    @Test
    void aFolderThatIsGoneKeepsNobodyFromStarting() {
        StartBackoff lost = StartBackoff.of(Map.of("RUNTIME_DIRECTORY", folder + "/gone:/other"));

        assertThat(lost.begin()).isZero();
        lost.forget();
    }

    private StartBackoff backoff() {
        return StartBackoff.of(Map.of("RUNTIME_DIRECTORY", folder.toString()));
    }
}
