package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion scripts in their shells. */
class CompletionIT {

    @TempDir
    Path folder;

    @Test
    void bashCompletesCommands() throws Exception {
        assertThat(complete("imex-agent", "c")).contains("check", "claims", "config", "completion");
        assertThat(complete("imex-agent", "claims", "")).contains("list", "show");
        assertThat(complete("imex-agent", "rdma", "")).contains("show", "check", "summary", "snapshot");
    }

    @Test
    void bashCompletesValues() throws Exception {
        assertThat(complete("imex-agent", "run", "--isolation", "")).contains("None", "IMEXChannel", "IMEXDomain");
        assertThat(complete("imex-agent", "probe", "-o", "")).contains("table", "json", "yaml");
    }

    /** Where no fish is installed, FishCompletionTest alone holds the script. */
    @Test
    void fishCompletesCommandsAndValues() throws Exception {
        if (!Stream.of(System.getenv("PATH").split(":", -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "fish")))) {
            return;
        }
        assertThat(fish("imex-agent c")).contains("check", "claims", "config", "completion");
        assertThat(fish("imex-agent --config /tmp/c.yaml claims "))
                .contains("list", "show")
                .doesNotContain("check");
        assertThat(fish("imex-agent rdma show -o ")).contains("table", "json", "yaml");
        assertThat(fish("imex-agent run --isolation ")).contains("None", "IMEXChannel");
        assertThat(fish("imex-agent racks --w")).containsExactly("--watch");
        assertThat(fish("imex-agent claims list --w")).isEmpty();
    }

    /** The completions of a line, as fish finds them. */
    private List<String> fish(String line) throws IOException, InterruptedException {
        var cli = new CliFixture();
        assertThat(cli.execute("completion", "--shell", "fish")).isEqualTo(ExitCode.OK);
        Path script = Files.writeString(folder.resolve("completion.fish"), cli.out());
        return output(List.of(
                        "fish",
                        "--no-config",
                        "--command",
                        "source '" + script + "'; complete --do-complete '" + line + "'"))
                .map(found -> found.replaceFirst("\t.*", ""))
                .toList();
    }

    private static Stream<String> output(List<String> command) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(shell.exitValue()).as(output).isZero();
        return output.lines();
    }

    /** The completions of the last word, as bash finds them. */
    private List<String> complete(String... words) throws IOException, InterruptedException {
        var cli = new CliFixture();
        assertThat(cli.execute("completion")).isEqualTo(ExitCode.OK);
        Path script = Files.writeString(folder.resolve("completion.sh"), cli.out());
        Path question = Files.writeString(folder.resolve("question.sh"), """
                source "$1"; shift
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                handler=$(complete -p imex-agent | sed 's/.*-F \\([^ ]*\\).*/\\1/')
                "$handler" imex-agent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """);
        List<String> command = new ArrayList<>(List.of("bash", "--norc", question.toString(), script.toString()));
        command.addAll(List.of(words));
        return output(command).map(String::strip).toList();
    }
}
