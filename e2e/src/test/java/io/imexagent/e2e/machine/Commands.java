package io.imexagent.e2e.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs with a limit on their time. */
final class Commands {

    /** One that the kernel does not let go of is left behind. */
    private static final long GRACE_SECONDS = 5;

    private Commands() {}

    /**
     * Runs a program to its end.
     *
     * @throws IOException when it does not start or does not end in time
     */
    static Result run(Duration limit, List<String> command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("command", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
                throw new IOException(String.join(" ", command) + " did not end within " + limit.toSeconds() + " s:\n"
                        + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output).strip());
        } finally {
            Files.deleteIfExists(output);
        }
    }

    /** Runs a program that has to succeed, and gives its output. */
    static String succeed(Duration limit, List<String> command) throws IOException, InterruptedException {
        Result result = run(limit, command);
        if (result.exitCode() != 0) {
            throw new AssertionError(
                    String.join(" ", command) + " ended with " + result.exitCode() + ":\n" + result.output());
        }
        return result.output();
    }

    /**
     * How a program ended.
     *
     * @param exitCode its exit code
     * @param output what it wrote on both outputs, without blanks at the end
     */
    record Result(int exitCode, String output) {}
}
