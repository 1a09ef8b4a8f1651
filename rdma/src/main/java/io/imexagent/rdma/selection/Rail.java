package io.imexagent.rdma.selection;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.GpuPlace;
import io.imexagent.rdma.inventory.RdmaInventory.GpuPlace.Distance;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A NIC that is offered to containers, with its port, its GID on Ethernet, and the nearest GPUs by index, if any is
 * near.
 */
public record Rail(
        Nic nic,
        DeviceNodeEdits uverbs,
        Port port,
        Optional<Gid.GidEntry> gid,
        Distance distance,
        List<GpuPlace> nearestGpus) {

    private static final Pattern DEVICE_NAME = Pattern.compile("rail-([0-9a-f]{4,8}-[0-9a-f]{2}-[0-9a-f]{2})-([0-7])");

    public Rail {
        nearestGpus = List.copyOf(nearestGpus);
    }

    /** The NIC as a rail that uses this port, near these GPUs; empty without a device node. */
    public static Optional<Rail> of(Nic nic, Port port, List<GpuPlace> gpus) {
        Distance distance = gpus.stream()
                .map(gpu -> gpu.from(nic.pci()))
                .min(Comparator.naturalOrder())
                .orElse(Distance.SYSTEM);
        List<GpuPlace> nearest = distance == Distance.SYSTEM ? List.of() : nearest(nic.pci(), gpus, distance);
        return nic.uverbs()
                .map(uverbs -> new Rail(nic, uverbs, port, port.bestGid(nic.interfaceName()), distance, nearest));
    }

    /**
     * Those of the GPUs at this distance that share most bridges with the NIC: with two tiers of switches, those on the
     * NIC's own switch.
     */
    private static List<GpuPlace> nearest(PciFunction nic, List<GpuPlace> gpus, Distance distance) {
        List<GpuPlace> near =
                gpus.stream().filter(gpu -> gpu.from(nic) == distance).toList();
        int most = near.stream()
                .mapToInt(gpu -> nic.path().sharedBridges(gpu.path()))
                .max()
                .orElse(0);
        return near.stream()
                .filter(gpu -> nic.path().sharedBridges(gpu.path()) == most)
                .toList();
    }

    /**
     * The name of the device, a DNS label made of the PCI address; other names change with the order in which drivers
     * load.
     */
    public String deviceName() {
        return deviceName(nic.pci().address());
    }

    /** The name of the device at this address. */
    public static String deviceName(PciAddress address) {
        return "rail-" + address.toString().replace(':', '-').replace('.', '-');
    }

    /** The address in the name of a device; empty if it is not the name of a rail. */
    public static Optional<PciAddress> address(String deviceName) {
        Matcher name = DEVICE_NAME.matcher(deviceName);
        return name.matches()
                ? PciAddress.parse(name.group(1).replace('-', ':') + "." + name.group(2))
                : Optional.empty();
    }

    /** The ports that NCCL may use: all that carry traffic, or the rail's port if none does. */
    private List<Port> usable() {
        List<Port> usable = nic.ports().stream().filter(Port::isUsable).toList();
        return usable.isEmpty() ? List.of(port) : usable;
    }

    /** The entries of NCCL_IB_HCA: the device, with its usable ports if it also has unusable ones. */
    private Stream<String> hcas() {
        List<Port> usable = usable();
        return usable.size() == nic.ports().size()
                ? Stream.of(nic.name().text())
                : usable.stream().map(one -> nic.name() + ":" + one.number());
    }

    /** The rail's name for people and peers, {@link Nic#label}. */
    public String label() {
        return nic.label();
    }

    /** The indices of the nearest GPUs, separated by commas. */
    public String gpuIndices() {
        return nearestGpus.stream().map(gpu -> Integer.toString(gpu.index())).collect(Collectors.joining(","));
    }

    /**
     * The value of {@code NCCL_IB_HCA}; empty without rails, since an empty list means all. It begins with {@code =}:
     * otherwise NCCL takes names as prefixes, {@code mlx5_1} for {@code mlx5_10} too.
     */
    public static Optional<String> ncclIbHca(Collection<Rail> rails) {
        return rails.isEmpty()
                ? Optional.empty()
                : Optional.of(rails.stream()
                        .sorted(Comparator.comparing(rail -> rail.nic().name()))
                        .flatMap(Rail::hcas)
                        .distinct()
                        .collect(Collectors.joining(",", "=", "")));
    }

    /**
     * The value of {@code NCCL_IB_GID_INDEX}, if all rails are Ethernet with one index; otherwise NCCL determines it.
     */
    public static Optional<Integer> ncclGidIndex(Collection<Rail> rails) {
        List<Optional<Integer>> indices = rails.stream()
                .flatMap(rail -> rail.usable().stream()
                        .map(one -> one.bestGid(rail.nic().interfaceName()).map(Gid.GidEntry::index)))
                .distinct()
                .toList();
        return indices.size() == 1 ? indices.getFirst() : Optional.empty();
    }

    /** {@code NCCL_IB_ADDR_FAMILY} if all GIDs are IPv6: NCCL's default is IPv4. */
    public static Optional<String> ncclAddressFamily(Collection<Rail> rails) {
        boolean ipv6 = !rails.isEmpty()
                && rails.stream()
                        .allMatch(rail -> rail.gid().stream()
                                .anyMatch(entry -> entry.gid().ipv4().isEmpty()));
        return ipv6 ? Optional.of("AF_INET6") : Optional.empty();
    }
}
