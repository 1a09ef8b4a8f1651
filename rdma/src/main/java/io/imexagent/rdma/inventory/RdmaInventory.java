package io.imexagent.rdma.inventory;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The RDMA side of a node at one moment: everything that selection and planning may know about it.
 *
 * @param nics its NICs, RDMA devices by name and then NICs without one by address
 * @param gpus the GPUs whose place is known, by index
 * @param subnets the IPv4 subnets of the interfaces of NICs, as far as routes tell, by interface; also those interfaces
 *     that are no NIC's and share such a subnet
 * @param arp the ARP settings of these interfaces, and of those of NICs that have an IPv4 address
 * @param management the nodes {@code umadN} and {@code issmN} of each RDMA device
 * @param rdmaCm the node {@code rdma_cm}; empty where the module is not loaded
 */
public record RdmaInventory(
        List<NicReading> nics,
        List<GpuPlace> gpus,
        Uplinks uplinks,
        Map<InterfaceName, List<Ipv4.Subnet>> subnets,
        Map<InterfaceName, ArpSettings> arp,
        Map<String, List<DeviceNode>> management,
        Optional<DeviceNode> rdmaCm,
        NetnsMode netnsMode,
        GpuDirect gpuDirect) {

    public RdmaInventory {
        nics = List.copyOf(nics);
        gpus = List.copyOf(gpus);
        subnets = Map.copyOf(subnets);
        arp = Map.copyOf(arp);
        management = Map.copyOf(management);
    }

    /** The NICs that were read. */
    public List<Nic> readNics() {
        return nics.stream().flatMap(reading -> reading.asNic().stream()).toList();
    }

    /** The same with other uplinks. */
    public RdmaInventory with(Uplinks others) {
        return new RdmaInventory(nics, gpus, others, subnets, arp, management, rdmaCm, netnsMode, gpuDirect);
    }

    /** Which interfaces carry the host's own traffic. */
    public sealed interface Uplinks {

        /** Which interface of the NIC does and why, as a clause; empty where none is known to. */
        default Optional<String> through(Nic nic) {
            return this instanceof Known known
                    ? nic.netdevs().stream()
                            .filter(known.reasons::containsKey)
                            .findFirst()
                            .map(name -> name + " " + known.reasons.get(name))
                    : Optional.empty();
        }

        /**
         * These, each with the reason, as a clause: {@code carries the IPv4 default route}; and the interfaces of IPv4
         * default routes that may have further next hops, which the kernel's file does not show; none where the
         * operator has named uplinks.
         */
        record Known(Map<InterfaceName, String> reasons, Set<InterfaceName> firstHops) implements Uplinks {

            public Known {
                reasons = Map.copyOf(reasons);
                firstHops = Set.copyOf(firstHops);
            }
        }

        /** It cannot be told, for this reason (a clause), so nothing may be taken for a rail. */
        record Unknown(String reason) implements Uplinks {}
    }

    /** Whether network namespaces share RDMA devices, {@code netns_mode} of ib_core. */
    public sealed interface NetnsMode {

        /** A device is seen in every namespace; the kernel's default. */
        record Shared() implements NetnsMode {}

        /** A device is seen in one namespace only, and a container without it in its own sees none. */
        record Exclusive() implements NetnsMode {}

        /** The kernel did not tell, for this reason (a clause). */
        record Unknown(String reason) implements NetnsMode {}

        default String text() {
            return switch (this) {
                case Shared _ -> "shared";
                case Exclusive _ -> "exclusive";
                case Unknown _ -> "not told";
            };
        }
    }

    /**
     * Whether NICs can reach the memory of GPUs without a copy through the host's, and what shows it or is missing, a
     * clause.
     */
    public record GpuDirect(Way way, String reason) {

        /** The way in a word. */
        public String text() {
            return way.text;
        }

        /** How NICs reach that memory. */
        public enum Way {
            /** Kernel 5.12 or later and the open kernel modules. */
            DMA_BUF("dma-buf"),
            /** The module nvidia-peermem. */
            PEERMEM("peermem"),
            NONE("none");

            private final String text;

            Way(String text) {
                this.text = text;
            }
        }
    }
}
