package io.imexagent.rdma.probe;

import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.DeviceNumber;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaDeviceName;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/** Reads all NICs. Each fails alone: one that vanishes, changes or answers with an error in the middle costs no other. */
final class NicProbe {

    private static final String CLASS = "sys/class/infiniband";
    private static final String VERBS = "sys/class/infiniband_verbs";
    private static final String UVERBS = "uverbs";

    private final HostFiles files;
    private final PciProbe pci;
    private final PortProbe ports;

    NicProbe(HostFiles files) {
        this.files = files;
        this.pci = new PciProbe(files);
        this.ports = new PortProbe(files);
    }

    /** RDMA devices by name, then NICs without one by address. */
    List<NicReading> read() throws IOException {
        List<NicReading> readings = new ArrayList<>();
        Map<String, Nic.Uverbs> nodes = verbsNodes();
        Set<PciAddress> known = new HashSet<>();
        for (String device : devices()) {
            NicReading reading = read(device, Optional.ofNullable(nodes.get(device)));
            reading.address().ifPresent(known::add);
            readings.add(reading);
        }
        pci.others(known).forEach(function -> readings.add(new NicReading.WithoutRdma(function)));
        return readings;
    }

    private List<String> devices() throws IOException {
        try {
            return files.list(CLASS).stream().sorted(NicProbe::byName).toList();
        } catch (NoSuchFileException noRdma) {
            return List.of();
        }
    }

    /** The verbs nodes by the name of the RDMA device; one that cannot be read is left out. */
    private Map<String, Nic.Uverbs> verbsNodes() {
        Map<String, Nic.Uverbs> found = new HashMap<>();
        for (String name : files.names(VERBS)) {
            OptionalInt index = name.startsWith(UVERBS)
                    ? SysfsNumbers.decimal(name.substring(UVERBS.length()))
                    : OptionalInt.empty();
            if (index.isPresent()) {
                files.optional(VERBS + "/" + name + "/ibdev")
                        .ifPresent(device -> verbsNumber(index.getAsInt())
                                .ifPresent(number -> found.put(device, new Nic.Uverbs(index.getAsInt(), number))));
            }
        }
        return found;
    }

    private Optional<DeviceNumber> verbsNumber(int index) {
        return files.optional(VERBS + "/" + UVERBS + index + "/dev").flatMap(DeviceNumber::parse);
    }

    /** Whether this node still belongs to the device, under the same number. */
    private boolean isStill(Nic.Uverbs node, String device) {
        return files.optional(VERBS + "/" + node.name() + "/ibdev").equals(Optional.of(device))
                && verbsNumber(node.index()).equals(Optional.of(node.number()));
    }

    private static int byName(String left, String right) {
        Optional<RdmaDeviceName> first = RdmaDeviceName.parse(left);
        Optional<RdmaDeviceName> second = RdmaDeviceName.parse(right);
        return first.isPresent() && second.isPresent()
                ? first.get().compareTo(second.get())
                : Boolean.compare(first.isEmpty(), second.isEmpty());
    }

    private NicReading read(String device, Optional<Nic.Uverbs> node) {
        Optional<RdmaDeviceName> name = RdmaDeviceName.parse(device);
        if (name.isEmpty()) {
            return new NicReading.Failed(device, "its name is none that NCCL_IB_HCA could carry");
        }
        String folder = CLASS + "/" + device;
        try {
            String place = files.target(folder);
            PciFunction function = pci.function(folder + "/device");
            NavigableSet<InterfaceName> netdevs = netdevs(function);
            List<Port> read = ports.read(folder, !netdevs.isEmpty());
            Optional<Nic.Netdev> own = own(netdevs, read).map(this::netdev);
            read.forEach(port -> port.gids().forEach(gid -> gid.netdev().ifPresent(netdevs::add)));
            if (!files.target(folder).equals(place)
                    || !node.map(one -> isStill(one, device)).orElse(true)) {
                // It has another place or another node than at the begin, as after a reload of its driver.
                return new NicReading.Failed(device, "it changed while it was read; the next scan reads it again");
            }
            return new NicReading.Read(new Nic(name.get(), function, node, read, own, netdevs));
        } catch (PciProbe.OutsidePciException software) {
            return new NicReading.Failed(device, String.valueOf(software.getMessage()), true);
        } catch (NoSuchFileException vanished) {
            return new NicReading.Failed(
                    device, "it vanished while it was read: " + vanished.getFile() + " is missing");
        } catch (IOException failure) {
            return new NicReading.Failed(device, String.valueOf(failure.getMessage()));
        }
    }

    /** The interfaces of the PCI function that are in this network namespace. */
    private NavigableSet<InterfaceName> netdevs(PciFunction function) {
        var names = new TreeSet<InterfaceName>();
        files.names(function.path().sysfs() + "/net")
                .forEach(name -> InterfaceName.parse(name).ifPresent(names::add));
        return names;
    }

    /** The one that the first GIDs name; a function has several where representors of virtual functions stand beside. */
    private static Optional<InterfaceName> own(NavigableSet<InterfaceName> ofFunction, List<Port> ports) {
        return ports.stream()
                .flatMap(port -> port.gids().stream())
                .flatMap(gid -> gid.netdev().stream())
                .filter(ofFunction::contains)
                .findFirst()
                .or(() -> ofFunction.stream().findFirst());
    }

    private Nic.Netdev netdev(InterfaceName name) {
        String folder = "sys/class/net/" + name;
        return new Nic.Netdev(
                name, files.optional(folder + "/address"), SysfsNumbers.decimal(files.optional(folder + "/mtu")));
    }
}
