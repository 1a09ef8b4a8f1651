package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The script of imex-agent-late-driver.service, over a systemctl that says what a test wants, and what pages say of it. */
class LateDriverUnitTest {

    private static final Path ROOT = Checkout.find().root();
    private static final String RULE = "repeats the boot's own start of nvidia-imex, if that is enabled and not masked";

    /** What breaks a sentence over lines: ends and beginnings of Java's strings, leaders of comments. */
    private static final Pattern BREAKS = Pattern.compile("\\s*\"\\s*\\+\\s*\"|\\n\\s*([#*] )?|\\s+");

    private static final Pattern NEVER = Pattern.compile("(never|neither) (re)?starts\\b", Pattern.CASE_INSENSITIVE);

    @TempDir
    Path folder;

    @BeforeEach
    void aDriverThatIsUp() throws IOException {
        Files.writeString(folder.resolve("driver-late"), "1800\n");
        Files.writeString(folder.resolve("uptime"), "60.00 100.00\n");
        Files.writeString(folder.resolve("devices"), "Character devices:\n195 nvidia\n");
        program("sleep", "exit 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"enabled", "enabled-runtime"})
    void repeatsASkippedStartOfAUnitThatIsEnabled(String state) throws Exception {
        assertThat(run("inactive", "exec-condition", state)).isEqualTo("start --no-block nvidia-imex.service\n");
    }

    /** All other values of UnitFileState that systemd.unit(5) and systemctl(1) have, and none. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "masked",
                "masked-runtime",
                "disabled",
                "static",
                "indirect",
                "linked",
                "linked-runtime",
                "alias",
                "generated",
                "transient",
                "bad",
                ""
            })
    void leavesAUnitAloneThatIsNotEnabled(String state) throws Exception {
        assertThat(run("inactive", "exec-condition", state)).isEmpty();
        assertThat(folder.resolve("driver-late")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"success", "exit-code", "signal", "timeout", "start-limit-hit"})
    void leavesAUnitAloneWhoseLastStartWasNotSkipped(String result) throws Exception {
        assertThat(run("inactive", result, "enabled")).isEmpty();
        assertThat(folder.resolve("driver-late")).doesNotExist();
    }

    @Test
    void givesUpWhenTheTimeIsOver() throws Exception {
        Files.writeString(folder.resolve("uptime"), "1800.00 100.00\n");

        assertThat(run("inactive", "exec-condition", "enabled")).isEmpty();
        assertThat(folder.resolve("driver-late")).doesNotExist();
    }

    /** A driver that is up, and a fabric that is not: the gate skips the start again, and leaves its mark. */
    @Test
    void restsBetweenStartsThatTheGateSkips() throws Exception {
        Path asked = folder.resolve("asked");
        program("sleep", """
                read -r now rest <%1$s/uptime
                echo "$((${now%%%%.*} + $1)).00 $rest" >%1$s/uptime""".formatted(folder));
        program("systemctl", """
                case $1 in
                  show) printf 'ActiveState=inactive\\nResult=exec-condition\\nUnitFileState=enabled\\n' ;;
                  *) echo "$*" >>%s ;;
                esac""".formatted(asked));

        String said = run();

        // From 60 s of uptime to 1800.
        assertThat(Files.readAllLines(asked)).hasSize(1740 / 30).containsOnly("start --no-block nvidia-imex.service");
        assertThat(said).contains("driver or fabric still not ready", "systemctl start nvidia-imex");
        assertThat(folder.resolve("driver-late")).doesNotExist();
    }

    /** What systemctl was asked beside questions. */
    private String run(String activeState, String result, String unitFileState) throws Exception {
        Path asked = folder.resolve("asked");
        Files.writeString(asked, "");
        // The gate takes the mark away with a start that it lets through.
        program("systemctl", """
                case $1 in
                  show) printf 'ActiveState=%s\\nResult=%s\\nUnitFileState=%s\\n' ;;
                  *) echo "$*" >>%s; rm -f %s ;;
                esac""".formatted(activeState, result, unitFileState, asked, folder.resolve("driver-late")));
        run();
        return Files.readString(asked);
    }

    /** What the script prints. */
    private String run() throws IOException, InterruptedException {
        var builder = new ProcessBuilder(
                        ROOT.resolve("systemd/units/late-driver").toString(),
                        folder.resolve("driver-late").toString(),
                        folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().put("PATH", folder + ":/usr/bin:/bin");
        Process process = builder.start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        String said = Files.readString(folder.resolve("said"));
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    private void program(String name, String script) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    static Stream<Path> whereTheRuleStands() {
        return Stream.of(
                        "README.md",
                        "docs/concepts.md",
                        "docs/operations.md",
                        "docs/gate.md",
                        "docs/health.md",
                        "docs/install.md",
                        "docs/alerts.md",
                        "docs/configuration.md",
                        "docs/config.example.yaml",
                        "imex/README.md",
                        "packaging/rpm/imex-agent.spec",
                        "systemd/units/late-driver",
                        "systemd/units/imex-agent-late-driver.path",
                        "systemd/units/imex-agent-late-driver.service",
                        "agent/src/main/java/io/imexagent/agent/cli/GateCommand.java")
                .map(ROOT::resolve);
    }

    @ParameterizedTest
    @MethodSource
    void whereTheRuleStands(Path file) throws IOException {
        assertThat(text(file).contains(RULE)).as(file.toString()).isTrue();
    }

    /** Decisions are of their day; the changelog says what changed. */
    @Test
    void noPageSaysNeverStartsWithoutTheRule() throws IOException {
        for (Path file : pages()) {
            String text = text(file);
            if (text.contains("nvidia-imex") && NEVER.matcher(text).find()) {
                assertThat(text.contains(RULE) || text.contains("gate.md#a-driver-that-comes-late"))
                        .as(file.toString())
                        .isTrue();
            }
        }
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"));
                Stream<Path> readmes = Files.list(ROOT)) {
            return Stream.concat(
                            Stream.concat(files, readmes.map(folder -> folder.resolve("README.md"))),
                            Stream.of(ROOT.resolve("README.md")))
                    .filter(file -> file.toString().endsWith(".md") && Files.isRegularFile(file))
                    .filter(file -> !file.startsWith(ROOT.resolve("docs/decisions")))
                    .toList();
        }
    }

    private static String text(Path file) throws IOException {
        String plain = Files.readString(file).replaceAll("`|\\{@code |}", "");
        return BREAKS.matcher(plain).replaceAll(" ").replaceAll(" +", " ");
    }
}
