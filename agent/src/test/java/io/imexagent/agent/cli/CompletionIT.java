package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The completion script, asked by a bash. */
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
        Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(bash.exitValue()).as(output).isZero();
        return output.lines().map(String::strip).toList();
    }
}
