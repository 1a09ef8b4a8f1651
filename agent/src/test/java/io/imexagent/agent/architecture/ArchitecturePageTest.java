package io.imexagent.agent.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code docs/architecture.md} leads to code that is there, and leaves out no module and no package. */
class ArchitecturePageTest {

    private static final Path ROOT = Path.of("..");
    private static final String PACKAGE_ROOT = "src/main/java/io/imexagent";
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern MARKED = Pattern.compile("`([^`\n]+)`");

    /** A type, one within it, a method of it: {@code Type}, {@code Type.Nested}, {@code Type.method}. */
    private static final Pattern TYPE =
            Pattern.compile("([A-Z][a-z0-9]*[A-Za-z0-9]*)(?:\\.([A-Z]\\w*))?(?:\\.([a-z]\\w*))?");

    private static final Pattern PACKAGE = Pattern.compile("[a-z]+(?:\\.[a-z]+)*");
    private static final Pattern FOLDER = Pattern.compile("[a-z][\\w.-]*(?:/[\\w.-]+)+");
    private static final Pattern GENERATED_TABLE =
            Pattern.compile("(?s)<!-- modules: .*? -->\n(.*)<!-- end of modules -->");

    private static String page = "";
    private static List<String> modules = List.of();

    /** Sources by the names of their files, without the ending. A name may stand in several packages. */
    private static final Map<String, List<String>> SOURCES = new TreeMap<>();

    private static final Set<String> PACKAGES = new TreeSet<>();

    @BeforeAll
    static void read() throws IOException {
        page = Files.readString(ROOT.resolve("docs/architecture.md"));
        modules = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        for (String module : modules) {
            take(ROOT.resolve(module).resolve(PACKAGE_ROOT), true);
        }
        // The page names two tests of its own package.
        take(Path.of("src/test/java/io/imexagent/agent/architecture"), false);
    }

    private static void take(Path sources, boolean main) throws IOException {
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString().replace(".java", "");
                SOURCES.computeIfAbsent(name, each -> new ArrayList<>()).add(Files.readString(file));
                if (main) {
                    PACKAGES.add(sources.relativize(file.getParent()).toString().replace('/', '.'));
                }
            }
        }
    }

    @Test
    void everyTypeAndMethodOfThePageExists() {
        List<MatchResult> named = marked().map(TYPE::matcher)
                .flatMap(text -> text.matches() ? Stream.of(text.toMatchResult()) : Stream.empty())
                .toList();

        assertThat(named).hasSizeGreaterThan(150);
        assertThat(named.stream().filter(name -> !exists(name)).map(MatchResult::group))
                .isEmpty();
    }

    @Test
    void everyPackageStandsOnThePageAndNoOther() {
        Set<String> roots = PACKAGES.stream().map(name -> head(name)).collect(Collectors.toSet());
        Set<String> named = marked().filter(text -> PACKAGE.matcher(text).matches())
                .filter(text -> text.contains(".") && roots.contains(head(text)))
                .filter(text -> !text.endsWith(".json"))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(PACKAGES).hasSizeGreaterThan(60);
        assertThat(named).as("named and not there").isSubsetOf(PACKAGES);
        assertThat(PACKAGES).allSatisfy(name -> assertThat(page).contains("\n| `" + name + "` |"));
    }

    @Test
    void everyFolderAndFileOfThePageExists() {
        List<String> named = marked().map(text -> text.replaceFirst(" .*", ""))
                .filter(text -> FOLDER.matcher(text).matches())
                .filter(text -> !text.startsWith("src/"))
                .toList();

        assertThat(named)
                .hasSizeGreaterThan(5)
                .allSatisfy(path -> assertThat(ROOT.resolve(path)).exists());
    }

    @Test
    void mapAndTableOfLinesNameEachModule() {
        String map = page.substring(page.indexOf("\n## The map"), page.indexOf("\n## Packages"));
        String lines = GENERATED_TABLE
                .matcher(page)
                .results()
                .map(table -> table.group(1))
                .collect(Collectors.joining());

        assertThat(modules).hasSizeGreaterThan(10).allSatisfy(module -> {
            assertThat(map).contains("\n| `" + module + "` |");
            assertThat(lines).containsPattern("\\| `" + module + "` \\| [0-9]+ \\|");
        });
    }

    private static Stream<String> marked() {
        return MARKED.matcher(page).results().map(text -> text.group(1));
    }

    private static String head(String packageName) {
        return packageName.replaceFirst("\\..*", "");
    }

    private static boolean exists(MatchResult name) {
        return SOURCES.getOrDefault(name.group(1), List.of()).stream()
                .anyMatch(source -> declares(source, name.group(2)) && calls(source, name.group(3)));
    }

    private static boolean declares(String source, @Nullable String nested) {
        return nested == null
                || Pattern.compile("\\b(?:class|interface|record|enum) " + nested + "\\b")
                        .matcher(source)
                        .find();
    }

    private static boolean calls(String source, @Nullable String method) {
        return method == null
                || Pattern.compile("[\\w>\\]] " + method + "\\(")
                        .matcher(source)
                        .find();
    }
}
