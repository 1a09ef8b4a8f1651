package io.imexagent.rdma.inventory;

import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.text.DisplayedName;
import io.imexagent.rdma.inventory.PciFunction.PciPath;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The RDMA devices and network of a node at one moment: the input of selection and planning.
 *
 * @param nics its NICs, RDMA devices by name and then NICs without one by address
 * @param gpus the GPUs whose place is known, by index
 * @param subnets the IPv4 subnets of the interfaces of NICs, as far as routes tell, by interface; also those interfaces
 *     that are no NIC's and share such a subnet
 * @param arp the ARP settings of these interfaces, and of those of NICs that have an IPv4 address
 * @param management the nodes {@code umadN} and {@code issmN} of each RDMA device
 * @param seLinux whether SELinux is enforced
 * @param rdmaCm the node {@code rdma_cm}; empty where the module is not loaded
 */
public record RdmaInventory(
        List<NicReading> nics,
        List<GpuPlace> gpus,
        Uplinks uplinks,
        Map<InterfaceName, List<Ipv4.Subnet>> subnets,
        Map<InterfaceName, ArpSettings> arp,
        Map<String, List<DeviceNodeEdits>> management,
        Optional<DeviceNodeEdits> rdmaCm,
        NetnsMode netnsMode,
        GpuDirect gpuDirect,
        boolean seLinux) {

    public RdmaInventory {
        nics = List.copyOf(nics);
        gpus = List.copyOf(gpus);
        subnets = Map.copyOf(subnets);
        arp = Map.copyOf(arp);
        management = Map.copyOf(management);
    }

    public List<Nic> readNics() {
        return nics.stream().flatMap(reading -> reading.asNic().stream()).toList();
    }

    public RdmaInventory with(Uplinks others) {
        return new RdmaInventory(nics, gpus, others, subnets, arp, management, rdmaCm, netnsMode, gpuDirect, seLinux);
    }

    /** The interfaces that carry the host's own traffic. */
    public sealed interface Uplinks {

        /**
         * The first of a NIC's interfaces that carries the host's traffic, and why, as a clause; empty if none is known
         * to.
         */
        default Optional<String> through(Collection<InterfaceName> netdevs) {
            return this instanceof KnownUplinks known
                    ? netdevs.stream()
                            .filter(known.reasons::containsKey)
                            .findFirst()
                            .map(name -> name + " " + known.reasons.get(name))
                    : Optional.empty();
        }

        /**
         * These, each with the reason, as a clause: {@code carries the IPv4 default route}; and the interfaces of IPv4
         * default routes that may have further next hops, which the kernel's file does not show; and taps
         * and tunnels of which nothing tells by which NIC they leave. None of either where the operator has named uplinks.
         */
        record KnownUplinks(
                Map<InterfaceName, String> reasons, Set<InterfaceName> firstHops, Set<InterfaceName> tunnels)
                implements Uplinks {

            public KnownUplinks {
                reasons = Map.copyOf(reasons);
                firstHops = Set.copyOf(firstHops);
                tunnels = Set.copyOf(tunnels);
            }
        }

        /** The uplinks are unknown, so no NIC may be offered as a rail; the reason is a clause. */
        record UnknownUplinks(String reason) implements Uplinks {}
    }

    /** Whether network namespaces share RDMA devices, {@code netns_mode} of ib_core. */
    public sealed interface NetnsMode {

        /** A device is visible in every namespace; the kernel's default. */
        record SharedNetns() implements NetnsMode {}

        /** A device is visible in one namespace only; a container sees only the devices of its own namespace. */
        record ExclusiveNetns() implements NetnsMode {}

        /** The mode could not be read; the reason is a clause. */
        record UnknownNetns(String reason) implements NetnsMode {}

        default String text() {
            return switch (this) {
                case SharedNetns _ -> "shared";
                case ExclusiveNetns _ -> "exclusive";
                case UnknownNetns _ -> "not told";
            };
        }
    }

    /** Whether NICs access GPU memory without a copy through the host's memory, and the evidence for or against it. */
    public record GpuDirect(GpuDirectMethod way, String reason) {

        public String text() {
            return way.text();
        }

        public enum GpuDirectMethod implements DisplayedName {
            /** Kernel 5.12 or later and the open kernel modules. */
            DMA_BUF,
            /** The module nvidia-peermem. */
            PEERMEM,
            NONE
        }
    }

    /**
     * The effective ARP settings of an interface: the larger of those for all interfaces and its own (ip-sysctl.rst);
     * the filter is 0 or 1.
     */
    public record ArpSettings(int announce, int ignore, int filter, int reversePath) {

        /** The larger value of each setting, which is the one that the kernel applies. */
        public ArpSettings strictest(ArpSettings other) {
            return new ArpSettings(
                    Math.max(announce, other.announce),
                    Math.max(ignore, other.ignore),
                    Math.max(filter, other.filter),
                    Math.max(reversePath, other.reversePath));
        }

        /**
         * The settings that are too low for several rails in one subnet, each as {@code arp_ignore=0, needs 1}. For an
         * interface that is not a rail, only settings that let it answer for rails or announce their addresses.
         */
        public List<String> shortcomings(boolean rail) {
            return Stream.of(
                            announce >= 2 ? "" : "arp_announce=" + announce + ", needs 2",
                            ignore >= 1 ? "" : "arp_ignore=" + ignore + ", needs 1",
                            !rail || filter >= 1 ? "" : "arp_filter=" + filter + ", needs 1",
                            !rail || reversePath == 1 ? "" : "rp_filter=" + reversePath + ", needs 1")
                    .filter(shortcoming -> !shortcoming.isEmpty())
                    .toList();
        }
    }

    /**
     * The place of a GPU in the PCI tree, with its index and UUID of NVML. The NUMA node is empty if the firmware
     * reports none.
     */
    public record GpuPlace(int index, String uuid, PciPath path, Optional<Integer> numaNode) {

        /** The distance of the NIC from this GPU. An unknown NUMA node is near no other. */
        public Distance from(PciFunction nic) {
            if (nic.path().root().equals(path.root())) {
                return nic.path().sharedBridges(path) > 0 ? Distance.SAME_SWITCH : Distance.SAME_ROOT;
            }
            return numaNode.isPresent() && numaNode.equals(nic.numaNode()) ? Distance.SAME_NUMA_NODE : Distance.SYSTEM;
        }

        /** The distance of a NIC from a GPU, the nearest first. */
        public enum Distance {
            /** Both are below a common PCI bridge; {@link PciPath#sharedBridges} counts such bridges. */
            SAME_SWITCH("same switch"),
            /** Both are below one PCI root, and share no bridge. */
            SAME_ROOT("same root"),
            /**
             * Both are on one NUMA node: the nearest possible on Grace, where each GPU and each NIC has a PCI root of
             * its own.
             */
            SAME_NUMA_NODE("same NUMA node"),
            /** Both are in one system, and share nothing else as far as the firmware reports. */
            SYSTEM("system");

            private final String text;

            Distance(String text) {
                this.text = text;
            }

            public String text() {
                return text;
            }
        }
    }
}
