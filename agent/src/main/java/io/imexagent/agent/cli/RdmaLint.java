package io.imexagent.agent.cli;

import io.imexagent.agent.cli.CheckSource.Check;
import io.imexagent.agent.cli.CheckSource.Verdict;
import io.imexagent.agent.rdma.RdmaView;
import io.imexagent.rdma.inventory.GidEntry;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What in the files of a node leads NCCL astray: its search walks from {@code /sys/class/infiniband/<dev>/device} up the
 * PCI tree, and expects every NIC that it meets there to have an RDMA device with usable GIDs.
 */
final class RdmaLint {

    private RdmaLint() {}

    static List<Check> of(RdmaView view) {
        List<Check> checks = new ArrayList<>();
        for (NicReading reading : view.inventory().nics()) {
            switch (reading) {
                case NicReading.Failed failed ->
                    checks.add(warning(
                            "device-link",
                            failed.device() + ": " + failed.reason(),
                            "where it is no PCI device, keep it out of NCCL_IB_HCA"));
                case NicReading.WithoutRdma without ->
                    checks.add(warning(
                            "nic-without-rdma",
                            without.label() + " is a NIC without an RDMA device"
                                    + without.pci()
                                            .driver()
                                            .map(driver -> ", bound to " + driver)
                                            .orElse(""),
                            "NCCL may end with 'Could not find NET with id': hide the function from containers that"
                                    + " use NCCL, or bind it to mlx5_core"));
                case NicReading.Read read -> gids(read.nic()).ifPresent(checks::add);
            }
        }
        if (checks.isEmpty()) {
            checks.add(new Check(
                    "lint",
                    Verdict.OK,
                    "every NIC resolves into the PCI tree and has what NCCL looks for",
                    Optional.empty()));
        }
        return checks;
    }

    private static Optional<Check> gids(Nic nic) {
        boolean without = nic.ports().stream()
                .filter(port -> port.linkLayer() == LinkLayer.ETHERNET)
                .anyMatch(port -> port.gids().stream().noneMatch(GidEntry::isUsable));
        return without
                ? Optional.of(warning(
                        "no-usable-gid",
                        nic.name()
                                + nic.interfaceName()
                                        .map(name -> " (" + name + ")")
                                        .orElse("") + " has no usable RoCE v2 GID",
                        "give its interface an address, or keep it out of NCCL_IB_HCA"))
                : Optional.empty();
    }

    private static Check warning(String name, String message, String remedy) {
        return new Check(name, Verdict.WARNING, message, Optional.of(remedy));
    }
}
