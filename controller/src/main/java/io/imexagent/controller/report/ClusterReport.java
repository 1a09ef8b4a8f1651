package io.imexagent.controller.report;

import io.imexagent.core.claim.ChannelId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The ComputeDomains of a cluster, and what is left of others, as people want to see them.
 *
 * @param domains the ComputeDomains, by namespace and name
 * @param left the channels that are not free and of none of these, by number
 */
public record ClusterReport(List<Domain> domains, List<LeftChannel> left) {

    /** A report of a cluster without ComputeDomains. */
    public static final ClusterReport EMPTY = new ClusterReport(List.of(), List.of());

    /** Copies the lists in. */
    public ClusterReport {
        domains = List.copyOf(domains);
        left = List.copyOf(left);
    }

    /**
     * A ComputeDomain as people want to see it.
     *
     * @param namespace its namespace
     * @param name its name
     * @param uid its UID
     * @param ready whether its status says so
     * @param deleting whether its deletion has begun
     * @param channel the channel of its own; empty where it shares channel 0
     * @param template the name of its ResourceClaimTemplate
     * @param claims how many claims name it
     * @param nodes the nodes on which its claims have a channel, sorted
     * @param wrong what is wrong, in sentences
     */
    public record Domain(
            String namespace,
            String name,
            String uid,
            boolean ready,
            boolean deleting,
            Optional<ChannelId> channel,
            String template,
            int claims,
            List<String> nodes,
            List<String> wrong) {

        /** Copies the lists in. */
        public Domain {
            nodes = List.copyOf(nodes);
            wrong = List.copyOf(wrong);
        }
    }

    /**
     * A channel that is not free although no ComputeDomain that is there has it: its last one is gone, and claims keep it, or
     * it rests.
     *
     * @param channel the channel
     * @param owner namespace and name of the ComputeDomain that had it last; its UID where the ledger does not tell more
     * @param restsUntil until when it rests; empty while the ledger has it as held
     * @param claims how many claims of that ComputeDomain live
     * @param wrong what is wrong, in sentences; nothing where it only rests
     */
    public record LeftChannel(
            ChannelId channel, String owner, Optional<Instant> restsUntil, int claims, List<String> wrong) {

        /** Copies the list in. */
        public LeftChannel {
            wrong = List.copyOf(wrong);
        }
    }
}
