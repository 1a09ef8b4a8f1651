package io.imexagent.controller.report;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import java.util.List;
import java.util.Optional;

/**
 * The ComputeDomains of a cluster and the cliques in which they have channels, as people want to see them.
 *
 * @param domains the ComputeDomains, by namespace and name
 */
public record ClusterReport(List<Domain> domains, List<CliqueReport> cliques) {

    /** A report of a cluster without ComputeDomains and cliques. */
    public static final ClusterReport EMPTY = new ClusterReport(List.of(), List.of());

    /** Copies the lists in. */
    public ClusterReport {
        domains = List.copyOf(domains);
        cliques = List.copyOf(cliques);
    }

    /**
     * A ComputeDomain as people want to see it.
     *
     * @param ready whether its status says so
     * @param template the name of its ResourceClaimTemplate
     * @param places where it has channels, by clique
     * @param wrong what is wrong, in sentences
     */
    public record Domain(
            String namespace,
            String name,
            String uid,
            boolean ready,
            boolean deleting,
            String template,
            List<Place> places,
            List<String> wrong) {

        /** Copies the lists in. */
        public Domain {
            places = List.copyOf(places);
            wrong = List.copyOf(wrong);
        }
    }

    /**
     * A clique in which a ComputeDomain has a channel, or is about to.
     *
     * @param channel the channel, as the clique's table has it; empty while nodes are looking for one
     * @param nodes the nodes that hold it, sorted
     */
    public record Place(CliqueId clique, Optional<ChannelId> channel, List<String> nodes) {

        /** Copies the list in. */
        public Place {
            nodes = List.copyOf(nodes);
        }
    }
}
