package io.imexagent.agent.cli;

import io.imexagent.host.Posix;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What surrounds a command.
 *
 * @param out standard output
 * @param err standard error
 * @param environment the environment's variables
 * @param terminal whether standard output is a terminal; asked only where that decides, since the first POSIX call takes
 *     its time
 */
public record Surroundings(
        PrintStream out, PrintStream err, Map<String, String> environment, BooleanSupplier terminal) {

    private static final int STANDARD_OUTPUT = 1;

    /** Copies the map in. */
    public Surroundings {
        environment = Map.copyOf(environment);
    }

    /** Those of this process. Texts go out in UTF-8 in every locale: JSON and YAML must be, and journald expects it. */
    public static Surroundings ofProcess() {
        return new Surroundings(
                stream(FileDescriptor.out), stream(FileDescriptor.err), System.getenv(), Surroundings::isTerminal);
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** The JDK's console asks for a terminal on standard input too, so this looks at the one descriptor that matters. */
    private static boolean isTerminal() {
        try {
            return Posix.isTerminal(STANDARD_OUTPUT);
        } catch (IOException cannotTell) {
            return false;
        }
    }

    /** Whether colours are wanted: the choice, or else a terminal, unless NO_COLOR or a dumb terminal is set. */
    boolean colours(GlobalOptions.Colours choice) {
        return switch (choice) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO ->
                environment.getOrDefault("NO_COLOR", "").isEmpty()
                        && !environment.getOrDefault("TERM", "").equals("dumb")
                        && terminal.getAsBoolean();
        };
    }
}
