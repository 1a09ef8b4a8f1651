package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.core.text.Screen;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** A parsed command line, its commands from the innermost to the outermost, and its environment. */
record Invocation(List<ParseResult> chain, ConfigLoader loader, Environment surroundings) {

    Invocation {
        chain = List.copyOf(chain);
    }

    /** The value of an option of the innermost command that has it. */
    <T> Optional<T> option(String name, Class<T> type) {
        return chain.stream()
                .filter(parsed -> parsed.hasMatchedOption(name))
                .findFirst()
                .map(parsed -> type.cast(parsed.matchedOption(name).getValue()));
    }

    boolean has(String name) {
        return option(name, Boolean.class).orElse(false);
    }

    /** All values of an option that may be given several times, in their order. */
    List<String> options(String name) {
        return chain.reversed().stream()
                .filter(parsed -> parsed.hasMatchedOption(name))
                .flatMap(parsed -> parsed.matchedOption(name).stringValues().stream())
                .toList();
    }

    /** Whether the name is a flag of the configuration instead of an option of the command. */
    boolean isFlag(String name) {
        OptionSpec option = chain.getFirst().commandSpec().findOption(name);
        return option == null || option.group() != null;
    }

    String argument(int index) {
        return chain.getFirst().matchedPositional(index).getValue();
    }

    /** The optional argument of a command. */
    Optional<String> firstArgument() {
        return Optional.of(chain.getFirst())
                .filter(parsed -> parsed.hasMatchedPositional(0))
                .map(parsed -> parsed.matchedPositional(0).getValue());
    }

    PrintStream out() {
        return surroundings.out();
    }

    void warn(String line) {
        surroundings.warn(line);
    }

    /** Returns the exception for a value that is wrong by the command's own rules; the message names the option. */
    ParameterException wrong(String message) {
        return new ParameterException(chain.getFirst().commandSpec().commandLine(), message);
    }

    Screen screen() {
        return surroundings.screen(
                option(GlobalOptions.COLOR, GlobalOptions.Colours.class).orElse(GlobalOptions.Colours.AUTO));
    }

    /** Prints the result in the format of {@code -o}; a document contains its time. */
    void print(Instant at, Function<Screen, String> table, Supplier<ObjectNode> document) {
        print(at, table, document, () -> Documents.yaml(at, document.get()));
    }

    /** Prints the result in the format of {@code -o}, with YAML that differs from the document. */
    void print(Instant at, Function<Screen, String> table, Supplier<ObjectNode> document, Supplier<String> yaml) {
        var format = option(GlobalOptions.OUTPUT, GlobalOptions.Format.class).orElse(GlobalOptions.Format.TABLE);
        out().print(
                        switch (format) {
                            case TABLE -> table.apply(screen());
                            case JSON -> Documents.json(at, document.get());
                            case YAML -> yaml.get();
                        });
    }
}
