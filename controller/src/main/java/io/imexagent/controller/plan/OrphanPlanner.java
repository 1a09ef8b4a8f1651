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
     * @param claims claims that name it, or are allocated a channel that it holds
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
    }

    /** The next step. */
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
            Optional<String> namespace = templates.stream()
                    .map(template -> template.ref().namespace())
                    .findFirst()
                    .or(() -> held.flatMap(LedgerEntry::ownerNamespace));
            return Plan.next(new Step.ConfirmGone(remains.uid(), namespace));
        }
        if (!templates.isEmpty()) {
            return DeletionPlanner.remove(templates.getFirst());
        }
        return remains.claims().isEmpty()
                ? Plan.next(new Step.ReleaseChannel(held.orElseThrow(), held.flatMap(LedgerEntry::ownerNamespace)))
                : Plan.waiting(
                        Problem.Reason.CLAIMS_ALIVE,
                        "the ComputeDomain is gone, and its channel stays taken until the claims that use it are gone:"
                                + " end the pods of " + Ownership.some(remains.claims()));
    }
}
