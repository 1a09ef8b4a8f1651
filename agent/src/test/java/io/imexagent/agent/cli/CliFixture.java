package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.Provisioner;
import io.imexagent.agent.cli.Collaborators.Runner;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.fake.Configs;
import io.imexagent.imex.provision.Provisioning.ProvisionResult;
import io.imexagent.testing.host.FakeHost;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import picocli.CommandLine;

/** The program with runners of the test's making and a host of files, its output caught. */
final class CliFixture {

    private static final Path ROOT = Configs.root();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>();
    private final List<AgentConfig> runs = new ArrayList<>();
    private final List<String> journal = new ArrayList<>();
    private boolean journalTakes = true;
    private boolean terminal;
    private OptionalInt columns = OptionalInt.empty();
    private Clock clock = Clock.systemUTC();
    private Function<String, Optional<String>> question = asked -> Optional.empty();
    private Provisioner provisioner = (config, change, onlyWithGpu, lines) -> ProvisionResult.NOTHING_TO_DO;
    private Runner runner = (effective, reload) -> {
        runs.add(effective);
        return ExitCode.OK;
    };
    private Optional<Runner> forced = Optional.empty();

    /** On this host, with a simulated GB200 tray and the host's nvidia-imex. */
    CliFixture on(FakeHost host) {
        return on(host.root())
                .environment("IMEX_AGENT_NVML_SIMULATE", "gb200")
                .environment("IMEX_AGENT_KUBELET_ROOT", host.kubeletRoot().toString())
                .environment("IMEX_AGENT_CDI_DIRECTORY", host.cdiDirectory().toString())
                .environment("IMEX_AGENT_STATE_DIRECTORY", host.stateDirectory().toString())
                .environment(
                        "IMEX_AGENT_KUBERNETES_KUBECONFIG",
                        host.directory().resolve("kubelet.conf").toString())
                .environment("IMEX_AGENT_IMEX_HEALTH_TOOL", host.imex().tool().toString())
                .environment(
                        "IMEX_AGENT_IMEX_HEALTH_SYSTEMCTL",
                        host.imex().systemctl().toString());
    }

    /** With the host's files below this folder. */
    CliFixture on(Path hostRoot) {
        return environment("IMEX_AGENT_HOST_ROOT", hostRoot.toString());
    }

    /** With a defect that shows wherever the host is read. */
    CliFixture broken() {
        clock = new Clock() {
            @Override
            public Instant instant() {
                throw new IllegalStateException("oops");
            }

            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }
        };
        return this;
    }

    /** On a machine whose clock is this far ahead, or behind. */
    CliFixture clockAhead(Duration difference) {
        clock = Clock.offset(Clock.systemUTC(), difference);
        return this;
    }

    /** With a journal that takes nothing. */
    CliFixture withoutJournal() {
        journalTakes = false;
        return this;
    }

    /** Whoever is asked says this. */
    CliFixture answering(String line) {
        question = asked -> {
            err.writeBytes(asked.getBytes(StandardCharsets.UTF_8));
            return Optional.of(line);
        };
        return this;
    }

    CliFixture provision(Provisioner other) {
        provisioner = other;
        return this;
    }

    CliFixture runner(Runner other) {
        runner = other;
        return this;
    }

    CliFixture forced(Runner other) {
        forced = Optional.of(other);
        return this;
    }

    CliFixture environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    CliFixture onTerminal() {
        terminal = true;
        return this;
    }

    /** On a terminal of this width. */
    CliFixture onTerminal(int width) {
        columns = OptionalInt.of(width);
        return onTerminal();
    }

    ExitCode execute(String... arguments) {
        out.reset();
        err.reset();
        return new CommandLineTool(collaborators(), loader(), environment()).execute(arguments);
    }

    CommandLine commands() {
        return new CommandLineTool(collaborators(), loader(), environment()).commands();
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** The configurations under which the agent was run. */
    List<AgentConfig> runs() {
        return runs;
    }

    /** The lines in the journal. */
    List<String> journal() {
        return journal;
    }

    /** What surrounds a command. */
    Environment environment() {
        return new Environment(stream(out), stream(err), environment, () -> terminal, () -> columns, question);
    }

    private Collaborators collaborators() {
        return new Collaborators(
                new ThisProcess("1.2.3", "0123abc", environment, clock, System::nanoTime, () -> 0.5),
                runner,
                forced.orElse(runner),
                runner,
                line -> journalTakes && journal.add(line),
                provisioner);
    }

    private ConfigLoader loader() {
        return new ConfigLoader(environment, ROOT);
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
