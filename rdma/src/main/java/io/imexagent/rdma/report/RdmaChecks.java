package io.imexagent.rdma.report;

import static io.imexagent.core.check.CheckResult.critical;
import static io.imexagent.core.check.CheckResult.ok;
import static io.imexagent.core.check.CheckResult.warning;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuDirect;
import io.imexagent.rdma.inventory.RdmaInventory.NetnsMode;
import io.imexagent.rdma.rails.PodVariables;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Choice.NicClass;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.watch.RdmaView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The checks of the prerequisites for RDMA NICs in containers. */
public final class RdmaChecks {

    /** The classes of NICs that are no fault on a node without rails. */
    private static final Set<NicClass> OTHER_WAYS = EnumSet.of(NicClass.EFA, NicClass.SOFTWARE, NicClass.MANAGEMENT);

    private RdmaChecks() {}

    /** The checks of a node, of its runtime where one is configured, and against a peer where one is named. */
    public static List<CheckResult> of(RdmaView view, Optional<NetdevSupport> netdev, Optional<RdmaPeer> peer) {
        List<CheckResult> checks = new ArrayList<>();
        checks.add(enabled(view.settings().enabled()));
        checks.add(rails(view));
        checks.add(ok("env", PodVariables.of(view).text()));
        checks.add(gpuDirect(view.inventory().gpuDirect()));
        checks.add(netnsMode(view.inventory().netnsMode()));
        netdev.ifPresent(support -> checks.add(netdev(support)));
        peer.ifPresent(one -> checks.add(peer(one.difference(view.selection()))));
        view.selection().findings().forEach(finding -> checks.add(finding(finding)));
        return checks;
    }

    private static CheckResult enabled(boolean on) {
        return on
                ? ok("enabled", "rdma.enabled is on")
                : warning(
                        "enabled",
                        "rdma.enabled is off: the agent publishes none of these NICs",
                        "set rdma.enabled to true and restart the agent");
    }

    private static CheckResult rails(RdmaView view) {
        int rails = view.selection().rails().size();
        int all = view.inventory().nics().size();
        boolean others = all > 0
                && view.selection().verdicts().stream().allMatch(verdict -> OTHER_WAYS.contains(verdict.nicClass()));
        if (others) {
            return warning(
                    "rails",
                    "none of the " + all + " NICs carries RDMA traffic of workloads: "
                            + view.selection().verdicts().getFirst().reason(),
                    "set rdma.enabled to false on this node");
        }
        return rails > 0
                ? ok(
                        "rails",
                        rails + " of " + all + " NICs are offered: "
                                + view.selection().labels(","))
                : critical(
                        "rails",
                        all == 0 ? "this node has no RDMA NIC" : "none of the " + all + " NICs is offered",
                        all == 0
                                ? "load the NIC's driver (mlx5_core, mlx5_ib), or set rdma.enabled to false"
                                : "'imex-agent rdma show' gives the reason of each");
    }

    private static CheckResult gpuDirect(GpuDirect verdict) {
        String message = verdict.text() + ": " + verdict.reason();
        return verdict.way() != GpuDirect.GpuDirectMethod.NONE
                ? ok("gpudirect", message)
                : warning(
                        "gpudirect",
                        message,
                        "use the driver's open kernel modules on kernel 5.12 or later, or load nvidia_peermem; until"
                                + " then data goes through the host's memory");
    }

    private static CheckResult netnsMode(NetnsMode mode) {
        return switch (mode) {
            case NetnsMode.SharedNetns _ -> ok("netns-mode", "shared: containers see the devices that they are given");
            case NetnsMode.ExclusiveNetns _ ->
                warning(
                        "netns-mode",
                        "exclusive: an RDMA device is seen in one network namespace only, and no container sees it",
                        "rdma system set netns shared, before any network namespace is made");
            case NetnsMode.UnknownNetns(String reason) -> warning("netns-mode", reason, "load the module ib_core");
        };
    }

    private static CheckResult netdev(NetdevSupport support) {
        return switch (support) {
            case NetdevSupport.Supported(String hook) ->
                ok("netdev", "the container runtime can move interfaces, with the hook " + hook);
            case NetdevSupport.Unsupported(String reason) ->
                warning(
                        "netdev",
                        "claims with mode Netdev are refused: " + reason,
                        "correct that, or remove rdma.runtime if no claim has mode Netdev");
        };
    }

    private static CheckResult peer(RdmaPeer.Difference difference) {
        return difference.isNone()
                ? ok("peer", "this node and the peer have the same rails")
                : critical(
                        "peer",
                        "the rails differ: only here " + names(difference.onlyHere()) + "; only at the peer "
                                + names(difference.onlyThere()),
                        "make the same NICs usable on both, or set rdma.peer on both to those that both have; ranks"
                                + " with different NICs block each other in the first collective");
    }

    private static String names(Collection<String> names) {
        return names.isEmpty() ? "none" : String.join(",", names);
    }

    private static CheckResult finding(Finding finding) {
        return new CheckResult(finding.code(), finding.severity(), finding.message(), Optional.of(finding.remedy()));
    }

    /** Checks for NICs that mislead NCCL, which walks up the PCI tree and expects usable GIDs on each NIC. */
    public static List<CheckResult> lint(RdmaView view) {
        List<CheckResult> checks = new ArrayList<>();
        for (NicVerdict verdict : view.selection().verdicts()) {
            String fact = verdict.reading().label() + ": " + verdict.reason();
            switch (verdict.reading()) {
                case NicReading.FailedNic _ ->
                    checks.add(warning(
                            "unreadable", fact, "look at the kernel log for the device, and take the snapshot again"));
                case NicReading.SoftwareNic _ ->
                    checks.add(warning(
                            "device-link", fact + ", and NCCL would place it wrongly", "keep it out of NCCL_IB_HCA"));
                case NicReading.NicWithoutRdma _ ->
                    checks.add(warning(
                            "nic-without-rdma",
                            fact,
                            "NCCL may end with 'Could not find NET with id': hide the function from containers that"
                                    + " use NCCL, or bind it to mlx5_core"));
                case NicReading.ReadNic read ->
                    gids(read.nic(), verdict.choice()).ifPresent(checks::add);
            }
        }
        if (checks.stream().allMatch(check -> check.severity() == Severity.OK)) {
            checks.add(ok(
                    "lint",
                    "every NIC that containers may get resolves into the PCI tree and has what NCCL looks for"));
        }
        return checks;
    }

    /** Checks the GIDs of a NIC. The check passes, with a note, for a NIC that a rule keeps out of containers. */
    private static Optional<CheckResult> gids(Nic nic, Choice choice) {
        boolean without = nic.ports().stream()
                .filter(port -> port.linkLayer() == Port.LinkLayer.ETHERNET)
                .anyMatch(port -> port.gids().stream().noneMatch(Gid.GidEntry::isUsable));
        if (!without) {
            return Optional.empty();
        }
        String message = nic.name()
                + nic.interfaceName().map(name -> " (" + name + ")").orElse("") + " has no usable RoCE v2 GID";
        return Optional.of(
                choice instanceof Choice.DroppedNic dropped && dropped.rule() != Choice.SelectionRule.UNUSABLE
                        ? ok(
                                "no-usable-gid",
                                message + ", and no container gets it (rule "
                                        + dropped.rule().text() + ")")
                        : warning(
                                "no-usable-gid",
                                message,
                                "give its interface an address, or keep it out of NCCL_IB_HCA"));
    }
}
