package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.ForgetSource;
import io.imexagent.agent.cli.Collaborators.Forgotten;
import io.imexagent.agent.cli.Collaborators.GateSource;
import io.imexagent.agent.cli.Collaborators.Probed;
import io.imexagent.agent.cli.Collaborators.ProvisionSource;
import io.imexagent.agent.cli.Collaborators.RdmaReading;
import io.imexagent.agent.cli.Collaborators.Source;
import io.imexagent.agent.cli.Collaborators.Witnesses;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.controller.report.CliqueReport;
import io.imexagent.controller.report.CliqueReport.NodeState;
import io.imexagent.controller.report.ClusterReport;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.provision.Provisioning.Outcome;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import io.imexagent.rdma.dra.NetdevSupport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/** The program with collaborators of the test's making, its output caught. */
final class CliFixture {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Map<String, String> environment = new HashMap<>();
    private final List<EffectiveConfig> runs = new ArrayList<>();
    private boolean terminal;
    private Source<Probed> probe = config -> {
        throw new IllegalStateException("nobody asked for the host");
    };
    private Source<List<CheckResult>> checks = config -> List.of();
    private Source<List<ClaimRecords.Answer>> claims = config -> {
        throw new IllegalStateException("nobody asked for claims");
    };
    private ForgetSource forget = new ForgetSource() {
        @Override
        public Witnesses ask(AgentConfig config, ClaimEntry entry) {
            throw new IllegalStateException("nobody forgets claims");
        }

        @Override
        public Forgotten forget(AgentConfig config, String driver, ClaimEntry entry) {
            throw new IllegalStateException("nobody forgets claims");
        }
    };
    private Function<String, Optional<String>> question = asked -> Optional.empty();
    private Source<RdmaReading> rdma = config -> {
        throw new IllegalStateException("nobody asked for RDMA devices");
    };
    private Source<Optional<NetdevSupport>> netdev = config -> Optional.empty();
    private Source<ImexHealth> health = config -> {
        throw new IllegalStateException("nobody asked for nvidia-imex");
    };
    private GateSource gate = new FixedGate(new GateVerdict.Undetermined("nobody said"));
    private ProvisionSource provision = (config, change, lines) -> Outcome.NOTHING_TO_DO;
    private Runner runner = (effective, reload) -> {
        runs.add(effective);
        return ExitCode.OK;
    };

    CliFixture inventory(NodeInventory inventory) {
        return inventory(inventory, Optional.empty());
    }

    CliFixture inventory(NodeInventory inventory, Optional<XidHistory> xids) {
        probe = config -> new Probed(inventory, xids);
        return this;
    }

    CliFixture checks(CheckResult... results) {
        checks = config -> List.of(results);
        return this;
    }

    CliFixture claims(Source<List<ClaimRecords.Answer>> source) {
        claims = source;
        return this;
    }

    CliFixture forget(ForgetSource source) {
        forget = source;
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

    CliFixture rdma(Source<RdmaReading> source, Source<Optional<NetdevSupport>> runtime) {
        rdma = source;
        netdev = runtime;
        return this;
    }

    CliFixture health(ImexHealth told) {
        health = config -> told;
        return this;
    }

    CliFixture provision(ProvisionSource source) {
        provision = source;
        return this;
    }

    CliFixture gate(GateSource source) {
        gate = source;
        return this;
    }

    CliFixture runner(Runner other) {
        runner = other;
        return this;
    }

    CliFixture environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    private static final CliqueId CLIQUE = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    private static final DomainName TRAIN = new DomainName(new ComputeDomainUid("uid-1"), "team", "train");

    private final Source<ClusterReport> domains = config -> new ClusterReport(
            List.of(new ClusterReport.Domain(
                    "team",
                    "train",
                    "uid-1",
                    true,
                    false,
                    "train-channel",
                    List.of(new ClusterReport.Place(
                            CLIQUE, Optional.of(new ChannelId(5)), List.of("tray-1", "tray-2"))),
                    List.of("somebody else has the channel, too"))),
            List.of());

    private final Source<List<CliqueReport>> cliques = config -> List.of(new CliqueReport(
            CLIQUE,
            List.of(node("tray-1", NodeState.READY, "ready"), node("tray-2", NodeState.MISSING, "degraded")),
            OptionalInt.of(127),
            List.of(new CliqueReport.Entry(
                    new ChannelEntry(new ChannelId(5), TRAIN, "tray-1", ChannelEntry.State.ASSIGNED),
                    List.of("tray-1", "tray-2"))),
            List.of("its table cannot be read")));

    private static CliqueReport.Node node(String name, NodeState state, String imex) {
        var sight = new NodeSight(
                Optional.of(CLIQUE),
                Optional.of("580.95"),
                4,
                Optional.of(imex),
                Optional.of(Instant.parse("2026-11-21T12:10:00Z")),
                Optional.of("17/18"));
        return new CliqueReport.Node(name, state, sight, List.of(new Hold(TRAIN, Optional.of(new ChannelId(5)))));
    }

    CliFixture onTerminal() {
        terminal = true;
        return this;
    }

    ExitCode execute(String... arguments) {
        out.reset();
        err.reset();
        var surroundings = new Environment(stream(out), stream(err), environment, () -> terminal, question);
        return new CommandLineTool(collaborators(), loader(), surroundings).execute(arguments);
    }

    /** Runs the command without the short way that {@code run} has. */
    ExitCode dispatch(String... arguments) throws Exception {
        var surroundings = new Environment(stream(out), stream(err), environment, () -> terminal, question);
        return new Dispatch(collaborators(), loader(), surroundings).execute(arguments);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    /** The configurations under which the agent was run. */
    List<EffectiveConfig> runs() {
        return runs;
    }

    private Collaborators collaborators() {
        return new Collaborators(
                "1.2.3", runner, probe, checks, claims, forget, rdma, netdev, health, runner, domains, cliques, gate,
                provision);
    }

    private ConfigLoader loader() {
        return new ConfigLoader(Path.of("/nowhere/config.yaml"), environment, () -> "host-1");
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }
}
