package io.imexagent.controller.plan;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.control.ClaimUse;
import io.imexagent.kubernetes.control.TemplateObject;
import java.util.List;
import java.util.Optional;

/**
 * Plans what becomes of what a ComputeDomain left behind that is gone without its controller: somebody took its
 * finalizer away, or a backup brought back what belonged to it.
 */
public final class OrphanPlanner {

    /**
     * What is left of a ComputeDomain.
     *
     * @param uid its UID
     * @param confirmed whether the server said that it is gone
     * @param templates templates whose label names it
     * @param claims claims that name it
     * @param entries ledger entries that it holds, or held last
     */
    public record Remains(
            ComputeDomainUid uid,
            boolean confirmed,
            List<TemplateObject> templates,
            List<ClaimUse> claims,
            List<LedgerEntry> entries) {

        /** Copies the lists in. */
        public Remains {
            templates = List.copyOf(templates);
            claims = List.copyOf(claims);
            entries = List.copyOf(entries);
        }

        /** The same, as if the server had said that the ComputeDomain is gone. */
        public Remains asConfirmed() {
            return new Remains(uid, true, templates, claims, entries);
        }
    }

    /**
     * The next step. A channel is released once the templates and claims that could lead to it are gone: those in the
     * namespace where the ComputeDomain was. Templates of other namespaces that bear its label go afterwards; whoever
     * holds them there keeps no channel.
     */
    public Plan plan(Remains remains) {
        List<TemplateObject> templates = remains.templates().stream()
                .filter(template -> template.labels()
                        .getOrDefault(Names.TARGET, Names.WORKLOAD)
                        .equals(Names.WORKLOAD))
                .toList();
        Optional<LedgerEntry> held = remains.entries().stream()
                .filter(entry -> entry.holder().isPresent())
                .findFirst();
        if (templates.isEmpty() && held.isEmpty()) {
            return Plan.settled(List.of());
        }
        if (!remains.confirmed()) {
            Optional<String> namespace = held.isPresent()
                    ? held.get().ownerNamespace()
                    : templates.stream()
                            .map(template -> template.ref().namespace())
                            .findFirst();
            return Plan.next(new Step.ConfirmGone(remains.uid(), namespace));
        }
        return held.isPresent()
                ? release(remains, held.get(), templates)
                : DeletionPlanner.remove(templates.getFirst());
    }

    private static Plan release(Remains remains, LedgerEntry held, List<TemplateObject> templates) {
        Optional<TemplateObject> template = templates.stream()
                .filter(one -> held.isWithin(one.ref().namespace()))
                .findFirst();
        if (template.isPresent()) {
            return DeletionPlanner.remove(template.get());
        }
        List<ClaimUse> claims = remains.claims().stream()
                .filter(claim -> held.isWithin(claim.ref().namespace()))
                .toList();
        return claims.isEmpty()
                ? Plan.next(new Step.ReleaseChannel(held, held.ownerNamespace(), Optional.empty()))
                : Plan.waiting(
                        Problem.Reason.CLAIMS_ALIVE,
                        "the ComputeDomain is gone, and its channel stays taken until the claims that use it are gone:"
                                + " end the pods of " + Ownership.some(claims));
    }
}
