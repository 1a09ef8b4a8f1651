package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PosixTest {

    /** The native image has this property, and its calls are chosen by that. */
    private static final String IMAGE = "-Dorg.graalvm.nativeimage.imagecode=runtime";

    /** script(1) runs a command on a terminal of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"", IMAGE})
    void knowsATerminalAndItsWidthFromAPipe(String property) throws Exception {
        String command = command(property, "terminal");

        assertThat(output("/bin/sh", "-c", command)).isEqualTo("false OptionalInt.empty");
        assertThat(output("script", "--quiet", "--return", "--command", "stty cols 61; " + command, "/dev/null"))
                .isEqualTo("true OptionalInt[61]");
    }

    /** As where the agent is told to end while it loads jffi. */
    @Test
    void isLoadedWholeByAThreadThatIsInterrupted() throws Exception {
        assertThat(output("/bin/sh", "-c", command("", "interrupted"))).isEqualTo("true");
    }

    private static String command(String property, String asked) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return java + " --enable-native-access=ALL-UNNAMED " + property + " -cp "
                + System.getProperty("java.class.path") + " '" + Asking.class.getName() + "' " + asked;
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    /** A process that says whether its standard output is a terminal and how wide it is; or whether an interrupt stays. */
    static final class Asking {

        private Asking() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments[0].equals("interrupted")) {
                Thread.currentThread().interrupt();
                Posix.calls();
                System.out.println(Thread.interrupted());
            } else {
                System.out.println(Posix.isTerminal(1) + " " + Posix.columns(1));
            }
        }
    }
}
