package io.imexagent.controller.report;

import io.imexagent.core.claim.ChannelId;
import java.util.List;
import java.util.Optional;

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
public record DomainReport(
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
    public DomainReport {
        nodes = List.copyOf(nodes);
        wrong = List.copyOf(wrong);
    }
}
