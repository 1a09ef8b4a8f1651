package io.imexagent.controller;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.NameList;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NodesFileComparison;
import io.imexagent.kubernetes.clique.NodesFileComparison.NodesFileFault;
import io.imexagent.kubernetes.clique.NodesFileComparison.ProposedLine;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** ComputeDomains and cliques as JSON, for the commands {@code domains} and {@code cliques} and the controller's page, and as tables. */
public final class ClusterDocument {

    private static final int MOST_NAMES = 8;

    private ClusterDocument() {}

    public static ObjectNode of(ClusterReport report) {
        ObjectNode document = domains(report.domains());
        document.setAll(cliques(report.cliques()));
        return document;
    }

    public static ObjectNode domains(List<ClusterReport.ReportedDomain> domains) {
        ObjectNode document = JsonTrees.object();
        ArrayNode array = document.putArray("domains");
        for (ClusterReport.ReportedDomain domain : domains) {
            ObjectNode one = array.addObject()
                    .put("namespace", domain.namespace())
                    .put("name", domain.name())
                    .put("uid", domain.uid())
                    .put("ready", domain.state() == ReportedDomainState.READY)
                    .put("deleting", domain.state() == ReportedDomainState.DELETING)
                    .put("deleted", domain.state() == ReportedDomainState.DELETED)
                    .put("template", domain.template());
            ArrayNode places = one.putArray("channels");
            for (ClusterReport.ChannelPlacement place : domain.places()) {
                ObjectNode in = places.addObject().put("clique", place.clique().text());
                channel(in, place.channel());
                place.nodes().stream().map(CliqueReport.ReportedNode::name).forEach(in.putArray("nodes")::add);
                ArrayNode lost = in.putArray("lost");
                place.nodes().stream()
                        .filter(CliqueReport.ReportedNode::lost)
                        .forEach(node -> state(lost.addObject().put("name", node.name()), node));
            }
            domain.wrong().forEach(one.putArray("wrong")::add);
        }
        return document;
    }

    public static ObjectNode cliques(List<CliqueReport> cliques) {
        ObjectNode document = JsonTrees.object();
        ArrayNode array = document.putArray("cliques");
        for (CliqueReport clique : cliques) {
            ObjectNode one = array.addObject()
                    .put("clique", clique.clique().text())
                    .put("members", clique.members().size())
                    .put("ready", clique.ready().size());
            clique.freeNodes().forEach(one.putArray("freeNodes")::add);
            clique.channels().ifPresent(channels -> one.put("channels", channels));
            one.put("used", clique.entries().size());
            clique.free().ifPresent(free -> one.put("free", free));
            clique.limitedBy().forEach(one.putArray("limitedBy")::add);
            one.put("lostHolds", clique.lostHolds());
            ArrayNode entries = one.putArray("bound");
            for (CliqueReport.ReportedChannel entry : clique.entries()) {
                ChannelEntry bound = entry.entry();
                ObjectNode in = entries.addObject().put("channel", bound.id().number());
                domain(in, bound.domain());
                in.put("by", bound.by()).put("releasing", bound.state() == ChannelEntry.EntryState.RELEASING);
                entry.holders().forEach(in.putArray("nodes")::add);
            }
            ArrayNode nodes = one.putArray("nodes");
            clique.nodes().forEach(node -> node(nodes.addObject(), node));
            NodesFileComparison files = clique.nodesFiles();
            nodesFiles(one.putObject("nodesFiles"), files);
            wrong(clique, files).forEach(one.putArray("wrong")::add);
        }
        return document;
    }

    /** Adds the faults of the files of nodes, and the nodes whose files are unknown. */
    private static void nodesFiles(ObjectNode one, NodesFileComparison files) {
        ArrayNode faults = one.putArray("faults");
        for (NodesFileFault fault : files.faults()) {
            ObjectNode in = faults.addObject().put("fault", fault.kind().text()).put("text", fault.text());
            fault.nodes().forEach(in.putArray("nodes")::add);
        }
        files.unknown().forEach(one.putArray("unknown")::add);
    }

