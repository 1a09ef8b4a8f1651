package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The largest checkpoint fits into the heap for which its bounds are made: {@link CheckpointGrower}. */
class LargestCheckpointIT {

    @TempDir
    Path directory;

    /** An agent has 48 MB; all else of it takes some 20. */
    @Test
    void theLargestCheckpointCanBeReadAndSaved() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-Xmx28m",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CheckpointGrower.class.getName(),
                        directory.toString(),
                        "48")
                .redirectErrorStream(true)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said).contains("claims, full: true");
    }
}
