package io.imexagent.host;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PosixCallsTest {

    private static final int CREATING = 1 | 0100;

    /** HotSpot's calls and those of the native image. */
    static Stream<PosixCalls> both() {
        return Stream.of(new JnrCalls(), new JnaCalls());
    }

    @ParameterizedTest
    @MethodSource("both")
    void killWholeGroups(PosixCalls calls) throws Exception {
        Process leader = new ProcessBuilder("setsid", "sh", "-c", "sleep infinity & echo ready; wait").start();
        assertThat(leader.inputReader().readLine()).isEqualTo("ready");

        assertThat(calls.kill((int) -leader.pid(), 9)).isZero();

        // The output ends with the last process that has it.
        assertThat(assertTimeoutPreemptively(
                        ofMinutes(1), () -> leader.inputReader().readLine()))
                .isNull();
        assertThat(leader.waitFor()).isEqualTo(128 + 9);
    }

    @ParameterizedTest
    @MethodSource("both")
    void leaveWhyTheyFailed(PosixCalls calls) {
        assertThat(calls.flock(-1, 2 | 4)).isNegative();
        int error = calls.errno();

        assertThat(error).isEqualTo(9);
        assertThat(calls.strerror(error)).isEqualTo("Bad file descriptor");
        assertThat(calls.kill(Integer.MAX_VALUE, 0)).isNegative();
        assertThat(calls.errno()).isEqualTo(3);
    }

    /** File names are UTF-8, in whatever locale the agent was started. */
    @ParameterizedTest
    @MethodSource("both")
    void writeNamesThatAreNotAscii(PosixCalls calls) throws IOException {
        Path file = Files.createTempDirectory("posix").resolve("verrou-é-鎖");

        int descriptor = calls.open(file.toString(), CREATING, 0600);

        assertThat(descriptor).isNotNegative();
        assertThat(calls.close(descriptor)).isZero();
        assertThat(file).isEmptyFile();
    }
}
