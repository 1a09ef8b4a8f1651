package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BootTimeTest {

    @TempDir
    Path root;

    @Test
    void isWhatTheKernelSays() throws IOException {
        stat("cpu  1 2 3 4\nintr 7\nctxt 9\nbtime 1795700993\nprocesses 12\n");

        assertThat(BootTime.read(root)).contains(Instant.ofEpochSecond(1_795_700_993));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "btime",
                "btime 0\n",
                "btime -5\n",
                "btime x\n",
                "btime 99999999999999999999\n",
                "xbtime 17\n"
            })
    void isNotToldByWhatIsNoTime(String text) throws IOException {
        stat(text);

        assertThat(BootTime.read(root)).isEmpty();
    }

    @Test
    void isNotToldWithoutTheFile() {
        assertThat(BootTime.read(root)).isEmpty();
    }

    @Test
    void isNoLaterThanTheFileSystemInMemoryThatEveryBootMakes() throws IOException {
        stat("btime 99999999999\n");
        Path run = Files.createDirectory(root.resolve("run"));

        Instant read = BootTime.read(root).orElseThrow();

        if (BootTime.endsWithTheBoot(run)) {
            assertThat(read).isBeforeOrEqualTo(Instant.now());
        } else {
            assertThat(read).isEqualTo(Instant.ofEpochSecond(99_999_999_999L));
        }
    }

    private void stat(String text) throws IOException {
        Files.writeString(Files.createDirectories(root.resolve("proc")).resolve("stat"), text);
    }
}
