package io.imexagent.agent.architecture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Code font in a document names what exists: types, methods, packages, keys of the configuration. A name that is gone
 * stands without it, and a decision that says "Superseded by" is not checked.
 */
class DocumentNamesTest {

    private static final Path ROOT = Path.of("..");
    private static final List<String> FOLDERS = List.of(".", "docs", "docs/decisions");
    private static final Pattern MODULE = Pattern.compile("<module>(.*)</module>");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern MARKED = Pattern.compile("`([^`\n]+)`");
    private static final Pattern COMMENT = Pattern.compile("(?s:/\\*.*?\\*/)|(?m:^\\s*//.*$)");
    private static final Pattern WORD = Pattern.compile("\\w+");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|record|enum) ([A-Z]\\w*)");

    /** A type, perhaps behind a path, and what stands within it: {@code health/HealthPlanner}, {@code Retry.NEVER}. */
    private static final Pattern TYPE =
            Pattern.compile("((?:[a-z…][\\w…-]*/)*)([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)(?:\\(.*\\))?");

    private static final Pattern METHOD = Pattern.compile("([a-z]\\w*)\\(\\)");
    private static final Pattern DOTTED = Pattern.compile("(?:io\\.imexagent\\.)?([a-z]\\w*(?:\\.[a-z]\\w*)+)");
    private static final Pattern FILE_OR_DOMAIN = Pattern.compile(".*\\.(?:json|bak|cfg|yaml|com|io)");
    private static final Pattern PACKAGE_TABLE =
            Pattern.compile("(?m)^\\| package \\|.*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)");
    private static final Pattern FIRST_CELL = Pattern.compile("(?m)^\\| (`[^|]*) \\|");

    /** Names of other people's programs, and examples. */
    private static final Set<String> FOREIGN = Set.of(
            "AddMultipleProcessEnv",
            "CUcliqueType",
            "ClusterDeployment",
            "DRAWorkloadResourceClaims",
            "FooContract",
            "FooE2e",
            "FooIT",
            "FooTest",
            "GetOpaqueDeviceConfigs",
            "NVreg_ExcludedGpus",
            "imex.servce",
            "resources.computeDomains.imex.mode");

    /** Half of it is about the keys of the public driver's chart. */
    private static final String SWITCHING = "docs/switching.md";

    /** Documents by their paths, without blocks of code. */
    private static final Map<String, String> DOCUMENTS = new TreeMap<>();

    private static List<String> modules = List.of();

    /** The sources without comments in which a type is declared, by its simple name. */
    private static final Map<String, List<String>> TYPES = new HashMap<>();

    private static final List<String> FILES = new ArrayList<>();
    private static final Set<String> PACKAGES = new HashSet<>();
    private static final Set<String> WORDS = new HashSet<>();

    /** Keys of the configuration and values of the chart, and their sections. */
    private static final Set<String> KEYS = new HashSet<>();

    @BeforeAll
    static void read() throws IOException {
        modules = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")))
                .results()
                .map(module -> module.group(1))
                .toList();
        for (String folder : Stream.concat(FOLDERS.stream(), modules.stream()).toList()) {
            try (var files = Files.newDirectoryStream(ROOT.resolve(folder), "*.md")) {
                for (Path file : files) {
                    String name = ROOT.relativize(file.normalize()).toString();
                    String text = Files.readString(file);
                    if (!name.endsWith("CHANGELOG.md") && !text.contains("Superseded by")) {
                        DOCUMENTS.put(name, FENCED.matcher(text).replaceAll(""));
                    }
                }
            }
        }
        for (String module : modules) {
            takeSources(ROOT.resolve(module).resolve("src"));
        }
        takeWords(ROOT.resolve("packaging"));
        for (String generated : List.of("docs/configuration.md", "packaging/kubernetes/chart/README.md")) {
            // Keys, and what they are about: fields of objects of the cluster.
            marked(Files.readString(ROOT.resolve(generated)))
                    .filter(mark -> !mark.startsWith("status."))
                    .forEach(DocumentNamesTest::takeKey);
        }
    }

    private static void takeSources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.toString().endsWith(".java")) {
                    takeWords(file);
                    continue;
                }
                FILES.add(file.toString());
                String source = COMMENT.matcher(Files.readString(file)).replaceAll("");
                WORD.matcher(source).results().map(MatchResult::group).forEach(WORDS::add);
                DECLARED.matcher(source)
                        .results()
                        .forEach(type -> TYPES.computeIfAbsent(type.group(1), each -> new ArrayList<>())
                                .add(source));
                String name = file.toString().replaceFirst(".*/java/io/imexagent/", "");
                takePackage(
                        name.substring(0, Math.max(0, name.lastIndexOf('/'))).replace('/', '.'));
            }
        }
    }

    private static void takePackage(String name) {
        for (String each = name; !each.isEmpty(); each = outer(each)) {
            PACKAGES.add(each);
        }
    }

    private static void takeKey(String text) {
        for (String each = text; !each.isEmpty(); each = outer(each)) {
            KEYS.add(each);
        }
    }

    private static String outer(String name) {
        return name.substring(0, Math.max(0, name.lastIndexOf('.')));
    }

    private static void takeWords(Path place) throws IOException {
        try (Stream<Path> files = Files.walk(place)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(each -> !each.toString().endsWith(".md"))
                    .toList()) {
                WORD.matcher(new String(Files.readAllBytes(file), ISO_8859_1))
                        .results()
                        .map(MatchResult::group)
                        .forEach(WORDS::add);
            }
        }
    }

    private static Stream<String> marked(String text) {
        return MARKED.matcher(text).results().map(mark -> mark.group(1));
    }

    @Test
    void typesAndMethodsInCodeFontExist() {
        List<String> gone = new ArrayList<>();
        int[] types = {0};
        DOCUMENTS.forEach((document, text) -> marked(text).forEach(mark -> {
            var type = TYPE.matcher(mark);
            var method = METHOD.matcher(mark);
            if (type.matches()) {
                types[0] += TYPES.containsKey(type.group(2)) ? 1 : 0;
                if (!exists(type.group(2), type.group(3))
                        || (type.group(3).isEmpty() && !stands(type.group(1), type.group(2)))) {
                    gone.add(document + ": " + mark);
                }
            } else if (method.matches() && !WORDS.contains(method.group(1))) {
                gone.add(document + ": " + mark);
            }
        }));

        assertThat(types[0]).isGreaterThan(500);
        assertThat(gone).isEmpty();
    }

    /** A type of ours with its members; otherwise a name that the code knows, such as a kind of Kubernetes. */
    private static boolean exists(String name, String members) {
        if (!TYPES.containsKey(name)) {
            return WORDS.contains(name) || FOREIGN.contains(name);
        }
        return Stream.of(members.split("\\."))
                .filter(member -> !member.isEmpty())
                .allMatch(member -> TYPES.get(name).stream()
                        .anyMatch(source -> Pattern.compile("\\b" + member + "\\b")
                                .matcher(source)
                                .find()));
    }

    /** A path before a type is that of its file; {@code …} stands for any folders. */
    private static boolean stands(String path, String name) {
        var file = Pattern.compile(".*/" + path.replace("…", ".*") + name + "\\.java");
        return path.isEmpty()
                || FILES.stream().anyMatch(each -> file.matcher(each).matches());
    }

    @Test
    void packagesAndKeysInCodeFontExist() {
        Set<String> roots = new HashSet<>(KEYS);
        roots.addAll(PACKAGES);
        List<String> gone = new ArrayList<>();
        DOCUMENTS.forEach((document, text) -> marked(text).forEach(mark -> {
            var dotted = DOTTED.matcher(mark);
            if (dotted.matches()
                    && !document.equals(SWITCHING)
                    && roots.contains(dotted.group(1).replaceFirst("\\..*", ""))
                    && !FILE_OR_DOMAIN.matcher(mark).matches()
                    && !PACKAGES.contains(dotted.group(1))
                    && !KEYS.contains(mark)
                    && !FOREIGN.contains(mark)) {
                gone.add(document + ": " + mark);
            }
        }));

        assertThat(gone).isEmpty();
    }

    @Test
    void theTableOfAModulesPackagesNamesThemAll() throws IOException {
        int tables = 0;
        for (String module : modules) {
            String text = DOCUMENTS.getOrDefault(module + "/README.md", "");
            Set<String> named = PACKAGE_TABLE
                    .matcher(text)
                    .results()
                    .flatMap(table -> FIRST_CELL.matcher(table.group(1)).results())
                    .flatMap(row -> marked(row.group(1)))
                    .collect(Collectors.toSet());
            if (named.isEmpty()) {
                continue;
            }
            tables++;
            Path sources =
                    ROOT.resolve(module).resolve("src/main/java/io/imexagent").resolve(module.replaceFirst("-.*", ""));
            try (Stream<Path> folders = Files.list(sources).filter(Files::isDirectory)) {
                assertThat(named)
                        .as(module + "/README.md")
                        .containsExactlyInAnyOrderElementsOf(
                                folders.map(folder -> folder.getFileName().toString())
                                        .toList());
            }
        }

        assertThat(tables).isGreaterThan(5);
    }

    @Test
    void everyModuleHasAReadme() {
        assertThat(modules).allSatisfy(module -> assertThat(DOCUMENTS).containsKey(module + "/README.md"));
    }
}
