package io.imexagent.rdma.selection;

import io.imexagent.core.claim.Quoted;
import io.imexagent.rdma.inventory.GidEntry;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.Uplinks;
import io.imexagent.rdma.selection.NicClass.Cause;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Puts a NIC into its class. The first class that fits is its class; the host's own traffic comes first. */
final class Classifier {

    private final Uplinks uplinks;
    private final SelectionPolicy policy;

    Classifier(Uplinks uplinks, SelectionPolicy policy) {
        this.uplinks = uplinks;
        this.policy = policy;
    }

    NicClass of(NicReading reading) {
        return switch (reading) {
            case NicReading.Failed failed -> new NicClass.Unusable(Cause.UNREADABLE, failed.reason());
            case NicReading.WithoutRdma without ->
                new NicClass.Unusable(
                        Cause.NO_RDMA_DEVICE,
                        "it has no RDMA device: "
                                + without.pci()
                                        .driver()
                                        .map(driver -> "it is bound to " + driver)
                                        .orElse("no driver is bound to it"));
            case NicReading.Read read -> of(read.nic());
        };
    }

    private NicClass of(Nic nic) {
        Optional<String> uplink = uplink(nic);
        boolean included = isNamed(nic, policy.include());
        if (uplink.isPresent() && !(included && policy.includeUplinks())) {
            return new NicClass.Uplink(uplink.get());
        }
        if (!included) {
            Optional<NicClass> kept = keptBack(nic);
            if (kept.isPresent()) {
                return kept.get();
            }
        }
        return usable(nic);
    }

    /** Why the NIC is an uplink, or empty. */
    private Optional<String> uplink(Nic nic) {
        return switch (uplinks) {
            case Uplinks.Known known ->
                nic.netdevs().stream()
                        .flatMap(name -> Optional.ofNullable(known.reasons().get(name)).stream()
                                .map(reason -> name + " " + reason))
                        .findFirst();
            case Uplinks.Unknown unknown -> Optional.empty();
        };
    }

    /** Whether one of its names is in the list. */
    static boolean isNamed(Nic nic, Set<String> names) {
        return names.contains(nic.name().text())
                || nic.interfaceName()
                        .filter(name -> names.contains(name.text()))
                        .isPresent();
    }

    /** The classes out of which an include list takes a NIC. */
    private Optional<NicClass> keptBack(Nic nic) {
        if (excludedBy(nic).isPresent()) {
            return Optional.of(new NicClass.Uplink(excludedBy(nic).get()));
        }
        if (nic.pci().physicalFunction().isPresent()) {
            return Optional.of(new NicClass.VirtualFunction("it is a virtual function of "
                    + nic.pci().physicalFunction().get()));
        }
        return nic.pci()
                .id()
                .filter(policy.storage()::contains)
                .map(id -> new NicClass.Storage("its PCI device " + id + " is one for storage"));
    }

    /** Why the exclude pattern holds the NIC back, or empty. */
    Optional<String> excludedBy(Nic nic) {
        return policy.exclude()
                .flatMap(pattern -> nic.interfaceName()
                        .map(InterfaceName::text)
                        .filter(name -> pattern.matcher(name).find())
                        .map(name -> name + " matches the exclude pattern " + Quoted.of(pattern.pattern())));
    }

    private NicClass usable(Nic nic) {
        if (uplinks instanceof Uplinks.Unknown unknown) {
            return new NicClass.Unusable(
                    Cause.UPLINKS_UNKNOWN, "it cannot be told whether it is an uplink: " + unknown.reason());
        }
        if (nic.uverbs().isEmpty()) {
            return new NicClass.Unusable(Cause.NO_UVERBS, "there is no uverbs node for it");
        }
        if (nic.ports().isEmpty()) {
            return new NicClass.Unusable(Cause.NO_PORT, "it has no port");
        }
        return usablePort(nic)
                .<NicClass>map(port -> new NicClass.Rail(railReason(nic, port)))
                .orElseGet(() -> fault(nic));
    }

    private static String railReason(Nic nic, Port port) {
        return switch (port.linkLayer()) {
            case INFINIBAND ->
                "InfiniBand, port " + port.number() + " is ACTIVE with LID "
                        + port.lid().orElse(0);
            case ETHERNET, UNTOLD ->
                "Ethernet, port " + port.number() + " is ACTIVE"
                        + port.bestGid(nic.interfaceName())
                                .map(gid -> " with GID " + gid.index() + address(gid))
                                .orElse("");
        };
    }

    private static String address(GidEntry gid) {
        return gid.gid().ipv4().map(ipv4 -> " (" + ipv4 + ")").orElse("");
    }

    /** The first port that can carry RDMA traffic. */
    static Optional<Port> usablePort(Nic nic) {
        return nic.ports().stream().filter(port -> fault(nic, port).isEmpty()).findFirst();
    }

    /** Of several ports, each with a fault, that of the one that got furthest. */
    private static NicClass.Unusable fault(Nic nic) {
        List<NicClass.Unusable> faults =
                nic.ports().stream().flatMap(port -> fault(nic, port).stream()).toList();
        return faults.stream()
                .max((left, right) -> left.cause().compareTo(right.cause()))
                .map(worst -> new NicClass.Unusable(
                        worst.cause(),
                        faults.stream()
                                .map(NicClass.Unusable::reason)
                                .distinct()
                                .collect(Collectors.joining("; "))))
                .orElseThrow();
    }

    private static Optional<NicClass.Unusable> fault(Nic nic, Port port) {
        String name = "port " + port.number();
        if (port.linkLayer() == LinkLayer.UNTOLD) {
            return unusable(Cause.UNREADABLE, name + " tells neither Ethernet nor InfiniBand");
        }
        if (port.linkLayer() == LinkLayer.ETHERNET && nic.netdev().isEmpty()) {
            return unusable(
                    Cause.NO_NETDEV, "none of its interfaces is in the host's network namespace; it was moved away");
        }
        if (!port.isActive()) {
            return unusable(
                    Cause.PORT_DOWN,
                    name + " is " + port.state().text()
                            + port.physicalState()
                                    .map(state -> " (" + state + ")")
                                    .orElse(""));
        }
        if (port.linkLayer() == LinkLayer.INFINIBAND) {
            return port.lid().isEmpty() ? unusable(Cause.NO_LID, name + " has no LID") : Optional.empty();
        }
        return port.bestGid(nic.interfaceName()).isPresent()
                ? Optional.empty()
                : unusable(Cause.NO_ADDRESS, "RDMA netdev " + label(nic) + " has no IPv4 address");
    }

    private static String label(Nic nic) {
        return nic.interfaceName().map(InterfaceName::text).orElse(nic.name().text());
    }

    private static Optional<NicClass.Unusable> unusable(Cause cause, String reason) {
        return Optional.of(new NicClass.Unusable(cause, reason));
    }
}
