package io.imexagent.controller;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.kubernetes.JsonTrees;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** ComputeDomains and cliques as JSON, for the commands {@code domains} and {@code cliques} and the controller's page, and as tables. */
public final class ClusterDocument {

    private ClusterDocument() {}

    public static ObjectNode of(ClusterReport report) {
        ObjectNode document = domains(report.domains());
        document.setAll(cliques(report.cliques()));
        return document;
    }

    public static ObjectNode domains(List<ClusterReport.Domain> domains) {
        ObjectNode document = JsonTrees.object();
        ArrayNode array = document.putArray("domains");
        for (ClusterReport.Domain domain : domains) {
            ObjectNode one = array.addObject()
                    .put("namespace", domain.namespace())
                    .put("name", domain.name())
                    .put("uid", domain.uid())
                    .put("ready", domain.ready())
                    .put("deleting", domain.deleting())
                    .put("template", domain.template());
            ArrayNode places = one.putArray("channels");
            for (ClusterReport.Place place : domain.places()) {
                ObjectNode in = places.addObject().put("clique", place.clique().text());
                channel(in, place.channel());
                place.nodes().forEach(in.putArray("nodes")::add);
            }
            domain.wrong().forEach(one.putArray("wrong")::add);
        }
        return document;
    }

    public static ObjectNode cliques(List<CliqueReport> cliques) {
        ObjectNode document = JsonTrees.object();
        ArrayNode array = document.putArray("cliques");
        for (CliqueReport clique : cliques) {
            ObjectNode one = array.addObject().put("clique", clique.clique().text());
            clique.channels().ifPresent(channels -> one.put("channels", channels));
            one.put("used", clique.entries().size());
            clique.free().ifPresent(free -> one.put("free", free));
            one.put("lostHolds", clique.lostHolds());
            ArrayNode entries = one.putArray("bound");
            for (CliqueReport.Entry entry : clique.entries()) {
                ChannelEntry bound = entry.entry();
                ObjectNode in = entries.addObject().put("channel", bound.id().number());
                domain(in, bound.domain());
                in.put("by", bound.by()).put("releasing", bound.state() == ChannelEntry.State.RELEASING);
                entry.holders().forEach(in.putArray("nodes")::add);
            }
            ArrayNode nodes = one.putArray("nodes");
            clique.nodes().forEach(node -> node(nodes.addObject(), node));
            clique.wrong().forEach(one.putArray("wrong")::add);
        }
        return document;
    }

    private static void node(ObjectNode one, CliqueReport.Node node) {
        one.put("name", node.name()).put("node", node.state().text());
        NodeSight sight = node.sight();
        sight.clique().ifPresent(clique -> one.put("clique", clique.text()));
        sight.driver().ifPresent(driver -> one.put("driver", driver));
        one.put("gpus", sight.gpus());
        sight.imex().ifPresent(imex -> one.put("imex", imex));
        sight.imexSince().ifPresent(since -> one.put("imexSince", since.toString()));
        sight.peers().ifPresent(peers -> one.put("peers", peers));
        ArrayNode holds = one.putArray("holds");
        for (Hold hold : node.holds()) {
            ObjectNode held = holds.addObject();
            channel(held, hold.channel());
            domain(held, hold.domain());
            held.put("kept", hold.kept());
        }
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
    public static String domains(List<ClusterReport.Domain> domains, Screen screen) {
        if (domains.isEmpty()) {
            return "no ComputeDomains\n";
        }
        Table table = Table.of("NAMESPACE", "NAME", "STATUS", "TEMPLATE", "CLIQUE", "CHANNEL", "NODES", "WRONG");
        for (ClusterReport.Domain domain : domains) {
            String status = domain.deleting() ? "Deleting" : domain.ready() ? "Ready" : "NotReady";
            String wrong = String.join("; ", domain.wrong());
            if (domain.places().isEmpty()) {
                table.row(domain.namespace(), domain.name(), status, domain.template(), "", "", "", wrong);
            }
            for (ClusterReport.Place place : domain.places()) {
                table.row(
                        domain.namespace(),
                        domain.name(),
                        status,
                        domain.template(),
                        place.clique().text(),
                        number(place.channel()),
                        String.join(",", place.nodes()),
                        wrong);
            }
        }
        return table.text(screen);
    }

    /** A table of the cliques; below it the channels that are bound, and what nodes hold that do not answer. */
    public static String cliques(List<CliqueReport> cliques, Screen screen) {
        if (cliques.isEmpty()) {
            return "no cliques\n";
        }
        Table table = Table.of("CLIQUE", "NODES", "IMEX", "CHANNELS", "USED", "FREE", "WRONG");
        for (CliqueReport clique : cliques) {
            table.row(
                    clique.clique().text(),
                    Integer.toString(clique.nodes().size()),
                    verdicts(clique),
                    count(clique.channels()),
                    Integer.toString(clique.entries().size()),
                    count(clique.free()),
                    String.join("; ", clique.wrong()));
        }
        return Table.texts(screen, table, bound(cliques), lost(cliques));
    }

    private static Table bound(List<CliqueReport> cliques) {
        Table table = Table.of("CLIQUE", "CHANNEL", "COMPUTEDOMAIN", "STATE", "NODES");
        for (CliqueReport clique : cliques) {
            for (CliqueReport.Entry entry : clique.entries()) {
                ChannelEntry bound = entry.entry();
                table.row(
                        clique.clique().text(),
                        bound.id().toString(),
                        bound.domain().toString(),
                        bound.state() == ChannelEntry.State.RELEASING ? "releasing" : "bound",
                        String.join(",", entry.holders()));
            }
        }
        return table;
    }

    private static Table lost(List<CliqueReport> cliques) {
        Table table = Table.of("NODE", "STATE", "CLIQUE", "HOLDS CHANNEL", "COMPUTEDOMAIN");
        for (CliqueReport clique : cliques) {
            for (CliqueReport.Node node : clique.nodes()) {
                for (Hold hold : node.lost() ? node.holds() : List.<Hold>of()) {
                    table.row(
                            node.name(),
                            node.state().text(),
                            clique.clique().text(),
                            number(hold.channel()),
                            hold.domain().toString());
                }
            }
        }
        return table;
    }

    private static String verdicts(CliqueReport clique) {
        return clique.nodes().stream()
                .collect(Collectors.groupingBy(
                        node -> node.sight().imex().orElse("unknown"), TreeMap::new, Collectors.counting()))
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
