package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.CommandLineTool.PlainArguments;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.SectionedText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class RunCommandTest {

    private final CliFixture cli = new CliFixture();

    @Test
    void runsUnderTheConfigurationOfItsFlags() {
        assertThat(cli.execute("run", "--node-name", "node-7", "--set", "http.port=0", "--set=log.level=warn"))
                .isEqualTo(ExitCode.OK);

        assertThat(cli.runs()).singleElement().satisfies(run -> {
            assertThat(run.nodeName()).isEqualTo("node-7");
            assertThat(run.http().port()).isZero();
        });
    }

    @Test
    void endsAsTheAgentEnded() {
        cli.runner((effective, reload) -> ExitCode.FAILED);

        assertThat(cli.execute("run")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.execute("run", "--debug")).isEqualTo(ExitCode.FAILED);
    }

    /** What is parsed as a whole is a command like any other; one that runs on begins its own log. */
    @Test
    void whateverACommandUsesLogsLinesOfOneForm() {
        List<String> lines = new ArrayList<>();
        cli.runner((effective, reload) -> {
            for (Handler handler : Logger.getLogger("").getHandlers()) {
                lines.add(handler.getFormatter().format(new LogRecord(Level.WARNING, "not checked a=1")));
            }
            assertThat(Logger.getLogger("").getLevel()).isEqualTo(Level.WARNING);
            return ExitCode.OK;
        });

        assertThat(cli.execute("run", "--debug")).isEqualTo(ExitCode.OK);

        assertThat(lines).singleElement().asString().matches("\\S+Z WARN {2}not checked a=1\n");
    }

    @Test
    void tellsWhyTheAgentCouldNotStart() {
        cli.runner((effective, reload) -> {
            throw new IOException("cannot bind :9408; stop what listens there");
        });

        assertThat(cli.execute("run")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).isEqualTo("imex-agent: cannot bind :9408; stop what listens there\n");
    }

    @Test
    void handsTheRunnerAWayToLoadAgain() {
        List<LoadResult<AgentConfig>> reloaded = new ArrayList<>();
        cli.runner((effective, reload) -> {
            reloaded.add(reload.get());
            return ExitCode.OK;
        });

        cli.execute("run", "--http-port=7");

        assertThat(reloaded)
                .singleElement()
                .satisfies(loaded -> assertThat(((LoadResult.LoadedConfig<AgentConfig>) loaded)
                                .effective()
                                .http()
                                .port())
                        .isEqualTo(7));
    }

    @Test
    void theConfigurationsFaultsKeepItFromRunning() {
        assertThat(cli.execute("run", "--feature-gates", "HostManagedIMEX=true"))
                .isEqualTo(ExitCode.CONFIGURATION);

        assertThat(cli.err())
                .startsWith("imex-agent: the configuration has a fault:\n  imex.isolation: is not set")
                .contains("None", "IMEXChannel", "IMEXDomain");
        assertThat(cli.runs()).isEmpty();
    }

    @Test
    void aStartRefusedForItsConfigurationBlamesNoApiServer() {
        assertThat(cli.execute("run", "--set", "kubernetes.kubeconfig=/none", "--set", "http.prot=1"))
                .isEqualTo(ExitCode.USAGE);

        assertThat(cli.err()).contains("http.prot").doesNotContainIgnoringCase("api server");
        assertThat(cli.runs()).isEmpty();
    }

    @Test
    void handsForceOnWhicheverWayItTakes() {
        List<Boolean> forced = new ArrayList<>();
        cli.runner((effective, reload) -> {
                    forced.add(false);
                    return ExitCode.OK;
                })
                .forced((effective, reload) -> {
                    forced.add(true);
                    return ExitCode.OK;
                });

        cli.execute("run", "--force");
        cli.execute("run", "--force", "--debug");
        cli.execute("run");
        cli.execute("run", "--debug");

        assertThat(forced).containsExactly(true, true, false, false);
    }

    @Test
    void plainArgumentsTakeTheShortWay() {
        assertThat(plain(List.of("run"))).isPresent();
        assertThat(plain(List.of("run", "--config", "/c", "--isolation=None", "--set", "a=b", "--set", "c=d")))
                .map(PlainArguments::sources)
                .contains(new ConfigSources(
                        Optional.of(Path.of("/c")),
                        Map.of("--isolation", List.of("None"), "--set", List.of("a=b", "c=d"))));
    }

    @Test
    void whateverIsNotPlainTakesTheLongWay() {
        for (List<String> arguments : List.of(
                List.<String>of(),
                List.of("probe"),
                List.of("run", "--help"),
                List.of("run", "--debug"),
                List.of("--debug", "run"),
                List.of("run", "extra"),
                List.of("run", "--force", "--force"),
                List.of("run", "--force=true"),
                List.of("run", "--config"),
                List.of("run", "--config", "--debug"),
                List.of("run", "--http-port", "1", "--http-port", "2"),
                List.of("run", "--http-por=1"),
                List.of("run", "--http-port="))) {
            assertThat(plain(arguments)).as(arguments.toString()).isEmpty();
        }
    }

    @Property(tries = 300)
    void theShortWayUnderstandsArgumentsAsTheLongOneDoes(@ForAll("argumentLists") List<String> arguments)
            throws Exception {
        var whole = new ArrayList<>(List.of("run"));
        whole.addAll(arguments);
        if (plain(whole).isEmpty()) {
            return;
        }
        var shortWay = new CliFixture();
        var longWay = new CliFixture();

        ExitCode shortCode = shortWay.execute(whole.toArray(String[]::new));
        ExitCode longCode = longWay.dispatch(whole.toArray(String[]::new));

        assertThat(shortCode).isEqualTo(longCode);
        assertThat(shortWay.err()).isEqualTo(longWay.err());
        assertThat(told(shortWay)).isEqualTo(told(longWay));
    }

    /** The configurations of all runs, with where each value came from. */
    private static List<String> told(CliFixture cli) {
        return cli.runs().stream()
                .map(run -> run.file() + SectionedText.of(run) + run.notes())
                .toList();
    }

    private static Optional<PlainArguments> plain(List<String> arguments) {
        return PlainArguments.parse(CommandLineTool.RUN, CommandLineTool.FORCE, arguments);
    }

    @Provide
    Arbitrary<List<String>> argumentLists() {
        Arbitrary<String> flags = Arbitraries.of(ConfigKeys.flags())
                .filter(flag -> !flag.equals(ConfigKeys.SET_FLAG))
                .injectDuplicates(0.1);
        Arbitrary<String> values = Arbitraries.of(
                "0",
                "1",
                "None",
                "IMEXChannel",
                "/x",
                "\"/x\"",
                "a=b",
                "node-1",
                "debug",
                "gb200",
                "127.0.0.1",
                " ",
                "@/x",
                "HostManagedIMEX=true",
                "ComputeDomainCliques=false,HostManagedIMEX=false",
                "ä");
        Arbitrary<List<String>> flag = Combinators.combine(flags, values, Arbitraries.of(true, false))
                .as((name, value, joined) -> joined ? List.of(name + "=" + value) : List.of(name, value));
        Arbitrary<List<String>> set = Combinators.combine(
                        Arbitraries.of(ConfigKeys.ALL).map(key -> key.path()), values)
                .as((path, value) -> List.of("--set", path + "=" + value));
        return Arbitraries.oneOf(flag, set)
                .list()
                .ofMaxSize(6)
                .map(parts -> parts.stream().flatMap(List::stream).toList());
    }
}
