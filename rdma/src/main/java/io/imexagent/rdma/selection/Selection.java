package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.selection.Choice.NicClass;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdict on each NIC, in the inventory's order. A failure in strict mode withholds all rails. */
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

    /** The rails among the NICs, without regard to strict mode. */
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

    /** The decision about one NIC, and the reason for its class, as a clause. */
    public record NicVerdict(NicReading reading, String reason, Choice choice) {

        public NicClass nicClass() {
            return dropped().map(dropped -> dropped.rule().nicClass()).orElse(NicClass.RAIL);
        }

        /** The NIC as a rail; empty if it is not offered. */
        public Optional<Rail> rail() {
            return choice instanceof Choice.SelectedNic(Rail rail) ? Optional.of(rail) : Optional.empty();
        }

        /** Why the NIC is not offered; empty if it is. */
        public Optional<Choice.DroppedNic> dropped() {
            return choice instanceof Choice.DroppedNic dropped ? Optional.of(dropped) : Optional.empty();
        }
    }
}
