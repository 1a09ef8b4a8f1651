package io.imexagent.controller.plan;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.TemplateObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Plans what a deleted ComputeDomain still needs: its templates go, then, where it has a channel of its own, its claims
 * must be gone and the channel must have rested; last goes the finalizer.
 */
final class DeletionPlanner {

    private final ControllerPolicy policy;

    DeletionPlanner(ControllerPolicy policy) {
        this.policy = policy;
    }

    Plan plan(DomainView view, Instant now) {
        DomainObject domain = view.domain();
        if (!domain.finalizers().contains(Names.COMPUTE_DOMAIN)) {
            return Plan.settled(List.of());
        }
        Optional<TemplateObject> template = view.labelled().stream()
                .findFirst()
                .or(() -> view.named().filter(named -> Ownership.owns(domain, named)));
        if (template.isPresent()) {
            return remove(template.get());
        }
        Optional<Step> lost = lost(view);
        if (lost.isPresent()) {
            return Plan.next(lost.get());
        }
        Optional<LedgerEntry> held = view.held().stream().findFirst();
        if (held.isPresent()) {
            return view.claims().isEmpty()
                    ? Plan.next(new Step.ReleaseChannel(
                            held.get(), Optional.of(domain.ref().namespace()), Optional.empty()))
                    : waitsFor(view.claims());
        }
        Optional<Instant> rests = view.entries().stream()
                .flatMap(entry -> entry.restsUntil(policy.quarantine()).stream())
                .filter(until -> until.isAfter(now))
                .max(Instant::compareTo);
        if (rests.isPresent()) {
            return Plan.until(rests.get(), resting(rests.get()));
        }
        boolean reaching = policy.isolating()
                && view.claims().stream()
                        .flatMap(claim -> claim.channels().stream())
                        .anyMatch(channel -> channel.number() > 0);
        if (reaching || (!view.entries().isEmpty() && !view.claims().isEmpty())) {
            // A claim that the last look missed, made from the template at the moment when that went; or one with a
            // channel that the ledger gave to another.
            return waitsFor(view.claims());
        }
        List<String> others = domain.finalizers().stream()
                .filter(finalizer -> !finalizer.equals(Names.COMPUTE_DOMAIN))
                .toList();
        return Plan.next(new Step.SetFinalizers(domain, others));
    }

    /**
     * Takes back the channel that the status names and the ledger has lost, or has as one that somebody had before, so
     * that it is released and rests as every other; unless something says that it is another's by now.
     */
    private Optional<Step> lost(DomainView view) {
        DomainObject domain = view.domain();
        Optional<ChannelId> stated = domain.channel().filter(channel -> policy.isolating() && channel.number() > 0);
        if (stated.isEmpty()
                || view.entries().stream().anyMatch(entry -> stated.equals(Optional.of(entry.channel())))) {
            return Optional.empty();
        }
        Optional<LedgerEntry> entry = view.channels().get().entry(stated.get());
        boolean others = entry.flatMap(LedgerEntry::holder).isPresent()
                || view.contested().test(stated.get());
        return others ? Optional.empty() : Optional.of(new Step.TakeChannel(domain, stated.get(), entry));
    }

    /** Deletes a template of the controller's own, and lets it go. */
    static Plan remove(TemplateObject template) {
        if (!template.deleting()) {
            return Plan.next(new Step.DeleteTemplate(template, Optional.empty()));
        }
        return Ownership.letGo(template).orElseGet(() -> Plan.settled(List.of(Ownership.held(template))));
    }

    private Problem resting(Instant until) {
        return new Problem(
                Problem.Reason.CHANNEL_RESTING,
                "the ComputeDomain is being deleted, and its channel rests until " + until
                        + ", so that no container that still runs reaches another's memory; it goes then, and nothing"
                        + " needs to be done (controller.quarantine is "
                        + policy.quarantine().toSeconds() + " s)");
    }

    private static Plan waitsFor(List<ClaimUse> claims) {
        return Plan.waiting(
                Problem.Reason.CLAIMS_ALIVE,
                "the ComputeDomain is being deleted and keeps its channel until the claims that use it are gone: end"
                        + " the pods of " + Ownership.some(claims));
    }
}
