package io.imexagent.imex.health;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;

/** Domains, and their prints in both forms of {@code nvidia-imex-ctl}. */
public final class ReportSpecimens {

    private ReportSpecimens() {}

    /** A unit whose process started so many microseconds after the boot. */
    public static UnitState startedAt(long microseconds) {
        return UnitState.parse(
                "LoadState=loaded\nActiveState=active\nSubState=running\nExecMainStartTimestampMonotonic="
                        + microseconds + "\nInactiveExitTimestampMonotonic=" + (microseconds - 1000) + "\n");
    }

    /** A file beside this class. */
    public static String file(String name) {
        try (InputStream stream = ReportSpecimens.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalArgumentException("no file " + name);
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A domain of that many nodes, all ready and connected. */
    public static DomainReport up(int nodes) {
        return domain(nodes, List.of(), DomainState.UP);
    }

    /** A domain in which these nodes are down. */
    public static DomainReport domain(int nodes, List<Integer> down, DomainState state) {
        var reports = new ArrayList<NodeReport>();
        for (int from = 0; from < nodes; from++) {
            var connections = new TreeMap<Integer, PrintedState<ConnectionState>>();
            for (int to = 0; to < nodes; to++) {
                connections.put(to, PrintedState.of(connection(down.contains(from), down.contains(to))));
            }
            reports.add(new NodeReport(
                    from,
                    "10.0." + from / 250 + "." + (from % 250 + 1),
                    Optional.empty(),
                    PrintedState.of(down.contains(from) ? DaemonState.UNAVAILABLE : DaemonState.READY),
                    down.contains(from) ? Optional.empty() : Optional.of("580.95.05"),
                    connections));
        }
        return new DomainReport(reports, PrintedState.of(state), OptionalInt.empty());
    }

    private static ConnectionState connection(boolean fromDown, boolean toDown) {
        if (fromDown) {
            return ConnectionState.INVALID;
        }
        return toDown ? ConnectionState.NEVER_CONNECTED : ConnectionState.CONNECTED;
    }

    /** The report with one connection changed. */
    public static DomainReport with(DomainReport report, int from, int to, ConnectionState state) {
        return with(report, from, to, PrintedState.of(state));
    }

    /** The same, with what was printed. */
    public static DomainReport with(DomainReport report, int from, int to, PrintedState<ConnectionState> state) {
        return new DomainReport(
                report.nodes().stream()
                        .map(node -> node.index() == from ? with(node, to, state) : node)
                        .toList(),
                report.state(),
                report.local());
    }

    private static NodeReport with(NodeReport node, int to, PrintedState<ConnectionState> state) {
        var connections = new TreeMap<>(node.connections());
        connections.put(to, state);
        return new NodeReport(node.index(), node.address(), node.hostName(), node.state(), node.version(), connections);
    }

    /** The report as the tool prints JSON, its members in an order that the seed decides. */
    public static String json(DomainReport report, long seed) {
        var random = new Random(seed);
        var nodes = new ArrayList<String>();
        for (NodeReport node : report.nodes()) {
            var connections = new ArrayList<String>();
            node.connections()
                    .forEach((to, state) -> connections.add("\"" + to + "\":{"
                            + members(random, "\"host\":\"10.0.0.9\"", "\"status\":\"" + state.word() + "\"") + "}"));
            Collections.shuffle(connections, random);
            nodes.add("\"" + node.index() + "\":{"
                    + members(
                            random,
                            "\"status\":\"" + node.state().word() + "\"",
                            "\"host\":\"" + node.address() + "\"",
                            "\"connections\":{" + String.join(",", connections) + "}",
                            "\"changed\":true",
                            "\"version\":\"" + node.version().orElse("") + "\"")
                    + "}");
        }
        Collections.shuffle(nodes, random);
        return "{"
                + members(
                        random,
                        "\"nodes\":{" + String.join(",", nodes) + "}",
                        "\"timestamp\":\"9/4/2026 00:37:39.905\"",
                        "\"status\":\"" + report.state().word() + "\"")
                + "}\n";
    }

    private static String members(Random random, String... members) {
        var shuffled = new ArrayList<>(List.of(members));
        Collections.shuffle(shuffled, random);
        return String.join(",", shuffled);
    }

    /** The report as the tool prints a table. */
    public static String table(DomainReport report) {
        var text = new StringBuilder("C - Connected - Ready for operation\n\n2/26/2026 07:52:10.366\nNodes:\n");
        for (NodeReport node : report.nodes()) {
            boolean local = report.local().equals(OptionalInt.of(node.index()));
            text.append(String.format(
                    Locale.ROOT,
                    "Node #%-3d %s - %-20s - Version: %s%n",
                    node.index(),
                    local ? "* " + node.address() + " *      " : "- " + node.address() + "        ",
                    node.state().word(),
                    node.version().orElse("")));
        }
        text.append("\n Nodes From\\To");
        report.nodes().forEach(node -> text.append("  ").append(node.index()));
        text.append('\n');
        for (NodeReport node : report.nodes()) {
            text.append("       ").append(node.index()).append("     ");
            node.connections().values().forEach(state -> text.append("   ").append(ConnectionState.letter(state)));
            text.append('\n');
        }
        return text.append("Domain State: ")
                .append(report.state().word())
                .append('\n')
                .toString();
    }
}
