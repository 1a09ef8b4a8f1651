package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterDocument;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.controller.racks.RackReport;
import io.imexagent.controller.racks.RacksDocument;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Screen;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.testing.host.FakeHost;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Tables of every command on terminals of 60 and 80 columns. */
class NarrowTerminalTest {

    private static final int TRAYS = 18;
    private static final CliqueId CLIQUE = new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    private static final DomainName TRAIN =
            new DomainName(new ComputeDomainUid("3f0a2a52-7c0b-4b5e-8a51-0d8f0f3f5b11"), "team-research", "training-0");

    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(ints = {60, 80})
    void tablesOfTheHostFit(int columns) throws Exception {
        var host = FakeHost.create(folder);
        CommandTreeTest.claim(host);
        var cli = new CliFixture().on(host).onTerminal(columns);
        List<CommandSpec> printing = leaves(cli.commands())
                .filter(command -> command.findOption(GlobalOptions.OUTPUT) != null)
                .filter(command -> command.findOption("--context") == null)
                // It prints sentences, and no table.
                .filter(command -> !command.qualifiedName().equals("imex-agent fabric local"))
                .toList();

        assertThat(printing).hasSizeGreaterThan(8);
        for (CommandSpec command : printing) {
            Stream<String> words =
                    Stream.of(command.qualifiedName().split(" ", -1)).skip(1);
            Stream<String> arguments = command.positionalParameters().isEmpty() ? Stream.of() : Stream.of("aaaa");
            cli.execute(Stream.of(words, arguments, Stream.of("--color=never"))
                    .flatMap(Function.identity())
                    .toArray(String[]::new));
            assertFits(command.qualifiedName(), cli.out(), columns);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 80})
    void tablesOfTheClusterFit(int columns) {
        var screen = new Screen(false, OptionalInt.of(columns));
        List<ReportedNode> nodes = IntStream.rangeClosed(1, TRAYS)
                .mapToObj(NarrowTerminalTest::node)
                .toList();
        List<String> names = nodes.stream().map(ReportedNode::name).toList();
        var clique = new CliqueReport(
                CLIQUE,
                nodes,
                OptionalInt.of(127),
                List.of(),
                List.of(new CliqueReport.ReportedChannel(
                        new ChannelEntry(new ChannelId(5), TRAIN, name(1), ChannelEntry.EntryState.ASSIGNED), names)),
                List.of("its table cannot be read"));
        var domain = new ClusterReport.ReportedDomain(
                TRAIN.namespace(),
                TRAIN.name(),
                TRAIN.uid().value(),
                ReportedDomainState.READY,
                "training-0-channel",
                List.of(new ClusterReport.ChannelPlacement(CLIQUE, Optional.of(new ChannelId(5)), nodes)),
                List.of("another ComputeDomain of the namespace has the channel, too"));
        RackReport racks = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.IMEX_CHANNEL, List.of(clique), List.of(), Map.of(), Map.of()),
                Optional.empty());

        assertFits("cliques", ClusterDocument.cliques(List.of(clique), screen), columns);
        assertFits("domains", ClusterDocument.domains(List.of(domain), screen), columns);
        String text = RacksDocument.text(racks, Instant.parse("2026-11-21T13:00:00Z"), screen);
        assertFits("racks", text, columns);
        assertThat(text).contains(CLIQUE.text(), name(TRAYS), "-C");

        // Racks of one label have their clique in their name.
        var other = new CliqueReport(
                new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153.8"),
                List.of(new ReportedNode(
                        "other", ReportedNodeState.READY, Optional.empty(), NodeStatus.NONE, List.of())),
                OptionalInt.of(127),
                List.of(),
                List.of(),
                List.of());
        var one = new CliqueReport(CLIQUE, nodes.subList(0, 1), OptionalInt.of(127), List.of(), List.of(), List.of());
        RackReport shared = RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.IMEX_CHANNEL,
                        List.of(one, other),
                        List.of(),
                        Map.of(),
                        Map.of(name(1), "row7.rack-07", "other", "row7.rack-07")),
                Optional.empty());
        assertFits(
                "racks of one label",
                RacksDocument.text(shared, Instant.parse("2026-11-21T13:00:00Z"), screen),
                columns);
        assertFits("alerts", RacksDocument.causes(shared, Instant.parse("2026-11-21T13:00:00Z"), screen), columns);
    }

    private static void assertFits(String what, String text, int columns) {
        assertThat(text).as(what).isNotBlank();
        assertThat(text.lines())
                .as("%s on %s columns", what, columns)
                .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(columns));
    }

    private static String name(int tray) {
        return "rack-07-tray-%02d".formatted(tray);
    }

    private static ReportedNode node(int tray) {
        String others = IntStream.rangeClosed(1, TRAYS)
                .filter(other -> other != tray)
                .mapToObj(NarrowTerminalTest::name)
                .collect(Collectors.joining(" "));
        NodeStatus status = new NodeStatus(
                        Optional.of(CLIQUE),
                        Optional.of("580.159.04"),
                        4,
                        Optional.of("degraded"),
                        Optional.of(Instant.parse("2026-11-21T12:10:00Z")),
                        Optional.of("17/18"),
                        Optional.of(new NodeLinks(name(tray), others, "", "", "")),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty())
                .in(Optional.of(new NodeMode.ChannelMode(Isolation.IMEX_CHANNEL)));
        boolean lost = tray == 2;
        return new ReportedNode(
                name(tray),
                lost ? ReportedNodeState.MISSING : ReportedNodeState.READY,
                lost ? Optional.of(Instant.parse("2026-11-21T12:00:00Z")) : Optional.empty(),
                status,
                List.of(new Hold(TRAIN, Optional.of(new ChannelId(5)))));
    }

    private static Stream<CommandSpec> leaves(CommandLine command) {
        return Stream.concat(
                Stream.of(command.getCommandSpec()),
                command.getSubcommands().values().stream().flatMap(NarrowTerminalTest::leaves));
    }
}
