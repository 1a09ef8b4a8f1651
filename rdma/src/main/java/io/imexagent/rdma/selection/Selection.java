package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import java.util.List;
import java.util.stream.Stream;

/**
 * What was decided about all NICs of a node.
 *
 * @param verdicts one for each NIC of the inventory, in its order
 * @param failures what strict mode does not bear; no rail is offered while there are any
 * @param findings what an operator should know
 */
public record Selection(List<NicVerdict> verdicts, List<String> failures, List<Finding> findings) {

    /** Copies the lists in. */
    public Selection {
        verdicts = List.copyOf(verdicts);
        failures = List.copyOf(failures);
        findings = List.copyOf(findings);
    }

    /** The rails to offer, by RDMA device. */
    public List<Rail> rails() {
        return failures.isEmpty() ? kept().toList() : List.of();
    }

    /** The same with one finding more. */
    public Selection with(Finding finding) {
        return new Selection(
                verdicts,
                failures,
                Stream.concat(findings.stream(), Stream.of(finding)).toList());
    }

    private Stream<Rail> kept() {
        return verdicts.stream()
                .flatMap(
                        verdict -> verdict.choice() instanceof Choice.Kept kept ? Stream.of(kept.rail()) : Stream.of());
    }

    /** The NICs that are not offered. */
    public List<NicVerdict> dropped() {
        return verdicts.stream()
                .filter(verdict -> verdict.choice() instanceof Choice.Dropped)
                .toList();
    }
}
