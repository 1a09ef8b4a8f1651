package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.AnsweredFiles;
import io.imexagent.rdma.fixture.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordingFilesTest {

    @TempDir
    Path root;

    /** Another machine sees in a support bundle what the host's own agent saw, by its files and by what ip printed. */
    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void whatWasRecordedTellsTheSameAsTheHost(String name) throws IOException {
        Platform platform = Platform.lay(name, root);
        var recording = new RecordingFiles(platform.files());
        RdmaView seen = platform.view(recording);

        RecordingFiles.RecordedFiles answers = recording.answers();
        RdmaView replayed = platform.view(new AnsweredFiles(answers));

        assertThat(replayed).isEqualTo(seen);
        assertThat(answers.programs().keySet())
                .containsExactlyInAnyOrderElementsOf(platform.data().path("ip").properties().stream()
                        .map(Map.Entry::getKey)
                        .toList());
    }
}
