package io.imexagent.agent.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The completion script for fish, made of the tree of commands (picocli makes one for bash and zsh): a {@code complete} line
 * for each command below its parent, and for each option below the commands that have it.
 */
record FishCompletion(CommandSpec program) {

    /**
     * The function in this script prints the command on the line so far: the names of program and commands, without
     * options and their values.
     */
    private static final String COMMAND_SO_FAR = """
            # imex-agent completion --shell fish | source
            function __imex_agent_command
                set -l command imex-agent
                set -l skip 0
                for word in (commandline -opc)[2..-1]
                    if test $skip = 1
                        set skip 0
                    else if contains -- $word @OPTIONS@
                        set skip 1
                    else if not string match -q -- '-*' $word
                        if not contains -- "$command $word" @COMMANDS@
                            break
                        end
                        set command "$command $word"
                    end
                end
                echo $command
            end
            function __imex_agent_at
                contains -- (__imex_agent_command) $argv
            end
            complete -c imex-agent -f
            """;

    private static final Pattern SENTENCE = Pattern.compile("[.:;](?= |$)");

    String script() {
        List<CommandSpec> all = below(program).toList();
        var lines = new ArrayList<String>();
        for (CommandSpec parent : all) {
            parent.subcommands()
                    .forEach((name, child) -> lines.add(line(
                            List.of(parent),
                            "-a " + quoted(name),
                            child.getCommandSpec().usageMessage().description())));
        }
        // Options of the same name and meaning share a line that lists all commands that have them.
        Map<String, List<CommandSpec>> having = new LinkedHashMap<>();
        for (CommandSpec command : all) {
            for (OptionSpec option : command.options()) {
                having.computeIfAbsent(words(option) + "\n" + description(option), first -> new ArrayList<>())
                        .add(command);
            }
        }
        having.forEach((option, commands) -> lines.add(line(
                commands.size() == all.size() ? List.of() : commands,
                option.substring(0, option.indexOf('\n')),
                option.substring(option.indexOf('\n') + 1))));
        return COMMAND_SO_FAR
                        .replace("@OPTIONS@", names(withValuesBeforeACommand(all)))
                        .replace("@COMMANDS@", names(all.stream().skip(1).map(CommandSpec::qualifiedName)))
                + lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }

    private static Stream<CommandSpec> below(CommandSpec command) {
        return Stream.concat(
                Stream.of(command),
                command.subcommands().values().stream()
                        .map(CommandLine::getCommandSpec)
                        .flatMap(FishCompletion::below));
    }

    /** The options that may precede a command, so that their values could be mistaken for its name. */
    private static Stream<String> withValuesBeforeACommand(List<CommandSpec> all) {
        return all.stream()
                .filter(command -> !command.subcommands().isEmpty())
                .flatMap(command -> command.options().stream())
                .filter(option -> option.arity().max() > 0)
                .flatMap(option -> Stream.of(option.names()))
                .distinct();
    }

    private static String line(List<CommandSpec> at, String what, String... description) {
        String condition = at.isEmpty()
                ? ""
                : " -n \"__imex_agent_at " + names(at.stream().map(CommandSpec::qualifiedName)) + "\"";
        return "complete -c imex-agent" + condition + " " + what + " -d " + quoted(plain(description));
    }

    /** The arguments of {@code complete} for an option: its names and the completion of its value. */
    private static String words(OptionSpec option) {
        String names = Stream.of(option.names())
                .map(name -> name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1))
                .collect(Collectors.joining(" "));
        if (option.arity().max() == 0) {
            return names;
        }
        if (option.completionCandidates() == null) {
            return names + " -r -F";
        }
        return names + " -x -a "
                + quoted(StreamSupport.stream(option.completionCandidates().spliterator(), false)
                        .collect(Collectors.joining(" ")));
    }

    private static String description(OptionSpec option) {
        return plain(option.description());
    }

    /** The first sentence, without its full stop. */
    private static String plain(String... description) {
        return SENTENCE.split(Ansi.OFF.string(String.join(" ", description)).replace("%%", "%"), 2)[0];
    }

    private static String names(Stream<String> names) {
        return names.map(FishCompletion::quoted).collect(Collectors.joining(" "));
    }

    /** Puts the text in single quotes, in which fish has two escapes. */
    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