    /**
     * The correct file of nodes of a clique, and the differences of the file that was compared with it, if there was
     * one.
     */
    public static ObjectNode nodesFile(CliqueReport clique, Optional<List<String>> differences) {
        NodesFileComparison files = clique.nodesFiles();
        ObjectNode document = JsonTrees.object().put("clique", clique.clique().text());
        ArrayNode lines = document.putArray("lines");
        for (ProposedLine line : files.proposal()) {
            ObjectNode one = lines.addObject().put("line", line.text()).put("plain", line.plain());
            line.reason().ifPresent(reason -> one.put("reason", reason));
        }
        differences.ifPresent(found -> found.forEach(document.putArray("differences")::add));
        nodesFiles(document, files);
        return document;
    }

    /** The correct file of nodes of a clique; its comments name what is undecided. */
    public static String nodesFile(CliqueReport clique) {
        NodesFileComparison files = clique.nodesFiles();
        var text = new StringBuilder(
                "# nodes of the NVLink clique " + clique.clique() + ", the same file on each of them\n");
        if (!files.unknown().isEmpty()) {
            text.append("# not compared, since no file is reported of: ")
                    .append(NameList.some(files.unknown(), MOST_NAMES))
                    .append('\n');
        }
        for (ProposedLine line : files.proposal()) {
            line.reason()
                    .ifPresent(reason -> text.append("# ")
                            .append(line.text())
                            .append(' ')
                            .append(reason)
                            .append('\n'));
            if (line.plain()) {
                text.append(line.text()).append('\n');
            }
        }
        return text.toString();
    }

    private static List<String> wrong(CliqueReport clique, NodesFileComparison files) {
        List<String> faults = files.faults().stream().map(NodesFileFault::text).toList();
        Stream<String> remedy = faults.isEmpty() || files.proposal().isEmpty()
                ? Stream.of()
                : Stream.of("imex-agent nodes-file " + clique.clique() + " prints nodes_config.cfg as it should be");
        return Stream.of(
                        clique.wrong().stream(),
                        clique.shared().stream(),
                        clique.limited().stream(),
                        faults.stream(),
                        remedy)
                .flatMap(text -> text)
                .toList();
    }

    private static void node(ObjectNode one, CliqueReport.ReportedNode node) {
        state(one.put("name", node.name()), node);
        NodeStatus status = node.status();
        mode(one, status);
        status.clique().ifPresent(clique -> one.put("clique", clique.text()));
        status.driver().ifPresent(driver -> one.put("driver", driver));
        one.put("gpus", status.gpus());
        status.imex().ifPresent(imex -> one.put("imex", imex));
        status.imexSince().ifPresent(since -> one.put("imexSince", since.toString()));
        status.peers().ifPresent(peers -> one.put("peers", peers));
        ArrayNode holds = one.putArray("holds");
        for (Hold hold : node.holds()) {
            ObjectNode held = holds.addObject();
            channel(held, hold.channel());
            domain(held, hold.domain());
            held.put("kept", hold.kept());
        }
    }

    private static void state(ObjectNode one, CliqueReport.ReportedNode node) {
        one.put("node", node.state().text());
        node.lostSince().ifPresent(since -> one.put("lostSince", since.toString()));
    }

    /** Adds the node's channel mode, as its object has it; nothing if the object has none. */
    public static void mode(ObjectNode one, NodeStatus status) {
        status.mode().ifPresent(mode -> {
            switch (mode) {
                case NodeMode.ObservingMode _ -> one.put("mode", "Observing");
                case NodeMode.ChannelMode(Isolation isolation) ->
                    one.put("mode", "Serving").put("isolation", isolation.text());
            }
        });
    }

    private static void channel(ObjectNode one, Optional<ChannelId> channel) {
        channel.ifPresent(id -> one.put("channel", id.number()));
    }

    private static void domain(ObjectNode one, DomainName domain) {
        one.put("namespace", domain.namespace())
                .put("name", domain.name())
                .put("uid", domain.uid().value());
    }

    /** A table with a line for each ComputeDomain and clique. */
    public static String domains(List<ClusterReport.ReportedDomain> domains, Screen screen) {
        if (domains.isEmpty()) {
            return "no ComputeDomains\n";
        }
        Table table = Table.of("NAMESPACE", "NAME", "STATUS", "TEMPLATE", "CLIQUE", "CHANNEL", "NODES", "WRONG");
        for (ClusterReport.ReportedDomain domain : domains) {
            String status = domain.state().text();
            String name = name(domains, domain);
            String wrong = String.join("; ", domain.wrong());
            if (domain.places().isEmpty()) {
                table.row(domain.namespace(), name, status, domain.template(), "", "", "", wrong);
            }
            for (ClusterReport.ChannelPlacement place : domain.places()) {
                table.row(
                        domain.namespace(),
                        name,
                        status,
                        domain.template(),
                        place.clique().text(),
                        number(place.channel()),
                        place.nodes().stream()
                                .map(CliqueReport.ReportedNode::text)
                                .collect(Collectors.joining(",")),
                        wrong);
            }
        }
        return table.text(screen);
    }

