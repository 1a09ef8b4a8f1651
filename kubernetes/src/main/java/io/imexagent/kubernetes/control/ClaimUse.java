package io.imexagent.kubernetes.control;

import io.imexagent.core.claim.ChannelId;
import java.util.Set;

/**
 * What a ResourceClaim has to do with ComputeDomains.
 *
 * @param ref which claim
 * @param domains the UIDs of the ComputeDomains that its configuration names
 * @param channels the channel that it is allocated; none where it is allocated several devices, since agents refuse it
 * @param nodes the nodes whose channels it is allocated: the pools of the devices
 */
public record ClaimUse(ObjectRef ref, Set<String> domains, Set<ChannelId> channels, Set<String> nodes) {

    /** Copies the sets in. */
    public ClaimUse {
        domains = Set.copyOf(domains);
        channels = Set.copyOf(channels);
        nodes = Set.copyOf(nodes);
    }
}
