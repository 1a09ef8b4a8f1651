package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion script for fish by the grammar of {@code complete}; CompletionIT runs it where a fish is installed. */
class FishCompletionTest {

    private static final String QUOTED = "'(?:[^'\\\\]|\\\\['\\\\])*'";
    private static final Pattern LINE = Pattern.compile("complete -c imex-agent"
            + "( -n \"__imex_agent_at( '[a-z -]+')+\")?"
            + " (-a " + QUOTED + "|-[ls] [A-Za-z0-9-]+( -[ls] [A-Za-z0-9-]+)*( -x -a " + QUOTED + "| -r -F)?)"
            + " -d " + QUOTED);

    private final CliFixture cli = new CliFixture();
    private List<String> completions = List.of();

    @BeforeEach
    void print() {
        assertThat(cli.execute("completion", "--shell", "fish")).isEqualTo(ExitCode.OK);
        completions = cli.out()
                .lines()
                .dropWhile(line -> !line.equals("complete -c imex-agent -f"))
                .skip(1)
                .toList();
    }

    @Test
    void everyLineIsACompletion() {
        assertThat(completions)
                .hasSizeGreaterThan(60)
                .allSatisfy(line -> assertThat(line).matches(LINE).doesNotContain("${", "%n", "%%"));
    }

    @Test
    void everyCommandStandsBelowItsParentAndEveryOptionBelowItsCommand() {
        for (CommandSpec command : all(cli.commands()).toList()) {
            if (command.parent() != null) {
                assertThat(completions)
                        .as(command.qualifiedName())
                        .anyMatch(line -> line.startsWith("complete -c imex-agent -n \"__imex_agent_at '"
                                + command.parent().qualifiedName() + "'\" -a '" + command.name() + "' -d '"));
            }
            for (OptionSpec option : command.options()) {
                String name = " -l " + option.longestName().substring(2) + " ";
                assertThat(completions)
                        .as("%s %s", command.qualifiedName(), option.longestName())
                        .anyMatch(line -> line.contains(name)
                                && (!line.contains(" -n ") || line.contains("'" + command.qualifiedName() + "'")));
            }
        }
    }

    @Test
    void choicesAreOfferedAndFilesWhereThereIsNoChoice() {
        assertThat(completions)
                .anyMatch(line -> line.contains(" -s o -l output -x -a 'table json yaml' -d 'The form of the output'"))
                .anyMatch(line -> line.contains(" -l config -r -F -d ") && !line.contains(" -n "))
                .anyMatch(line -> line.contains(" -l isolation -x -a 'None IMEXChannel"));
    }

    @Test
    void aValueIsNoCommand() {
        assertThat(cli.out()).contains("contains -- $word '--config' '--color'");
    }

    private static Stream<CommandSpec> all(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().flatMap(FishCompletionTest::all));
    }
}
