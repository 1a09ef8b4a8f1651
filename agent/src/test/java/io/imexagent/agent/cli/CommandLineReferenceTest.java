package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class CommandLineReferenceTest {

    private static final Path GUIDE = Path.of(System.getProperty("basedir", "."), "..", "docs", "command-line.md");

    /** What follows this line of the guide is made from the code. */
    private static final String MADE = "| code | meaning |\n|---:|---|\n";

    @Test
    void theTableOfExitCodesIsCurrent() throws IOException {
        String guide = Files.readString(GUIDE);
        String current = guide.substring(0, guide.indexOf(MADE) + MADE.length()) + exitCodes();
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(GUIDE, current);
        }

        assertThat(GUIDE)
                .as("the table is made from the code; write it again with: make docs")
                .hasContent(current);
    }

    @Test
    void theGuideNamesEverySeverityInItsOrder() throws IOException {
        assertThat(Files.readString(GUIDE))
                .containsSubsequence(Arrays.stream(Severity.values())
                        .map(severity -> "| `" + severity.text() + "` |")
                        .toList());
    }

    private static String exitCodes() {
        return Arrays.stream(ExitCode.values())
                .sorted(Comparator.comparingInt(ExitCode::number))
                .map(code -> "| " + code.number() + " | " + code.meaning() + " |\n")
                .collect(Collectors.joining());
    }
}
