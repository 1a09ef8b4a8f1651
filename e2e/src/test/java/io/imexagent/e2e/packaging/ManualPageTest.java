package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.Environment;
import io.imexagent.agent.runtime.Main;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManualPageTest {
    private static final Pattern REQUEST = Pattern.compile("\\.(TH|SH|TP|PP|B|I)( .*)?");

    @TempDir
    private Path directory;

    private Path pages;

    @BeforeEach
    void write() throws IOException {
        pages = directory.resolve("man");
        ManualPage.write(Main.tool(Environment.ofProcess()).commands(), pages);
    }

    @Test
    void writesAPageForEachCommand() {
        assertThat(pages)
                .isDirectoryContaining("glob:**/imex-agent.1")
                .isDirectoryContaining("glob:**/imex-agent-run.1")
                .isDirectoryContaining("glob:**/imex-agent-claims-show.1");
    }

    @Test
    void tellsSynopsisOptionsAndExitCodes() throws IOException {
        String page = Files.readString(pages.resolve("imex-agent-claims-show.1"));

        assertThat(page)
                .contains("imex\\-agent\\-claims\\-show \\- Show all that the records of this node know of a claim")
                .contains(".B imex\\-agent claims show [OPTION]... CLAIM\n")
                .contains(".B \\-o, \\-\\-output FORMAT\nThe form of the output: table, json, yaml.")
                .contains(".SH \"CONFIGURATION, BEATING THE ENVIRONMENT AND THE FILE\"\n.TP\n")
                .contains(".SH \"EXIT STATUS\"\n.TP\n.B 0\n");
    }

    @Test
    void thePageOfTheProgramNamesItsCommands() throws IOException {
        assertThat(Files.readString(pages.resolve("imex-agent.1")))
                .contains(".SH \"COMMANDS\"\n")
                .contains(
                        ".TP\n.B probe\nRead the host once and print what was found. Ends with 1 where a finding is critical or a GPU or the fabric is broken,")
                .contains("\\fBimex\\-agent\\-claims\\fP(1)");
    }

    @Test
    void everyLineIsAKnownRequestOrText() throws IOException {
        for (Path page : all()) {
            List<String> lines = Files.readAllLines(page);
            assertThat(lines)
                    .as(page.toString())
                    .hasSizeGreaterThan(20)
                    .allSatisfy(line -> assertThat(line)
                            .satisfiesAnyOf(
                                    text -> assertThat(text)
                                            .doesNotStartWith(".")
                                            .doesNotStartWith("'"),
                                    text -> assertThat(text).matches(REQUEST)));
            assertThat(String.join("\n", lines))
                    .as(page.toString())
                    .doesNotContain("${")
                    .doesNotContain("%n")
                    .doesNotContain("%%");
        }
    }

    private List<Path> all() throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(pages)) {
            entries.forEach(found::add);
        }
        return found;
    }
}
