package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What was observed about one ComputeDomain.
 *
 * @param domain the ComputeDomain
 * @param named the template that has the name it asks for
 * @param labelled all templates whose label names it, those of any name
 * @param claims all claims that name it
 * @param entries the ledger entries that it holds, or held last, by channel
 * @param contested whether a status, a template or a claim of another ComputeDomain names a channel
 * @param channels all channels; asked for only where one has to be chosen
 */
public record DomainView(
        DomainObject domain,
        Optional<TemplateObject> named,
        List<TemplateObject> labelled,
        List<ClaimUse> claims,
        List<LedgerEntry> entries,
        Predicate<ChannelId> contested,
        Supplier<Channels> channels) {

    /** Copies the lists in. */
    public DomainView {
        labelled = List.copyOf(labelled);
        claims = List.copyOf(claims);
        entries = List.copyOf(entries);
    }

    /** The entries that it holds. */
    List<LedgerEntry> held() {
        return entries.stream().filter(entry -> entry.holder().isPresent()).toList();
    }

    /** The claims that name it and are allocated this channel. */
    boolean used(ChannelId channel) {
        return claims.stream().anyMatch(claim -> claim.channels().contains(channel));
    }
}
