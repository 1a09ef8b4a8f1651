package io.imexagent.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

final class ToolsTest {

    @Test
    void measuresWhatWasAgreedWhereNothingIsSaid() {
        ParseResult bench = parse("bench");

        assertThat(List.of("--starts", "--young", "--warm-up", "--cycles", "--total", "--idle", "--minutes"))
                .map(name -> bench.commandSpec().findOption(name).<Integer>getValue())
                .containsExactly(10, 200, 300, 500, 3000, 5, 10);
    }

    @Test
    void takesSmallerNumbers() {
        ParseResult bench = parse("bench", "--starts", "1", "--minutes=6");

        assertThat(bench.<Integer>matchedOptionValue("--starts", 0)).isEqualTo(1);
        assertThat(bench.<Integer>matchedOptionValue("--minutes", 0)).isEqualTo(6);
    }

    @Test
    void refusesWhatItDoesNotUnderstand() {
        refuses("Unknown option: '--fast'", "bench", "--fast");
        refuses("Missing required parameter for option '--cycles'", "bench", "--cycles");
        refuses("'--cycles'", "bench", "--cycles", "many");
        refuses("a number above 0 is needed, not 0", "bench", "--cycles", "0");
        refuses("Unknown option: '--quick'", "demo", "--quick");
        refuses("Missing required parameter: 'CACHE'", "train");
        refuses("Missing required parameter: 'PARTS'", "jars", "x86_64", "from", "jars");
    }

    @Test
    void clearsUpAndStartsAContainerWhereNothingIsSaid() {
        ParseResult demo = parse("demo");

        assertThat(List.of("--keep", "--verbose", "--no-container", "--color"))
                .map(name -> demo.commandSpec().findOption(name).<Boolean>getValue())
                .containsOnly(false);
    }

    @Test
    void takesFlagsOfTheDemo() {
        ParseResult demo = parse("demo", "--keep", "--verbose", "--no-container", "--color");

        assertThat(demo.matchedOptions()).hasSize(4);
    }

    @Test
    void endsWithTwoForWrongArgumentsAndOneForAFailure() {
        assertThat(Tools.commandLine().execute("pictures")).isEqualTo(2);
        assertThat(Tools.commandLine().execute("notice", "/no/such/bill", "/no/such/folder", "/no/such/notice"))
                .isEqualTo(1);
    }

    private static void refuses(String message, String... arguments) {
        CommandLine programs = Tools.commandLine();
        assertThatThrownBy(() -> programs.parseArgs(arguments))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(message);
    }

    private static ParseResult parse(String... arguments) {
        return Tools.commandLine().parseArgs(arguments).subcommand();
    }
}
