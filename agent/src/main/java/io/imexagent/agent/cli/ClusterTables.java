package io.imexagent.agent.cli;

import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.text.Table;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.Hold;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** ComputeDomains and cliques as tables for people. */
final class ClusterTables {

    private ClusterTables() {}

    /** A line for each ComputeDomain and clique. */
    static String domains(List<ClusterReport.Domain> domains, boolean colours) {
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
                        channel(place.channel()),
                        String.join(",", place.nodes()),
                        wrong);
            }
        }
        return table.text(colours);
    }

    /** The cliques; below them the channels that are bound, and what nodes hold that do not answer. */
    static String cliques(List<CliqueReport> cliques, boolean colours) {
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
        return table.text(colours) + bound(cliques, colours) + lost(cliques, colours);
    }

    private static String bound(List<CliqueReport> cliques, boolean colours) {
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
        boolean any = cliques.stream().anyMatch(clique -> !clique.entries().isEmpty());
        return any ? "\n" + table.text(colours) : "";
    }

    private static String lost(List<CliqueReport> cliques, boolean colours) {
        Table table = Table.of("NODE", "STATE", "CLIQUE", "HOLDS CHANNEL", "COMPUTEDOMAIN");
        for (CliqueReport clique : cliques) {
            for (CliqueReport.Node node : clique.nodes()) {
                for (Hold hold : node.lost() ? node.holds() : List.<Hold>of()) {
                    table.row(
                            node.name(),
                            node.state().text(),
                            clique.clique().text(),
                            channel(hold.channel()),
                            hold.domain().toString());
                }
            }
        }
        return cliques.stream().anyMatch(clique -> clique.lostHolds() > 0) ? "\n" + table.text(colours) : "";
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

    private static String channel(Optional<ChannelId> channel) {
        return channel.map(ChannelId::toString).orElse("-");
    }

    private static String count(OptionalInt count) {
        return count.isPresent() ? Integer.toString(count.getAsInt()) : "-";
    }
}
