package io.imexagent.e2e.packaging;

import static java.util.stream.Collectors.joining;

import io.imexagent.agent.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The man page of a command within the tree of all commands, in the macros of {@code man(7)}. */
public record ManualPage(CommandSpec spec) {

    private static final String FILES = """
            .TP
            .I /etc/imex-agent/config.yaml
            The configuration, see \\fBimex\\-agent\\-config\\fP(1) and the reference in the package's documentation.
            .TP
            .I /var/lib/imex\\-agent
            State of the agent's own.
            """;

    /** Writes one page for the command and each below it, into the directory. */
    public static void write(CommandLine command, Path directory) throws IOException {
        var page = new ManualPage(command.getCommandSpec());
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(page.name() + ".1"), page.roff());
        for (CommandLine child : command.getSubcommands().values()) {
            write(child, directory);
        }
    }

    /** The page's name: that of the command with its parents, such as {@code imex-agent-claims-list}. */
    private String name() {
        return spec.qualifiedName("-");
    }

    private String roff() {
        List<String> description = texts(spec.usageMessage().description());
        String version = String.join(" ", spec.root().version());
        StringBuilder page = new StringBuilder(
                ".TH \"%s\" 1 \"\" \"%s\" \"User Commands\"\n".formatted(name().toUpperCase(Locale.ROOT), version));
        section(page, "NAME", escaped(name()) + " \\- " + escaped(firstSentence(description.getFirst())) + "\n");
        section(page, "SYNOPSIS", ".B " + escaped(synopsis()) + "\n");
        section(
                page,
                "DESCRIPTION",
                description.stream().map(line -> escaped(line) + "\n").collect(joining(".PP\n")));
        List<OptionSpec> ungrouped =
                spec.options().stream().filter(option -> option.group() == null).toList();
        section(page, "OPTIONS", arguments(spec.positionalParameters()) + arguments(ungrouped));
        for (ArgGroupSpec group : spec.argGroups()) {
            section(page, heading(group), arguments(group.options()));
        }
        String commands = children()
                .map(child -> entry(child.name(), child.usageMessage().description()))
                .collect(joining());
        section(page, "COMMANDS", commands);
        String codes = Arrays.stream(ExitCode.values())
                .map(code -> entry(String.valueOf(code.number()), code.meaning() + "."))
                .collect(joining());
        section(page, "EXIT STATUS", codes);
        section(page, "FILES", FILES);
        section(page, "SEE ALSO", seeAlso());
        return page.toString();
    }

    private static void section(StringBuilder page, String title, String text) {
        if (!text.isBlank()) {
            page.append(".SH \"").append(title).append("\"\n").append(text);
        }
    }

    private Stream<CommandSpec> children() {
        return spec.subcommands().values().stream().map(CommandLine::getCommandSpec);
    }

    /** The first sentence without its full stop, as lists of pages show it. */
    private static String firstSentence(String text) {
        String sentence = text.split("\\. ", 2)[0];
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private String synopsis() {
        Stream<String> parameters = spec.subcommands().isEmpty()
                ? spec.positionalParameters().stream().map(ArgSpec::paramLabel)
                : Stream.of("COMMAND");
        return Stream.concat(Stream.of(spec.qualifiedName(), "[OPTION]..."), parameters)
                .collect(joining(" "));
    }

    private static String arguments(List<? extends ArgSpec> arguments) {
        return arguments.stream()
                .filter(argument -> !argument.hidden())
                .map(argument -> entry(term(argument), description(argument)))
                .collect(joining());
    }

    private static String term(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return argument.paramLabel();
        }
        String names = String.join(", ", option.names());
        return option.arity().max() == 0 ? names : names + " " + option.paramLabel();
    }

    private static String[] description(ArgSpec argument) {
        Iterable<String> candidates = argument.completionCandidates();
        String words = candidates == null ? "" : String.join(", ", candidates);
        return Arrays.stream(argument.description())
                .map(line -> line.replace("${COMPLETION-CANDIDATES}", words))
                .toArray(String[]::new);
    }

    private String seeAlso() {
        Stream<CommandSpec> parent = spec.parent() == null ? Stream.empty() : Stream.of(spec.parent());
        return Stream.concat(parent, children())
                        .map(page -> "\\fB" + escaped(page.qualifiedName("-")) + "\\fP(1)")
                        .collect(joining(",\n"))
                + "\n";
    }

    private static String heading(ArgGroupSpec group) {
        String heading = String.join(" ", texts(group.heading())).strip();
        return (heading.endsWith(":") ? heading.substring(0, heading.length() - 1) : heading)
                .toUpperCase(Locale.ROOT)
                .replace("\"", "");
    }

    private static String entry(String term, String... text) {
        return ".TP\n.B " + escaped(term) + "\n" + escaped(String.join(" ", texts(text))) + "\n";
    }

    /** Texts as picocli would print them, without its own escapes: {@code %n}, {@code %%} and markup. */
    private static List<String> texts(String... raw) {
        return Arrays.stream(raw)
                .map(line -> line.replace("%n", " ").replace("%%", "%"))
                .map(line -> Ansi.OFF.string(line).strip())
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** Text that troff takes as it is: backslashes and hyphens escaped, no line that begins like a request. */
    private static String escaped(String text) {
        String plain = text.replace("\\", "\\e")
                .replace("-", "\\-")
                .replace("…", "...")
                .replace("–", "\\(en");
        return plain.lines()
                .map(line -> line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line)
                .collect(joining("\n"));
    }
}
