package io.imexagent.agent.cli;

import io.imexagent.core.text.Screen;
import io.imexagent.host.Posix;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * The surroundings of a command: its streams; the environment variables; whether standard output is a terminal, read
 * only when needed, since the first POSIX call is slow; the width of that terminal, empty if unknown; and a prompt,
 * whose answer is empty if standard input is not a terminal.
 */
public record Environment(
        PrintStream out,
        PrintStream err,
        Map<String, String> environment,
        BooleanSupplier terminal,
        Supplier<OptionalInt> columns,
        Function<String, Optional<String>> question) {

    private static final Pattern WIDTH = Pattern.compile("[1-9][0-9]{0,4}");
    private static final int STANDARD_INPUT = 0;
    private static final int STANDARD_OUTPUT = 1;

    public Environment {
        environment = Map.copyOf(environment);
    }

    /** The surroundings of this process. Output is UTF-8 in every locale, which JSON, YAML and journald require. */
    public static Environment ofProcess() {
        return new Environment(
                stream(FileDescriptor.out),
                stream(FileDescriptor.err),
                System.getenv(),
                // The JDK's console would require that standard input is a terminal too.
                () -> Posix.isTerminal(STANDARD_OUTPUT),
                () -> Posix.columns(STANDARD_OUTPUT),
                Environment::ask);
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** Prompts on a terminal; the end of input counts as an empty line. */
    private static Optional<String> ask(String question) {
        if (!Posix.isTerminal(STANDARD_INPUT)) {
            return Optional.empty();
        }
        stream(FileDescriptor.err).print(question);
        var terminal = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        try {
            return Optional.of(Objects.requireNonNullElse(terminal.readLine(), ""));
        } catch (IOException cannotRead) {
            return Optional.empty();
        }
    }

    /** Prints a line to standard error, after the program's name. */
    void warn(String line) {
        err.println(CommandLineTool.NAME + ": " + line);
    }

    /** The properties of standard output; NO_COLOR and COLUMNS take precedence over those of the terminal. */
    Screen screen(GlobalOptions.Colours choice) {
        boolean shown = terminal.getAsBoolean();
        boolean colours = switch (choice) {
            case ALWAYS -> true;
            case NEVER -> false;
            case AUTO ->
                shown
                        && environment.getOrDefault("NO_COLOR", "").isEmpty()
                        && !environment.getOrDefault("TERM", "").equals("dumb");
        };
        if (!shown) {
            return new Screen(colours, OptionalInt.empty());
        }
        String width = environment.getOrDefault("COLUMNS", "");
        return new Screen(
                colours, WIDTH.matcher(width).matches() ? OptionalInt.of(Integer.parseInt(width)) : columns.get());
    }
}
