package io.imexagent.agent.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Shipped code and the docs use the words of {@code docs/glossary.md}: each type has a name of its own. */
class VocabularyTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final List<String> NOT_SHIPPED = List.of("testing", "e2e");

    /** A comment, a text block, a string, a character: what is no name. */
    private static final Pattern PROSE = Pattern.compile(
            "(?s)/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'");

    private static final Pattern TYPE = Pattern.compile(
            "(?<![\\w.])(?:class|interface|enum|record)\\s+([A-Z]\\w*)(?=\\s*[<({]|\\s+(?:extends|implements|permits)\\b)");

    private static final Pattern NAME = Pattern.compile("\\b[A-Za-z]\\w*[a-z]\\w*\\b|\\b[a-z]\\b");
    private static final Pattern WORD_OF_A_NAME = Pattern.compile("[A-Z]?[a-z]+");

    /** A row of the glossary's table of words to avoid: the word, its replacement, and how often prose may still have it. */
    private static final Pattern ROW = Pattern.compile("\\| `([a-z]+)` \\| [^|]+ \\| ([0-9]+) \\|");

    private static final Map<String, String> SOURCES = new TreeMap<>();
    private static final Map<String, Integer> LEFT_IN_PROSE = new TreeMap<>();
    private static final List<String> DOCS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        String glossary = Files.readString(ROOT.resolve("docs/glossary.md"));
        ROW.matcher(glossary).results().forEach(row -> LEFT_IN_PROSE.put(row.group(1), Integer.valueOf(row.group(2))));
        List<String> modules = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .filter(module -> !NOT_SHIPPED.contains(module))
                .toList();
        for (String module : modules) {
            take(ROOT.resolve(module).resolve("src/main/java"), ".java", SOURCES);
        }
        var pages = new TreeMap<String, String>();
        take(ROOT.resolve("docs"), ".md", pages);
        pages.keySet().removeIf(page -> page.endsWith("/glossary.md"));
        pages.put("README.md", Files.readString(ROOT.resolve("README.md")));
        DOCS.addAll(pages.values());
    }

    private static void take(Path folder, String ending, Map<String, String> into) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            files.filter(file -> file.toString().endsWith(ending)).forEach(file -> {
                try {
                    into.put(file.toString(), Files.readString(file));
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            });
        }
    }

    @Test
    void everyShippedTypeHasANameOfItsOwn() {
        var places = new TreeMap<String, List<String>>();
        SOURCES.forEach((file, source) -> TYPE.matcher(names(source))
                .results()
                .forEach(type -> places.computeIfAbsent(type.group(1), name -> new ArrayList<>())
                        .add(file)));
        assertThat(places).hasSizeGreaterThan(700);

        places.values().removeIf(files -> files.size() == 1);

        assertThat(places)
                .as("names of several types; give each a noun of its own")
                .isEmpty();
    }

    @Test
    void noNameHasAWordThatTheGlossaryAvoids() {
        var found = new TreeMap<String, String>();
        SOURCES.forEach((file, source) -> NAME.matcher(names(source))
                .results()
                .map(MatchResult::group)
                .filter(name -> WORD_OF_A_NAME
                        .matcher(name)
                        .results()
                        .anyMatch(word -> LEFT_IN_PROSE.containsKey(word.group().toLowerCase(Locale.ROOT))))
                .forEach(name -> found.put(name, file)));

        assertThat(LEFT_IN_PROSE).as("rows of docs/glossary.md").hasSizeGreaterThan(9);
        assertThat(found)
                .as("see the table of words to avoid in docs/glossary.md")
                .isEmpty();
    }

    /** The numbers of the table only go down: whoever removes such words lowers them. */
    @Test
    void commentsMessagesAndDocsHaveFewerAndFewerWordsThatTheGlossaryAvoids() {
        String all = prose();
        LEFT_IN_PROSE.forEach((word, left) -> assertThat(
                        Pattern.compile("(?i)\\b" + word + "\\b").matcher(all).results())
                .as("'%s' in comments, messages and docs; docs/glossary.md says what to write", word)
                .hasSizeLessThanOrEqualTo(left));
    }

    private static String names(String source) {
        return PROSE.matcher(source).replaceAll(" ");
    }

    private static String prose() {
        var all = new StringBuilder();
        SOURCES.values()
                .forEach(source -> PROSE.matcher(source)
                        .results()
                        .forEach(text -> all.append(text.group()).append('\n')));
        DOCS.forEach(page -> all.append(page).append('\n'));
        return all.toString();
    }
}
