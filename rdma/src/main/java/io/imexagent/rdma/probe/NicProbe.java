package io.imexagent.rdma.probe;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Reads all NICs. A NIC that vanishes, changes or fails while it is read affects no other. */
record NicProbe(HostFiles files, PciProbe pci) {

    private static final String CLASS = "sys/class/infiniband";
    private static final String VERBS = "sys/class/infiniband_verbs";

    /**
     * The number of empty slots in a row after which the rest of the table counts as empty. Removed addresses leave
     * holes.
     */
    private static final int EMPTY_RUN = 8;

    /** A limit on GID slots, above that of any driver. */
    private static final int MOST_SLOTS = 4096;

    /** RDMA devices by name, then NICs without one by address. */
    List<NicReading> read() throws IOException {
        List<NicReading> readings = new ArrayList<>();
        Map<String, List<DeviceNodeEdits>> nodes = files.nodes(VERBS);
        Set<PciAddress> known = new HashSet<>();
        for (String device : devices()) {
            NicReading reading =
                    read(device, nodes.getOrDefault(device, List.of()).stream().findFirst());
            reading.address().ifPresent(known::add);
            readings.add(reading);
        }
        Set<String> carriers = readings.stream()
                .flatMap(reading -> reading.asNic().stream())
                .flatMap(nic -> nic.netdevs().stream())
                .map(InterfaceName::text)
                .collect(Collectors.toSet());
        pci.others(known, carriers)
                .forEach(function -> readings.add(new NicReading.NicWithoutRdma(function, netdevs(function))));
        return readings;
    }

    private List<String> devices() throws IOException {
        try {
            return files.list(CLASS).stream()
                    .sorted(RdmaDeviceName.AS_PEOPLE_COUNT)
                    .toList();
        } catch (NoSuchFileException noRdma) {
            return List.of();
        } catch (IOException failure) {
            throw new IOException(RdmaProbe.reason(CLASS, failure) + "; make it readable for the agent", failure);
        }
    }

    /** Whether the node still has the same number and belongs to the device. */
    private boolean isStill(DeviceNodeEdits node, String device) {
        return files.optional(VERBS + "/" + node.name() + "/ibdev").equals(Optional.of(device))
                && files.node(VERBS + "/" + node.name()).equals(Optional.of(node));
    }

    private NicReading read(String device, Optional<DeviceNodeEdits> node) {
        Optional<RdmaDeviceName> name = RdmaDeviceName.parse(device);
        if (name.isEmpty()) {
            return new NicReading.FailedNic(device, "its name is none that NCCL_IB_HCA could carry");
        }
        String folder = CLASS + "/" + device;
        try {
            String place = files.target(folder);
            if (place.contains("/devices/virtual/")) {
                return new NicReading.SoftwareNic(device);
            }
            PciFunction function = pci.function(folder + "/device");
            NavigableSet<InterfaceName> netdevs = netdevs(function);
            List<Port> read = ports(folder, !netdevs.isEmpty());
            Optional<Nic.Netdev> own = own(netdevs, read).map(this::netdev);
            read.forEach(port -> port.gids().forEach(gid -> gid.netdev().ifPresent(netdevs::add)));
            if (!files.target(folder).equals(place)
                    || !node.map(one -> isStill(one, device)).orElse(true)) {
                // The device's place or node has changed since the beginning of the read, as after a reload of its
                // driver.
                return new NicReading.FailedNic(device, "it changed while it was read; the next scan reads it again");
            }
            return new NicReading.ReadNic(new Nic(name.get(), function, node, read, own, netdevs));
        } catch (NoSuchFileException vanished) {
            return new NicReading.FailedNic(
                    device, "it vanished while it was read: " + vanished.getFile() + " is missing");
        } catch (IOException failure) {
            return new NicReading.FailedNic(device, String.valueOf(failure.getMessage()));
        }
    }

