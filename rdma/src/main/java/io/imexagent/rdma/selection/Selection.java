package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What was decided about all NICs of a node, in the inventory's order. No rail is offered while there is something that
 * strict mode does not bear.
 */
public record Selection(List<NicVerdict> verdicts, List<String> failures, List<Finding> findings) {

    public Selection {
        verdicts = List.copyOf(verdicts);
        failures = List.copyOf(failures);
        findings = List.copyOf(findings);
    }

    /** The rails to offer, by RDMA device. */
    public List<Rail> rails() {
        return failures.isEmpty() ? kept(verdicts) : List.of();
    }

    /** The labels of the rails to offer, separated by this. */
    public String labels(String separator) {
        return rails().stream().map(Rail::label).collect(Collectors.joining(separator));
    }

    /** The rails among NICs, whether strict mode bears them or not. */
    static List<Rail> kept(List<NicVerdict> verdicts) {
        return verdicts.stream().flatMap(verdict -> verdict.rail().stream()).toList();
    }

    /** The same with one finding more. */
    public Selection with(Finding finding) {
        return new Selection(
                verdicts,
                failures,
                Stream.concat(findings.stream(), Stream.of(finding)).toList());
    }

    /** The NICs that are not offered. */
    public List<NicVerdict> dropped() {
        return verdicts.stream()
                .filter(verdict -> verdict.dropped().isPresent())
                .toList();
    }
}
