package io.imexagent.e2e.quickstart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.e2e.quickstart.Quickstart.Place;
import io.imexagent.e2e.quickstart.Quickstart.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page is short, and each of its blocks is run or a picture; how outputs are compared. */
class QuickstartTest {

    private static final int WORDS = 600;

    @Test
    void thePageHasAtMost600WordsBesideItsBlocks() throws IOException {
        assertThat(Quickstart.prose(Files.readString(Quickstart.PAGE)).strip().split("\\s+"))
                .hasSizeLessThanOrEqualTo(WORDS);
    }

    @Test
    void everyBlockIsRunSomewhereOrIsAPicture() throws IOException {
        String page = Files.readString(Quickstart.PAGE);

        assertThat(Quickstart.blocks(page).map(block -> block.group(1)))
                .isNotEmpty()
                .allMatch(words -> words.matches("console (checkout|host)|mermaid"));
        assertThat(Quickstart.steps(page)).extracting(Step::place).contains(Place.values());
        assertThat(page.lines().filter(line -> line.startsWith("```")).count())
                .isEqualTo(2 * Quickstart.blocks(page).count());
    }

    @Test
    void aBlockIsReadAsCommandsWithTheirOutput() {
        String page = """
                Words.
                ```console host
                # cat >file <<END
                a: b
                # no command
                END
                # one \\
                  two
                # three
                first …
                …
                last
                ```
                ```mermaid
                a --> b
                ```
                """;

        assertThat(Quickstart.steps(page))
                .containsExactly(
                        new Step(Place.HOST, "cat >file <<END\na: b\n# no command\nEND", List.of()),
                        new Step(Place.HOST, "one \\\n  two", List.of()),
                        new Step(Place.HOST, "three", List.of("first …", "…", "last")));
        assertThat(Quickstart.prose(page)).contains("Words.").doesNotContain("three", "-->");
    }

    @Test
    void anOutputIsComparedLineByLine() {
        var step = new Step(Place.HOST, "three", List.of("first …  (a)", "…", "last"));

        assertThat(step.isShownBy("first one   (a)\nlast")).isTrue();
        assertThat(step.isShownBy("first 1 (a)\nand\nmore\nlast\n")).isTrue();
        assertThat(step.isShownBy("first one (b)\nlast")).isFalse();
        assertThat(step.isShownBy("first one\n(a)\nlast")).isFalse();
        assertThat(step.isShownBy("first one (a)\nlast\nand more")).isFalse();
        assertThat(new Step(Place.HOST, "three", List.of()).isShownBy("anything"))
                .isTrue();
    }

    @Test
    void aBlockThatBeginsWithoutAPromptOrWhoseTextHasNoEndIsRefused() {
        assertThatThrownBy(() -> Quickstart.steps("```console host\nls\n```\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no prompt before: ls");
        assertThatThrownBy(() -> Quickstart.steps("```console host\n# cat <<END\na\n```\n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cat <<END");
    }
}
