package io.imexagent.agent.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What surrounds a command.
 *
 * @param out standard output
 * @param err standard error
 * @param environment the environment's variables
 * @param terminal whether standard output is a terminal
 */
public record Surroundings(PrintStream out, PrintStream err, Map<String, String> environment, boolean terminal) {

    /** Copies the map in. */
    public Surroundings {
        environment = Map.copyOf(environment);
    }

    /** Those of this process. Texts go out in UTF-8 in every locale: JSON and YAML must be, and journald expects it. */
    public static Surroundings ofProcess() {
        return new Surroundings(stream(FileDescriptor.out), stream(FileDescriptor.err), System.getenv(), isTerminal(1));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** The JDK's console asks for a terminal on standard input too, so this looks at the one descriptor that matters. */
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException cannotTell) {
            return false;
        }
    }

    /** Whether colours are wanted: the choice, or else a terminal, unless NO_COLOR or a dumb terminal is set. */
    boolean colours(ColorChoice choice) {
        return switch (choice) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO ->
                terminal
                        && environment.getOrDefault("NO_COLOR", "").isEmpty()
                        && !environment.getOrDefault("TERM", "").equals("dumb");
        };
    }
}
