package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandLineToolTest {

    private static final String[] COMMANDS = {
        "run",
        "probe",
        "check",
        "health",
        "claims list",
        "claims show",
        "claims forget",
        "config show",
        "config validate",
        "completion"
    };

    private final CliFixture cli = new CliFixture();

    @TempDir
    Path folder;

    @Test
    void printsItsVersionAndItsCommit() {
        assertThat(cli.execute("--version")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo("imex-agent 1.2.3 (commit 0123abc)\n");
    }

    @Test
    void helpAndVersionAreUnderstoodAsCommandsToo() {
        cli.execute("--help");
        String help = cli.out();
        assertThat(cli.execute("help")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(help);
        cli.execute("claims", "forget", "--help");
        String ofForget = cli.out();
        assertThat(cli.execute("help", "claims", "forget")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(ofForget);

        assertThat(cli.execute("version")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo("imex-agent 1.2.3 (commit 0123abc)\n");
    }

    @Test
    void helpNamesEveryCommandAndEveryExitCode() {
        assertThat(cli.execute("--help")).isEqualTo(ExitCode.OK);

        assertThat(cli.out()).contains("run ", "probe ", "check ", "claims ", "config ", "completion ");
        for (ExitCode code : ExitCode.values()) {
            assertThat(cli.out().replaceAll("\\s+", " ")).contains(code.number() + " " + code.meaning());
        }
    }

    @Test
    void everyCommandHasHelp() {
        for (String command : COMMANDS) {
            assertThat(cli.execute((command + " --help").split(" ", -1))).isEqualTo(ExitCode.OK);
            assertThat(cli.out()).startsWith("Usage: imex-agent " + command);
        }
    }

    @Test
    void helpOfACommandShowsItsOwnOptionsAndSaysWhereTheFlagsAre() {
        cli.execute("provision", "--help");

        assertThat(cli.out())
                .contains("--check ", "--dry-run ", "--config=FILE", "-h, --help")
                .doesNotContain("--set", "--isolation", "--http-port")
                .endsWith("Configuration flags, which this command takes too: imex-agent config --help\n");
    }

    @Test
    void helpOfConfigShowsEveryFlag() {
        cli.execute("config", "--help");

        assertThat(cli.out()).contains(ConfigKeys.flags()).doesNotContain("which this command takes too");
    }

    @Test
    void theFlagsOfConfigStandBeforeAndAfterItsCommands() {
        cli.execute("config", "--http-port", "1", "show");
        assertThat(cli.out()).containsPattern("http\\.port +1 +flag --http-port");

        cli.execute("config", "--http-port", "1", "show", "--http-port", "2");
        assertThat(cli.out()).containsPattern("http\\.port +2 +flag --http-port");
    }

    @Test
    void helpIsGivenOnStandardErrorWhereACommandIsMissing() {
        for (String command : new String[] {"", "claims", "config"}) {
            assertThat(command.isEmpty() ? cli.execute() : cli.execute(command)).isEqualTo(ExitCode.USAGE);
            assertThat(cli.out()).isEmpty();
            assertThat(cli.err()).startsWith("imex-agent: missing command\nUsage: imex-agent");
        }
    }

    @Test
    void aMistypedCommandIsAUsageErrorWithASuggestion() {
        assertThat(cli.execute("prob")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).contains("'prob'", "Did you mean", "probe", "See 'imex-agent --help'.");
    }

    @Test
    void anUnknownOptionIsAUsageError() {
        assertThat(cli.execute("probe", "--isolaton", "None")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.err())
                .contains("--isolaton", "See 'imex-agent probe --help'.")
                .doesNotContain("\tat ");
    }

    @Test
    void aWordThatAnOptionDoesNotTakeIsAUsageErrorThatNamesThoseItTakes() {
        assertThat(cli.execute("probe", "-o", "xml")).isEqualTo(ExitCode.USAGE);
        assertThat(cli.err()).contains("expected one of table, json, yaml but was 'xml'");
    }

    @Test
    void aFailureIsOneLineWithoutAStackTrace() {
        cli.provision((config, change, onlyWithGpu, lines) -> {
            throw new IOException("cannot read /x: denied; run as root");
        });

        assertThat(cli.execute("provision")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).isEqualTo("imex-agent: cannot read /x: denied; run as root\n");
    }

    @Test
    void debugShowsWhereItHappenedWhereverItStands() {
        cli.provision((config, change, onlyWithGpu, lines) -> {
            throw new IOException("denied");
        });

        for (String[] arguments : new String[][] {{"--debug", "provision"}, {"provision", "--debug"}}) {
            assertThat(cli.execute(arguments)).isEqualTo(ExitCode.FAILED);
            assertThat(cli.err()).startsWith("imex-agent: denied\n").contains("java.io.IOException: denied", "\tat ");
        }
    }

    @Test
    void aBugIsNamedAsOne() {
        cli.provision((config, change, onlyWithGpu, lines) -> {
            throw new IllegalStateException("oops");
        });

        assertThat(cli.execute("provision")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).isEqualTo("imex-agent: IllegalStateException: oops\n");
    }

    @Test
    void everyCommandThatReadsTheConfigurationTellsAllItsFaults() {
        for (String command : COMMANDS) {
            if (command.equals("completion")) {
                continue;
            }
            String[] arguments = (command + (command.matches("claims (show|forget)") ? " x" : "")
                            + " --set a=b --http-port=x")
                    .split(" ", -1);

            assertThat(cli.execute(arguments)).as(command).isEqualTo(ExitCode.USAGE);
            assertThat(cli.err())
                    .startsWith("imex-agent: the configuration has 2 faults:\n")
                    .contains("  flag --set: unknown key \"a\"", "  flag --http-port: http.port: \"x\" is not a port");
            assertThat(cli.out()).isEmpty();
        }
    }

    @Test
    void theConfigurationFileCanBeNamedBeforeAndAfterTheCommand() throws IOException {
        String file =
                Files.writeString(folder.resolve("c.yaml"), "http: {port: 77}").toString();

        cli.execute("--config", file, "config", "show");
        assertThat(cli.out()).containsPattern("http\\.port +77 +" + file + ":1");
        cli.execute("config", "show", "--config=" + file);
        assertThat(cli.out()).containsPattern("http\\.port +77 +" + file + ":1");
    }

    @Test
    void anArgumentThatBeginsWithAnAtSignIsNoFileOfArguments() throws IOException {
        Path file = Files.writeString(folder.resolve("arguments"), "--version");

        assertThat(cli.execute("@" + file)).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void coloursAreForTerminals() {
        cli.execute("config", "show");
        assertThat(cli.out()).doesNotContain("\u001b");
        cli.execute("config", "show", "--color", "always");
        assertThat(cli.out()).contains("\u001b[1m");
        cli.onTerminal().execute("config", "show");
        assertThat(cli.out()).contains("\u001b[1m");
        cli.execute("--color=never", "config", "show");
        assertThat(cli.out()).doesNotContain("\u001b");
        cli.environment("NO_COLOR", "1").execute("config", "show");
        assertThat(cli.out()).doesNotContain("\u001b");
    }

    @Test
    void tablesAndHelpKeepToTheWidthOfATerminal() {
        String vendor = "a vendor whose name is longer than a line of a terminal that is ninety columns wide";
        String[] show = {"config", "show", "--color=never", "--set", "imex.service.vendors=" + vendor};
        cli.execute(show);
        assertThat(cli.out().lines()).anyMatch(line -> line.contains(vendor));

        cli.onTerminal(90).execute(show);
        assertThat(cli.out().lines()).allMatch(line -> line.length() <= 90);
        cli.environment("COLUMNS", "70").execute("claims", "list", "--help", "--color=never");
        assertThat(cli.out().lines()).allMatch(line -> line.length() <= 70);
        cli.environment("COLUMNS", "-").execute("claims", "list", "--help", "--color=never");
        assertThat(cli.out().lines()).allMatch(line -> line.length() <= 90).anyMatch(line -> line.length() > 70);
    }

    @Test
    void nothingIsWrappedWhereStandardOutputIsNoTerminal() throws IOException {
        cli.on(FakeHost.create(folder));
        cli.execute("probe", "--simulate", "no-gpu");
        String wide = cli.out();
        cli.execute("probe", "--simulate", "no-gpu", "-o", "json");
        String json = cli.out().replaceAll("\"at\" .*", "");

        cli.environment("COLUMNS", "40").execute("probe", "--simulate", "no-gpu");
        assertThat(cli.out()).isEqualTo(wide);

        cli.onTerminal().execute("probe", "--simulate", "no-gpu", "--color=never");
        assertThat(cli.out()).isNotEqualTo(wide);
        assertThat(words(cli.out()))
                .containsAll(words(wide).stream()
                        .filter(word -> !word.matches(".*[/,].*"))
                        .toList());
        cli.execute("probe", "--simulate", "no-gpu", "-o", "json");
        assertThat(cli.out().replaceAll("\"at\" .*", "")).isEqualTo(json);
    }

    private static List<String> words(String text) {
        return List.of(text.strip().split("\\s+"));
    }

    @Test
    void dumbTerminalsGetNoColours() {
        cli.onTerminal().environment("TERM", "dumb").execute("config", "show");

        assertThat(cli.out()).doesNotContain("\u001b");
    }

    @Test
    void jsonAndYamlAreNeverInColour() {
        for (String format : new String[] {"json", "yaml"}) {
            cli.execute("config", "show", "--color", "always", "-o", format);
            assertThat(cli.out()).isNotEmpty().doesNotContain("\u001b");
        }
    }

    @Test
    void theGuideNamesEveryCommand() throws IOException {
        String guide = Files.readString(Path.of(System.getProperty("basedir", "."), "..", "docs", "command-line.md"));

        for (String command : COMMANDS) {
            assertThat(guide).contains("`imex-agent " + command);
        }
    }
}
