package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.selection.Choice.NicClass;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdict on each NIC, in the inventory's order. What strict mode does not bear withholds all rails. */
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

    public Selection with(Finding finding) {
        return new Selection(
                verdicts,
                failures,
                Stream.concat(findings.stream(), Stream.of(finding)).toList());
    }

    public List<NicVerdict> dropped() {
        return verdicts.stream()
                .filter(verdict -> verdict.dropped().isPresent())
                .toList();
    }

    /** What was decided about one NIC, and why it is in its class, as a clause. */
    public record NicVerdict(NicReading reading, String reason, Choice choice) {

        public NicClass nicClass() {
            return dropped().map(dropped -> dropped.rule().nicClass()).orElse(NicClass.RAIL);
        }

        /** The NIC as a rail, where it is offered. */
        public Optional<Rail> rail() {
            return choice instanceof Choice.SelectedNic(Rail rail) ? Optional.of(rail) : Optional.empty();
        }

        /** Why it is not offered; empty where it is. */
        public Optional<Choice.DroppedNic> dropped() {
            return choice instanceof Choice.DroppedNic dropped ? Optional.of(dropped) : Optional.empty();
        }
    }
}
