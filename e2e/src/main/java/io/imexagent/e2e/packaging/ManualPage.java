package io.imexagent.e2e.packaging;

import io.imexagent.agent.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The man page of a command, in the macros of {@code man(7)}.
 *
 * @param spec the command, within the tree of all commands
 */
record ManualPage(CommandSpec spec) {

    private static final String FILES = """
            .TP
            .I /etc/imex-agent/config.yaml
            The configuration, see \\fBimex\\-agent\\-config\\fP(1) and the reference in the package's documentation.
            .TP
            .I /var/lib/imex\\-agent
            State of the agent's own.
            """;

    /** Writes one page for the command and each below it, into the directory. */
    static void write(CommandLine command, Path directory) throws IOException {
        var page = new ManualPage(command.getCommandSpec());
        Files.createDirectories(directory);
        Files.writeString(directory.resolve(page.name() + ".1"), page.roff());
        for (CommandLine child : command.getSubcommands().values()) {
            write(child, directory);
        }
    }

    /** The page's name: that of the command with its parents, such as {@code imex-agent-claims-list}. */
    String name() {
        return spec.qualifiedName("-");
    }

    /** The page. */
    String roff() {
        StringBuilder page = new StringBuilder();
        page.append(".TH \"%s\" 1 \"\" \"%s\" \"User Commands\"%n"
                .formatted(
                        name().toUpperCase(Locale.ROOT),
                        String.join(" ", spec.root().version())));
        section(page, "NAME", escaped(name()) + " \\- " + escaped(summary()) + "\n");
        section(page, "SYNOPSIS", ".B " + escaped(synopsis()) + "\n");
        section(page, "DESCRIPTION", paragraphs(texts(spec.usageMessage().description())));
        section(page, "OPTIONS", positionals() + options(ungrouped()));
        for (ArgGroupSpec group : spec.argGroups()) {
            section(page, heading(group), options(group.options()));
        }
        section(page, "COMMANDS", commands());
        section(page, "EXIT STATUS", exitCodes());
        section(page, "FILES", FILES);
        section(page, "SEE ALSO", seeAlso());
        return page.toString();
    }

    private static void section(StringBuilder page, String title, String text) {
        if (!text.isBlank()) {
            page.append(".SH \"").append(title).append("\"\n").append(text);
        }
    }

    /** The first sentence of the description, without its full stop, as lists of pages show it. */
    private String summary() {
        String first = texts(spec.usageMessage().description()).getFirst();
        int end = first.indexOf(". ");
        String sentence = end < 0 ? first : first.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }

    private String synopsis() {
        String parameters = spec.positionalParameters().stream()
                .map(PositionalParamSpec::paramLabel)
                .collect(Collectors.joining(" "));
        boolean group = !spec.subcommands().isEmpty();
        return Stream.of(spec.qualifiedName(), "[OPTION]...", group ? "COMMAND" : parameters)
                .filter(word -> !word.isEmpty())
                .collect(Collectors.joining(" "));
    }

    private String positionals() {
        return spec.positionalParameters().stream()
                .filter(parameter -> !parameter.hidden())
                .map(parameter -> entry(parameter.paramLabel(), String.join(" ", texts(parameter.description()))))
                .collect(Collectors.joining());
    }

    private List<OptionSpec> ungrouped() {
        return spec.options().stream().filter(option -> option.group() == null).toList();
    }

    private static String options(List<OptionSpec> options) {
        return options.stream()
                .filter(option -> !option.hidden())
                .map(option -> entry(names(option), String.join(" ", description(option))))
                .collect(Collectors.joining());
    }

    private static String names(OptionSpec option) {
        String names = String.join(", ", option.names());
        return option.arity().max() == 0 ? names : names + " " + option.paramLabel();
    }

    private static List<String> description(OptionSpec option) {
        List<String> words = new ArrayList<>();
        if (option.completionCandidates() != null) {
            option.completionCandidates().forEach(words::add);
        }
        return texts(option.description()).stream()
                .map(line -> line.replace("${COMPLETION-CANDIDATES}", String.join(", ", words)))
                .toList();
    }

    private String commands() {
        return spec.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .map(child -> entry(
                        child.name(),
                        String.join(" ", texts(child.usageMessage().description()))))
                .collect(Collectors.joining());
    }

    private static String exitCodes() {
        return Arrays.stream(ExitCode.values())
                .map(code -> entry(String.valueOf(code.number()), code.meaning() + "."))
                .collect(Collectors.joining());
    }

    /** The parent and the commands below. */
    private String seeAlso() {
        Stream<String> parent =
                spec.parent() == null ? Stream.empty() : Stream.of(spec.parent().qualifiedName("-"));
        Stream<String> children = spec.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .map(child -> child.qualifiedName("-"));
        return Stream.concat(parent, children)
                        .map(page -> "\\fB" + escaped(page) + "\\fP(1)")
                        .collect(Collectors.joining(",\n"))
                + "\n";
    }

    private static String heading(ArgGroupSpec group) {
        String heading = String.join(" ", texts(group.heading())).strip();
        return (heading.endsWith(":") ? heading.substring(0, heading.length() - 1) : heading)
                .toUpperCase(Locale.ROOT)
                .replace("\"", "");
    }

    private static String entry(String term, String text) {
        return ".TP\n.B " + escaped(term) + "\n" + escaped(text) + "\n";
    }

    private static String paragraphs(List<String> lines) {
        return lines.stream().map(line -> escaped(line) + "\n").collect(Collectors.joining(".PP\n"));
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
                .collect(Collectors.joining("\n"));
    }
}
