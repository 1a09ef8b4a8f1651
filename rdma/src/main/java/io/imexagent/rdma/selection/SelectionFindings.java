package io.imexagent.rdma.selection;

import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Finding.Severity;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.Uplinks;
import io.imexagent.rdma.selection.Choice.Dropped;
import io.imexagent.rdma.selection.Choice.Kept;
import io.imexagent.rdma.selection.Choice.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What an operator should know of a selection. */
final class SelectionFindings {

    private final RdmaInventory inventory;
    private final List<NicVerdict> verdicts;
    private final SelectionPolicy policy;
    private final List<Finding> findings = new ArrayList<>();

    private SelectionFindings(RdmaInventory inventory, List<NicVerdict> verdicts, SelectionPolicy policy) {
        this.inventory = inventory;
        this.verdicts = verdicts;
        this.policy = policy;
    }

    static List<Finding> of(
            RdmaInventory inventory, List<NicVerdict> verdicts, List<String> failures, SelectionPolicy policy) {
        var findings = new SelectionFindings(inventory, verdicts, policy);
        findings.uplinks();
        findings.failed();
        findings.strict(failures);
        findings.excluded();
        findings.included();
        findings.nextHops();
        findings.rdmaCm();
        findings.findings.addAll(SharedSubnets.findings(inventory, findings.kept()));
        return List.copyOf(findings.findings);
    }

    private List<Rail> kept() {
        return verdicts.stream()
                .flatMap(verdict -> verdict.choice() instanceof Kept kept ? Stream.of(kept.rail()) : Stream.empty())
                .toList();
    }

    private void uplinks() {
        if (inventory.uplinks() instanceof Uplinks.Unknown unknown
                && !inventory.nics().isEmpty()) {
            add(
                    "rdma-uplinks-unknown",
                    Severity.ERROR,
                    "it cannot be told which NICs are uplinks, so none is offered: " + unknown.reason(),
                    "make /proc/net of the host readable for the agent");
        }
    }

    private void failed() {
        for (NicVerdict verdict : verdicts) {
            if (verdict.reading() instanceof NicReading.Failed failed) {
                add(
                        "rdma-nic-unreadable",
                        Severity.WARNING,
                        "RDMA device " + Quoted.of(failed.device()) + " is left out: " + failed.reason(),
                        "look at the kernel log for the device; it is read again with every scan");
            }
        }
    }

    private void strict(List<String> failures) {
        for (String failure : failures) {
            add(
                    "rdma-no-address",
                    Severity.ERROR,
                    failure + ", and rdma.strict is on, so no NIC is offered",
                    "give the interface an address, leave it out by rdma.exclude, or switch rdma.strict off");
        }
    }

    private void excluded() {
        for (NicVerdict verdict : verdicts) {
            if (verdict.choice() instanceof Dropped dropped && dropped.rule() == Rule.EXCLUDED) {
                add(
                        "rdma-nic-excluded",
                        Severity.WARNING,
                        verdict.reading().label() + " stays on the host: " + dropped.reason(),
                        dropped.remedy());
            }
        }
    }

    private void included() {
        for (String name : policy.include().stream().sorted().toList()) {
            List<Nic> named =
                    nics().filter(nic -> Classifier.isNamed(nic, Set.of(name))).toList();
            if (named.isEmpty()) {
                add(
                        "rdma-include-unmatched",
                        Severity.WARNING,
                        "rdma.include names " + Quoted.of(name) + ", and there is no such NIC",
                        "correct the name, or find out with 'imex-agent rdma show' where the NIC went");
            }
            named.forEach(this::overridden);
        }
    }

    /** The switch that overrides the protection of uplinks is never silent. */
    private void overridden(Nic nic) {
        if (inventory.uplinks() instanceof Uplinks.Known known && policy.includeUplinks()) {
            nic.netdevs().stream()
                    .filter(known.reasons()::containsKey)
                    .findFirst()
                    .ifPresent(netdev -> add(
                            "rdma-uplink-included",
                            Severity.WARNING,
                            nic.name() + " is offered although " + netdev + " "
                                    + known.reasons().get(netdev) + ": rdma.include and rdma.includeUplinks say so",
                            "take it out of rdma.include unless the host can do without it"));
        }
    }

    /**
     * Of an IPv4 default route over several NICs one is told, and the others look like rails. A route over a bond has its
     * second link there: its interface is that of several NICs.
     */
    private void nextHops() {
        if (inventory.uplinks() instanceof Uplinks.Known known) {
            for (InterfaceName hop : known.firstHops().stream().sorted().toList()) {
                List<Nic> through =
                        nics().filter(nic -> nic.netdevs().contains(hop)).toList();
                if (through.size() == 1) {
                    add(
                            "rdma-next-hops-untold",
                            Severity.INFO,
                            "the IPv4 default route leaves through " + hop + " ("
                                    + through.getFirst().name()
                                    + "); if it has further next hops, the kernel's file does not show them, and their"
                                    + " NICs are not known for uplinks",
                            "look at 'ip route show default' on the host, and name its interfaces in rdma.uplinks");
                }
            }
        }
    }

    private Stream<Nic> nics() {
        return inventory.nics().stream()
                .flatMap(reading -> reading instanceof NicReading.Read read ? Stream.of(read.nic()) : Stream.empty());
    }

    private void rdmaCm() {
        if (inventory.rdmaCm().isEmpty() && !kept().isEmpty()) {
            add(
                    "rdma-cm-missing",
                    Severity.WARNING,
                    "there is no /dev/infiniband/rdma_cm, which some libraries need to connect",
                    "load the module rdma_ucm");
        }
    }

    private void add(String code, Severity severity, String message, String remedy) {
        findings.add(new Finding(code, severity, message, remedy));
    }

    /** Names joined for a sentence. */
    static String joined(List<Rail> rails) {
        return rails.stream().map(Rail::label).sorted().collect(Collectors.joining(", "));
    }
}
