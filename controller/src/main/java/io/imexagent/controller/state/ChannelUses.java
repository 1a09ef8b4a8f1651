package io.imexagent.controller.state;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which objects beside the ledger name a channel: statuses of ComputeDomains, templates, allocated claims. Templates and
 * claims are written by users, so what they name counts for nothing by itself: {@link ClusterState} asks for each whether
 * it is what it says. Not safe for threads: {@link ClusterState} guards it.
 */
final class ChannelUses {

    private final Map<ChannelId, Map<String, Use>> uses = new HashMap<>();

    /**
     * What one object says: that it uses a channel for a ComputeDomain.
     *
     * @param namespace the object's namespace
     * @param template the object's name where it is a template
     * @param domains the UIDs of the ComputeDomains that it names
     */
    record Use(String namespace, Optional<String> template, Set<String> domains) {

        static Use of(DomainObject domain) {
            return new Use(
                    domain.ref().namespace(),
                    Optional.empty(),
                    Set.of(domain.ref().uid()));
        }

        static Use of(TemplateObject template) {
            return new Use(
                    template.ref().namespace(),
                    Optional.of(template.ref().name()),
                    template.content().domainId().map(Set::of).orElse(Set.of()));
        }

        static Use of(ClaimUse claim) {
            return new Use(claim.ref().namespace(), Optional.empty(), claim.domains());
        }
    }

    /** Whether a use counts. */
    @FunctionalInterface
    interface Judge {

        /** Whether this object's use of the channel is one for this ComputeDomain. */
        boolean counts(ChannelId channel, Use use, String domain);
    }

    /**
     * The object with this UID names these channels now, and no longer those. Channel 0 is nobody's.
     *
     * @return whether a channel is named less than before
     */
    boolean change(String uid, Collection<ChannelId> before, Collection<ChannelId> now, Use use) {
        for (ChannelId channel : before) {
            Map<String, Use> of = uses.getOrDefault(channel, new HashMap<>());
            of.remove(uid);
            if (of.isEmpty()) {
                uses.remove(channel);
            }
        }
        now.stream()
                .filter(channel -> channel.number() > 0)
                .forEach(channel ->
                        uses.computeIfAbsent(channel, none -> new HashMap<>(2)).put(uid, use));
        return !now.containsAll(before);
    }

    /** By channel, the ComputeDomains that use it; a channel that none uses is not there. */
    Map<ChannelId, Set<String>> counted(Judge judge) {
        Map<ChannelId, Set<String>> counted = new HashMap<>();
        for (ChannelId channel : uses.keySet()) {
            Set<String> domains = counted(channel, judge);
            if (!domains.isEmpty()) {
                counted.put(channel, domains);
            }
        }
        return counted;
    }

    /** The ComputeDomains that use a channel. */
    Set<String> counted(ChannelId channel, Judge judge) {
        Set<String> domains = new HashSet<>(2);
        for (Use use : uses.getOrDefault(channel, Map.of()).values()) {
            use.domains().stream()
                    .filter(domain -> judge.counts(channel, use, domain))
                    .forEach(domains::add);
        }
        return domains;
    }
}
