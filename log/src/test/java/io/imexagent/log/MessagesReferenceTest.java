package io.imexagent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MessagesReferenceTest {

    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..");
    private static final Pattern TABLE =
            Pattern.compile("(?s)(?<=<!-- messages: make docs -->\n).*?(?=<!-- end of messages -->)");
    private static final Pattern ENTRY = Pattern.compile("""

            -- (?<id>[0-9a-f]{32})
            Subject: (?<subject>.+)
            Defined-By: imex-agent
            Documentation: man:imex-agent\\(1\\)

            (?:.{1,76}
            )+""");
    private static final Pattern FIELD = Pattern.compile("@([^@\n]*)@");

    /** As {@code journalctl --update-catalog} reads it (https://www.freedesktop.org/wiki/Software/systemd/catalog/). */
    @Test
    void theCatalogueHasATextOfEachMessageAndNoOther() throws IOException {
        String catalogue = catalogue();

        assertThat(ENTRY.matcher(catalogue).results().map(entry -> entry.group("id")))
                .containsExactlyElementsOf(Stream.of(KnownMessage.values())
                        .map(message -> message.id)
                        .toList());
        assertThat(ENTRY.matcher(catalogue).replaceAll("")).matches("#.*\n");
        assertThat(FIELD.matcher(catalogue).results().map(field -> field.group(1)))
                .containsOnly("IMEX_NODE", "IMEX_" + LogEntry.CLAIM_UID, "IMEX_" + LogEntry.CODE);
    }

    @Test
    void theTableOfThePageIsCurrent() throws IOException {
        Path page = ROOT.resolve("docs/logs.md");
        String rows = table();
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(page, TABLE.matcher(Files.readString(page)).replaceFirst(Matcher.quoteReplacement(rows)));
        }
        Matcher table = TABLE.matcher(Files.readString(page));
        assertThat(table.find()).isTrue();
        assertThat(table.group()).isEqualTo(rows);
    }

    @Test
    void idsAreOfTheirOwn() {
        assertThat(KnownMessage.values())
                .hasSize(10)
                .extracting(message -> message.id)
                .doesNotHaveDuplicates()
                .allSatisfy(id -> assertThat(id).matches("[0-9a-f]{32}"));
    }

    /** The words lead from the code to the id: what is logged elsewhere under the same ones would get it too. */
    @Test
    void eachStandsInOnePlaceOfTheCode() throws IOException {
        String sources = sources();

        for (KnownMessage message : KnownMessage.values()) {
            assertThat(Pattern.compile("\"" + Pattern.quote(message.words) + "(?=[ \"])")
                            .matcher(sources)
                            .results())
                    .as(message.words)
                    .hasSize(1);
        }
    }

    private static String table() throws IOException {
        Map<String, String> subjects = ENTRY.matcher(catalogue())
                .results()
                .collect(Collectors.toMap(entry -> entry.group("id"), entry -> entry.group("subject")));
        return "| message | what has happened | `MESSAGE_ID` |\n|---|---|---|\n"
                + Arrays.stream(KnownMessage.values())
                        .map(message -> "| `" + message.words + "` | " + subjects.get(message.id) + " | `" + message.id
                                + "` |\n")
                        .collect(Collectors.joining());
    }

    private static String catalogue() throws IOException {
        return Files.readString(ROOT.resolve("systemd/units/imex-agent.catalog"));
    }

    private static String sources() throws IOException {
        var text = new StringBuilder();
        try (Stream<Path> modules = Files.list(ROOT)) {
            List<Path> roots = modules.map(module -> module.resolve("src/main/java/io/imexagent"))
                    .filter(Files::isDirectory)
                    .toList();
            assertThat(roots).hasSizeGreaterThan(10);
            for (Path root : roots) {
                try (Stream<Path> files = Files.walk(root)) {
                    for (Path file : files.filter(
                                    each -> each.toString().endsWith(".java") && !each.endsWith("KnownMessage.java"))
                            .toList()) {
                        // A text that is cut into pieces is one.
                        text.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
                    }
                }
            }
        }
        return text.toString();
    }
}
