package io.imexagent.agent.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MessagesReferenceTest {

    private static final Path ROOT = Path.of(System.getProperty("basedir", "."), "..");
    private static final Pattern TABLE =
            Pattern.compile("(?s)(?<=<!-- messages: make docs -->\n).*?(?=<!-- end of messages -->)");

    @Test
    void theCheckedInCatalogueIsCurrent() throws IOException {
        Path catalogue = ROOT.resolve("systemd/units/imex-agent.catalog");
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(catalogue, MessageCatalogue.text());
        }
        assertThat(catalogue)
                .as("is made from the code; write it anew with: make docs")
                .hasContent(MessageCatalogue.text());
    }

    @Test
    void theTableOfThePageIsCurrent() throws IOException {
        Path page = ROOT.resolve("docs/logs.md");
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(
                    page,
                    TABLE.matcher(Files.readString(page))
                            .replaceFirst(Matcher.quoteReplacement(MessageCatalogue.table())));
        }
        Matcher table = TABLE.matcher(Files.readString(page));
        assertThat(table.find()).isTrue();
        assertThat(table.group()).isEqualTo(MessageCatalogue.table());
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
