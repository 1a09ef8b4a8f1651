package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PosixTest {

    /** script(1) runs a command on a terminal of its own. */
    @Test
    void knowsATerminalFromAPipe() throws Exception {
        String command = command("terminal");

        assertThat(output("/bin/sh", "-c", command)).isEqualTo("false");
        assertThat(output("script", "--quiet", "--return", "--command", command, "/dev/null"))
                .isEqualTo("true");
    }

    @Test
    void knowsTheWidthOfATerminal() throws Exception {
        String command = command("columns");

        assertThat(output("/bin/sh", "-c", command)).isEqualTo("OptionalInt.empty");
        assertThat(output("script", "--quiet", "--return", "--command", "stty cols 61; " + command, "/dev/null"))
                .isEqualTo("OptionalInt[61]");
    }

    /** As where the agent is told to end while it loads jffi. */
    @Test
    void isLoadedWholeByAThreadThatIsInterrupted() throws Exception {
        assertThat(output("/bin/sh", "-c", command("interrupted"))).isEqualTo("true");
    }

    private static String command(String asked) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return java + " --enable-native-access=ALL-UNNAMED -cp " + System.getProperty("java.class.path") + " '"
                + Asking.class.getName() + "' " + asked;
    }

    private static String output(String... command) throws Exception {
        Process process = new ProcessBuilder(command).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return said;
    }

    /** A process that says whether its standard output is a terminal, or how wide; or whether an interrupt stays. */
    static final class Asking {

        private Asking() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments[0].equals("interrupted")) {
                Thread.currentThread().interrupt();
                Posix.calls().getpid();
                System.out.println(Thread.interrupted());
            } else {
                System.out.println(arguments[0].equals("columns") ? Posix.columns(1) : Posix.isTerminal(1));
            }
        }
    }
}
