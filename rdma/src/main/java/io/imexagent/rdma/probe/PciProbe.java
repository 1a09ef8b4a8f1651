package io.imexagent.rdma.probe;

import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.PciFunction.PciId;
import io.imexagent.rdma.inventory.PciFunction.PciPath;
import io.imexagent.rdma.inventory.PciFunction.PcieLink;
import io.imexagent.rdma.inventory.PciFunction.PcieLink.Rate;
import io.imexagent.rdma.inventory.PciFunction.Vpd;
import io.imexagent.rdma.inventory.RdmaInventory.GpuPlace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Reads PCI functions; the vital product data by a reader that outlives a scan. */
record PciProbe(HostFiles files, VpdReader vpds) {

    private static final String DEVICES = "sys/bus/pci/devices";
    /** NVIDIA Networking, once Mellanox: the vendor whose NICs are RDMA NICs whatever driver is bound to them. */
    private static final String RDMA_VENDOR = "0x15b3";
    /** The base class of network controllers: 0x0200 Ethernet, 0x0207 InfiniBand. */
    private static final String NETWORK = "0x02";

    /** Reads the function of a sysfs path; fails if it is gone, or on another bus by its {@code subsystem}. */
    PciFunction function(String link) throws IOException {
        String resolved = files.resolve(link);
        String bus = files.targetName(resolved + "/subsystem").orElse("none");
        PciPath path = Optional.of(resolved)
                .filter(_ -> bus.equals("pci"))
                .flatMap(PciPath::parse)
                .orElseThrow(() -> new IOException("/" + link + " leads to /" + resolved + " on the bus " + bus
                        + ": it is no PCI device, and NCCL would place it wrongly"));
        Optional<PciId> id = PciId.parse(hex(resolved + "/vendor") + ":" + hex(resolved + "/device"));
        Optional<PciAddress> physical = files.targetName(resolved + "/physfn").flatMap(PciAddress::parse);
        return new PciFunction(
                path,
                files.number(resolved + "/numa_node"),
                id,
                files.targetName(resolved + "/driver"),
                physical,
                // A virtual function has neither VPD nor links of its own.
                physical.isPresent() ? new Vpd.OrdinaryVpd() : vpds.of(files, resolved, path.function(), id),
                physical.isPresent() ? List.of() : links(path));
    }

    /** The links along the path; there is none between the two ports of a switch. */
    private List<PcieLink> links(PciPath path) {
        List<PcieLink> found = new ArrayList<>();
        List<PciAddress> functions = path.functions();
        for (int at = functions.size() - 1; at >= 0; at -= 2) {
            PciAddress address = functions.get(at);
            String device = folder(path, at);
            Optional<Rate> current = rate(device + "/current");
            Optional<Rate> card = rate(device + "/max");
            if (current.isPresent() && card.isPresent()) {
                PciAddress end = at > 0
                        ? functions.get(at - 1)
                        : new PciAddress(address.domain(), address.bus(), address.device(), 0);
                Optional<Rate> slot = at > 0 ? rate(folder(path, at - 1) + "/max") : Optional.empty();
                found.add(new PcieLink(end, address, current.get(), card.get(), slot));
            }
        }
        return found;
    }

    private static String folder(PciPath path, int function) {
        return new PciPath(path.above(), path.root(), path.functions().subList(0, function + 1)).sysfs();
    }

    private Optional<Rate> rate(String which) {
        return files.optional(which + "_link_speed")
                .flatMap(speed ->
                        files.optional(which + "_link_width").flatMap(width -> SysfsNumbers.link(speed, width)));
    }

    /**
     * The NICs of the RDMA vendor without an RDMA device. Left out are functions that are known to have one, and those
     * whose interface belongs to one of the carriers: in a RoCE bond, or if one device has a port on each function of a
     * card.
     */
    List<PciFunction> others(Collection<PciAddress> known, Collection<String> carriers) {
        List<PciFunction> found = new ArrayList<>();
        for (String name : files.names(DEVICES)) {
            String folder = DEVICES + "/" + name;
            Optional<PciAddress> address = PciAddress.parse(name).filter(one -> !known.contains(one));
            if (address.isPresent()
                    && files.optional(folder + "/class").orElse("").startsWith(NETWORK)
                    && files.optional(folder + "/vendor").equals(Optional.of(RDMA_VENDOR))
                    && files.names(folder + "/infiniband").isEmpty()
                    && files.names(folder + "/net").stream()
                            .noneMatch(netdev -> carriers.contains(netdev)
                                    || files.bondOf(netdev).stream().anyMatch(carriers::contains))) {
                stillThere(folder).ifPresent(found::add);
            }
        }
        return found;
    }

    private Optional<PciFunction> stillThere(String folder) {
        try {
            return Optional.of(function(folder));
        } catch (IOException vanished) {
            return Optional.empty();
        }
    }

    /** The places of the GPUs; one whose place cannot be read is left out, and near no NIC. */
    List<GpuPlace> gpus(List<Gpu> gpus) {
        return gpus.stream()
                .flatMap(gpu -> gpu
                        .pci()
                        .flatMap(this::path)
                        .map(path ->
                                new GpuPlace(gpu.index(), gpu.uuid(), path, files.number(path.sysfs() + "/numa_node")))
                        .stream())
                .toList();
    }

    /** The digits after {@code 0x}. */
    private String hex(String path) {
        return files.optional(path)
                .filter(text -> text.startsWith("0x"))
                .map(text -> text.substring(2))
                .orElse("");
    }

    private Optional<PciPath> path(PciAddress address) {
        try {
            return PciPath.parse(files.resolve(DEVICES + "/" + address));
        } catch (IOException absent) {
            return Optional.empty();
        }
    }
}
