package io.imexagent.controller.report;

import java.util.List;

/**
 * The ComputeDomains of a cluster, and what is left of others, as people want to see them.
 *
 * @param domains the ComputeDomains, by namespace and name
 * @param left the channels that are not free and of none of these, by number
 */
public record ClusterReport(List<DomainReport> domains, List<LeftChannel> left) {

    /** A report of a cluster without ComputeDomains. */
    public static final ClusterReport EMPTY = new ClusterReport(List.of(), List.of());

    /** Copies the lists in. */
    public ClusterReport {
        domains = List.copyOf(domains);
        left = List.copyOf(left);
    }
}
