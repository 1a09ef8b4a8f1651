package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.LoadResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
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
    }

    /** A daemon begins its own log after that of a command. */
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

        assertThat(cli.execute("run")).isEqualTo(ExitCode.OK);

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
    void handsForceOn() {
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
        cli.execute("run");

        assertThat(forced).containsExactly(true, false);
    }
}