    private NavigableSet<InterfaceName> netdevs(PciFunction function) {
        var names = new TreeSet<InterfaceName>();
        files.names(function.path().sysfs() + "/net")
                .forEach(name -> InterfaceName.parse(name).ifPresent(names::add));
        return names;
    }

    /** The one that the first GIDs name: of the function, or the bond that one of these is in ({@code mlx5_bond_0}). */
    private Optional<InterfaceName> own(NavigableSet<InterfaceName> ofFunction, List<Port> ports) {
        Set<InterfaceName> candidates = new HashSet<>(ofFunction);
        ofFunction.forEach(
                name -> files.bondOf(name.text()).flatMap(InterfaceName::parse).ifPresent(candidates::add));
        return ports.stream()
                .flatMap(port -> port.gids().stream())
                .flatMap(gid -> gid.netdev().stream())
                .filter(candidates::contains)
                .findFirst()
                .or(() -> ofFunction.stream().findFirst());
    }

    private Nic.Netdev netdev(InterfaceName name) {
        String folder = "sys/class/net/" + name;
        return new Nic.Netdev(
                name, files.optional(folder + "/address"), files.number(folder + "/mtu"), files.isBond(name.text()));
    }

    /** Reads the ports in this folder of a device, by number. A value that cannot be read is empty. */
    private List<Port> ports(String device, boolean withNetdev) throws IOException {
        List<Port> ports = new ArrayList<>();
        for (String name : files.list(device + "/ports")) {
            Optional<Integer> number = SysfsNumbers.decimal(name);
            if (number.isPresent()) {
                ports.add(port(device + "/ports/" + name, number.get(), withNetdev));
            }
        }
        ports.sort(Comparator.comparingInt(Port::number));
        return ports;
    }

    private Port port(String folder, int number, boolean withNetdev) throws IOException {
        Port.PortState state = Port.PortState.of(files.value(folder + "/state"));
        Port.LinkLayer layer = Port.LinkLayer.of(files.value(folder + "/link_layer"));
        return new Port(
                number,
                layer,
                state,
                files.optional(folder + "/phys_state")
                        .map(text -> text.substring(text.indexOf(':') + 1).strip()),
                files.optional(folder + "/rate").flatMap(SysfsNumbers::gbps),
                layer == Port.LinkLayer.INFINIBAND
                        ? files.optional(folder + "/lid").flatMap(SysfsNumbers::lid)
                        : Optional.empty(),
                // A port that cannot carry RoCE traffic needs no search to the end of the table.
                gids(folder, layer == Port.LinkLayer.ETHERNET && state == Port.PortState.ACTIVE && withNetdev));
    }

    /**
     * Reads the used slots. The kernel fills the lowest empty slot first, so several empty ones in a row end the
     * reading.
     */
    private List<Gid.GidEntry> gids(String port, boolean thorough) {
        List<Gid.GidEntry> entries = new ArrayList<>();
        int run = 0;
        boolean sought = thorough;
        for (int index = 0; index < MOST_SLOTS && (sought || run < EMPTY_RUN); index++) {
            Optional<Gid> gid;
            try {
                gid = Gid.parse(files.value(port + "/gids/" + index));
            } catch (IOException endOfTable) {
                break;
            }
            if (gid.isEmpty() || gid.get().isZero()) {
                run++;
                continue;
            }
            run = 0;
            Gid.GidEntry entry = entry(port, index, gid.get());
            entries.add(entry);
            sought &= !(entry.isUsable() && entry.gid().ipv4().isPresent());
        }
        return entries;
    }

    private Gid.GidEntry entry(String port, int index, Gid gid) {
        return new Gid.GidEntry(
                index,
                gid,
                files.optional(port + "/gid_attrs/types/" + index)
                        .map(Gid.GidType::of)
                        .orElse(Gid.GidType.UNLISTED),
                files.optional(port + "/gid_attrs/ndevs/" + index).flatMap(InterfaceName::parse));
    }
}
