package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.quickstart.Quickstart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What documents say by hand of other files of the checkout. */
class DocumentsTest {

    private static final Path ROOT = Checkout.find().root();
    private static final Pattern VERSION = Pattern.compile("<version>(.+?)(-SNAPSHOT)?</version>");

    /** A version after the program's name, its image's tag, or the chart's name. */
    private static final Pattern NAMED = Pattern.compile("imex-agent(?:-selinux)?[-: ](\\d+\\.\\d+\\.\\d+)");

    /** What follows the pod in a command that runs in one of the agent's. */
    private static final Pattern COMMAND_IN_POD =
            Pattern.compile("`kubectl [^`]*exec (?:POD|[^ `]*imex-agent[^ `]*) -- ([^`]+)`");

    private static final Pattern DECISION =
            Pattern.compile("^\\| \\[(\\d{4})]\\((\\1-[^)]+)\\) \\|", Pattern.MULTILINE);

    /** A version behind the coordinates of a library, or the name of a plugin. */
    private static final Pattern LIBRARY = Pattern.compile("(?:[\\w.-]+:[\\w.*-]+`|-plugin) (\\d+\\.\\d+\\.\\d+)");

    /** What a page holds. */
    private static final int WORDS_OF_A_DECISION = 800;

    private static List<String> found(Pattern pattern, int group, String file) throws IOException {
        return pattern.matcher(Files.readString(ROOT.resolve(file)))
                .results()
                .map((MatchResult match) -> match.group(group))
                .toList();
    }

    /** The version of the build. */
    static String version() throws IOException {
        return found(VERSION, 1, "pom.xml").getFirst();
    }

    @Test
    void theVersionsInTheInstructionsAreThatOfTheBuild() throws IOException {
        String version = version();

        for (String file : List.of(
                "README.md", "docs/quickstart.md", "docs/install.md", "docs/cluster.md", "packaging/rpm/README.md")) {
            assertThat(found(NAMED, 1, file)).as(file).isNotEmpty().containsOnly(version);
        }
    }

    /** The image has no shell, and one program. */
    @Test
    void commandsInPodsOfTheAgentAreThoseOfTheInstructions() throws IOException {
        List<String> told = found(COMMAND_IN_POD, 1, "docs/cluster.md");
        assertThat(told).hasSize(1);

        try (var files = Files.walk(ROOT.resolve("packaging"))) {
            List<String> others = files.filter(file -> file.toString().endsWith(".md"))
                    .map(file -> ROOT.relativize(file).toString())
                    .toList();
            for (String file :
                    Stream.concat(others.stream(), Stream.of("README.md")).toList()) {
                assertThat(told).as(file).containsAll(found(COMMAND_IN_POD, 1, file));
            }
        }
        assertThat(found(COMMAND_IN_POD, 1, "packaging/kubernetes/examples/gb200-cloud/README.md"))
                .isEqualTo(told);
    }

    @Test
    void decisionsAreListedByTheirNumbersAndNoneIsLeftOut() throws IOException {
        try (var files = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(found(DECISION, 2, "docs/decisions/README.md"))
                    .containsExactlyElementsOf(
                            files.map(file -> file.getFileName().toString())
                                    .filter(name -> !name.equals("README.md"))
                                    .sorted()
                                    .toList());
        }
    }

    @Test
    void aDecisionIsOnePage() throws IOException {
        try (var files = Files.newDirectoryStream(ROOT.resolve("docs/decisions"), "0*.md")) {
            for (Path file : files) {
                assertThat(Files.readString(file).split("\\s+"))
                        .as("%s; figures stand in docs/performance.md", file)
                        .hasSizeLessThanOrEqualTo(WORDS_OF_A_DECISION);
            }
        }
    }

    @Test
    void versionsOfLibrariesInDecisionsAreThoseOfTheBuild() throws IOException {
        String build = Files.readString(ROOT.resolve("pom.xml"));
        List<String> versions = new ArrayList<>();
        try (var files = Files.newDirectoryStream(ROOT.resolve("docs/decisions"), "0*.md")) {
            for (Path file : files) {
                versions.addAll(found(LIBRARY, 1, file.toString()));
            }
        }

        assertThat(versions)
                .hasSizeGreaterThan(5)
                .allSatisfy(version -> assertThat(build).contains(">" + version + "<"));
    }

    @Test
    void theFiguresOfThePageAreThoseOfTheRecordedRun() throws IOException {
        JsonNode run = new ObjectMapper()
                .readTree(ROOT.resolve("docs/performance.json").toFile());
        String page = Files.readString(ROOT.resolve("docs/performance.md"));

        assertThat(page)
                .contains(
                        row("%.1f ms by %.1f", run, "/prepare_ms/p50", "/floor_ms"),
                        row("%.1f ms by %.1f", run, "/cold_prepare_ms/p50", "/cold_floor_ms"),
                        row("| longest of the first 50 | %.0f ms |", run, "/cold_longest_ms"),
                        row("| first call after start | %.0f ms |", run, "/first_call_ms"),
                        row("%.1f ms by %.2f", run, "/unprepare_ms/p50", "/replace_ms"),
                        row("| repeat of a prepared claim p50 | %.2f ms |", run, "/repeat_ms/p50"),
                        row("99 refused | %.0f ms |", run, "/batch100_ms"),
                        row("| %.1f, %.1f ms |", run, "/cold_cpu_ms_per_cycle", "/cpu_ms_per_cycle"),
                        row("| %.0f, %.0f ms |", run, "/to_sockets_ms", "/to_slice_ms"),
                        row("| %.0f, %.0f MB; ", run, "/rss_mb/idle", "/rss_mb/after_3000"));
        assertThat(Files.readString(Quickstart.PAGE)).contains(row("| memory | %.0f MB |", run, "/rss_mb/idle"));
    }

    private static String row(String form, JsonNode run, String... figures) {
        return String.format(
                Locale.ROOT,
                form,
                Stream.of(figures).map(figure -> run.at(figure).asDouble()).toArray());
    }
}
