package io.imexagent.rdma.check;

import io.imexagent.core.check.CheckResult;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.NicVerdict;
import io.imexagent.rdma.watch.RdmaView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What in the files of a node leads NCCL astray: its search walks from {@code /sys/class/infiniband/<dev>/device} up the
 * PCI tree, and expects every NIC that it meets there to have an RDMA device with usable GIDs.
 */
public final class RdmaLint {

    private RdmaLint() {}

    public static List<CheckResult> of(RdmaView view) {
        List<CheckResult> checks = new ArrayList<>();
        for (NicVerdict verdict : view.selection().verdicts()) {
            switch (verdict.reading()) {
                case NicReading.Failed failed -> checks.add(failed(failed));
                case NicReading.WithoutRdma without ->
                    checks.add(CheckResult.warning(
                            "nic-without-rdma",
                            without.label() + " is a NIC without an RDMA device"
                                    + without.pci()
                                            .driver()
                                            .map(driver -> ", bound to " + driver)
                                            .orElse(""),
                            "NCCL may end with 'Could not find NET with id': hide the function from containers that"
                                    + " use NCCL, or bind it to mlx5_core"));
                case NicReading.Read read -> gids(read.nic(), verdict.choice()).ifPresent(checks::add);
            }
        }
        if (checks.stream().allMatch(check -> check.status() == CheckResult.Status.OK)) {
            checks.add(CheckResult.ok(
                    "lint",
                    "every NIC that containers may get resolves into the PCI tree and has what NCCL looks for"));
        }
        return checks;
    }

    private static CheckResult failed(NicReading.Failed failed) {
        String message = failed.device() + ": " + failed.reason();
        return failed.outsidePci()
                ? CheckResult.warning("device-link", message, "keep it out of NCCL_IB_HCA")
                : CheckResult.warning(
                        "unreadable", message, "look at the kernel log for the device, and take the snapshot again");
    }

    /** A NIC that a rule keeps out of containers harms nobody there; that is told, and is no fault. */
    private static Optional<CheckResult> gids(Nic nic, Choice choice) {
        boolean without = nic.ports().stream()
                .filter(port -> port.linkLayer() == Port.LinkLayer.ETHERNET)
                .anyMatch(port -> port.gids().stream().noneMatch(Gid.Entry::isUsable));
        if (!without) {
            return Optional.empty();
        }
        String message = nic.name()
                + nic.interfaceName().map(name -> " (" + name + ")").orElse("") + " has no usable RoCE v2 GID";
        return Optional.of(
                choice instanceof Choice.Dropped dropped && dropped.rule() != Choice.Rule.UNUSABLE
                        ? CheckResult.ok(
                                "no-usable-gid",
                                message + ", and no container gets it (rule "
                                        + dropped.rule().text() + ")")
                        : CheckResult.warning(
                                "no-usable-gid",
                                message,
                                "give its interface an address, or keep it out of NCCL_IB_HCA"));
    }
}