    /** The ComputeDomain's name, with its UID if another one has the same name. */
    private static String name(List<ClusterReport.ReportedDomain> domains, ClusterReport.ReportedDomain domain) {
        boolean alone = domains.stream()
                        .filter(other -> other.namespace().equals(domain.namespace())
                                && other.name().equals(domain.name()))
                        .count()
                == 1;
        return alone ? domain.name() : domain.name() + " (" + domain.uid() + ")";
    }

    /** A table of the cliques; below it the bound channels, and the holds of nodes that do not answer. */
    public static String cliques(List<CliqueReport> cliques, Screen screen) {
        if (cliques.isEmpty()) {
            return "no cliques\n";
        }
        Table table = Table.of("CLIQUE", "NODES", "MODE", "IMEX", "CHANNELS", "USED", "FREE", "WRONG");
        for (CliqueReport clique : cliques) {
            table.row(
                    clique.clique().text(),
                    Integer.toString(clique.nodes().size()),
                    counted(clique, node -> node.status().mode().map(NodeMode::text)),
                    counted(clique, node -> node.status().imex()),
                    count(clique.channels()),
                    Integer.toString(clique.entries().size()),
                    count(clique.free()),
                    String.join("; ", wrong(clique, clique.nodesFiles())));
        }
        Function<DomainName, String> names = names(cliques);
        return Table.texts(screen, table, bound(cliques, names), lost(cliques, names));
    }

    private static Function<DomainName, String> names(List<CliqueReport> cliques) {
        return ClusterReport.names(cliques.stream()
                .flatMap(clique -> Stream.concat(
                        clique.entries().stream().map(entry -> entry.entry().domain()),
                        clique.nodes().stream()
                                .flatMap(node -> node.holds().stream().map(Hold::domain)))));
    }

    private static Table bound(List<CliqueReport> cliques, Function<DomainName, String> names) {
        Table table = Table.of("CLIQUE", "CHANNEL", "COMPUTEDOMAIN", "STATE", "NODES");
        for (CliqueReport clique : cliques) {
            for (CliqueReport.ReportedChannel entry : clique.entries()) {
                ChannelEntry bound = entry.entry();
                table.row(
                        clique.clique().text(),
                        bound.id().toString(),
                        names.apply(bound.domain()),
                        bound.state() == ChannelEntry.EntryState.RELEASING ? "releasing" : "bound",
                        String.join(",", entry.holders()));
            }
        }
        return table;
    }

    private static Table lost(List<CliqueReport> cliques, Function<DomainName, String> names) {
        Table table = Table.of("NODE", "STATE", "SINCE", "CLIQUE", "HOLDS CHANNEL", "COMPUTEDOMAIN");
        for (CliqueReport clique : cliques) {
            for (CliqueReport.ReportedNode node : clique.nodes()) {
                for (Hold hold : node.lost() ? node.holds() : List.<Hold>of()) {
                    if (!hold.binds()) {
                        continue;
                    }
                    table.row(
                            node.name(),
                            node.state().text(),
                            node.lostSince().map(Instant::toString).orElse("-"),
                            clique.clique().text(),
                            number(hold.channel()),
                            names.apply(hold.domain()));
                }
            }
        }
        return table;
    }

    /** The number of nodes for each word, as in {@code word:3}. */
    private static String counted(CliqueReport clique, Function<CliqueReport.ReportedNode, Optional<String>> word) {
        return clique.nodes().stream()
                .collect(Collectors.groupingBy(
                        node -> word.apply(node).orElse("unknown"), TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(verdict -> verdict.getKey() + ":" + verdict.getValue())
                .collect(Collectors.joining(","));
    }

    private static String number(Optional<ChannelId> channel) {
        return channel.map(ChannelId::toString).orElse("-");
    }

    private static String count(OptionalInt count) {
        return count.isPresent() ? Integer.toString(count.getAsInt()) : "-";
    }
}
