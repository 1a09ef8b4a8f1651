package io.imexagent.agent.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.rdma.selection.Choice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/troubleshooting.md} names everything that an operator can be told. */
class TroubleshootingTest {

    private static final Path PAGE = Path.of("../docs/troubleshooting.md");
    private static final Path PROBES = Path.of("../imex/src/main/java/io/imexagent/imex/probe");
    private static final List<Path> RDMA = List.of(
            Path.of("../rdma/src/main/java/io/imexagent/rdma/selection"),
            Path.of("../rdma/src/main/java/io/imexagent/rdma/watch"));
    private static final Pattern RDMA_CODE =
            Pattern.compile("(?:warn|warning|critical|new Finding)\\(\\s*\"(rdma-[a-z-]+)\"");
    private static final Pattern CODE = Pattern.compile(
            "(?:new Finding|critical|warning)\\(\\s*(?:[^\"();]*\\([^\"();]*\\) \\? )?\"([a-z0-9-]+)\"|\"([a-z]+-[a-z-]+)\",\\s*Severity");

    @Test
    void everyRefusalHasALine() throws IOException {
        String page = Files.readString(PAGE);

        assertThat(RefusalCode.values()).allSatisfy(code -> assertThat(page).contains("| `" + code.label() + "` |"));
    }

    @Test
    void everyFindingOfTheProbesHasALine() throws IOException {
        String page = Files.readString(PAGE);
        var codes = new TreeSet<String>();
        try (Stream<Path> sources = Files.list(PROBES)) {
            for (Path source : sources.toList()) {
                CODE.matcher(Files.readString(source))
                        .results()
                        .map(TroubleshootingTest::code)
                        .forEach(codes::add);
            }
        }

        assertThat(codes)
                .hasSizeGreaterThan(12)
                .allSatisfy(code -> assertThat(page).contains("`" + code + "`"));
    }

    @Test
    void everyRuleAndFindingOfRdmaHasALine() throws IOException {
        String page = Files.readString(Path.of("../docs/rdma.md"));
        var codes = new TreeSet<String>();
        for (Path folder : RDMA) {
            try (Stream<Path> sources = Files.list(folder)) {
                for (Path source : sources.toList()) {
                    RDMA_CODE.matcher(Files.readString(source)).results().forEach(match -> codes.add(match.group(1)));
                }
            }
        }

        assertThat(codes).hasSize(14).allSatisfy(code -> assertThat(page).contains("| `" + code + "` |"));
        assertThat(Choice.DropCause.values())
                .allSatisfy(cause -> assertThat(page).contains("cause `" + cause.text() + "`"));
        assertThat(Choice.SelectionRule.values())
                .allSatisfy(rule -> assertThat(page).contains("| `" + rule.text() + "`"));
    }

    private static String code(MatchResult match) {
        return match.group(1) == null ? match.group(2) : match.group(1);
    }
}
