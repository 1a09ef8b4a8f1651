package io.imexagent.rdma.selection;

import io.imexagent.core.claim.Quoted;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.selection.NicClass.Cause;
import io.imexagent.rdma.selection.NicClass.Unusable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
            case NicReading.Failed failed -> new Unusable(Cause.UNREADABLE, failed.reason());
            case NicReading.WithoutRdma(PciFunction pci) ->
                new Unusable(
                        Cause.NO_RDMA_DEVICE,
                        "it has no RDMA device: "
                                + pci.driver()
                                        .map(driver -> "it is bound to " + driver)
                                        .orElse("no driver is bound to it"));
            case NicReading.Read(Nic nic) -> of(nic);
        };
    }

    private NicClass of(Nic nic) {
        Optional<NicClass> uplink = uplink(nic);
        boolean included = nic.isNamed(policy.include());
        if (uplink.isPresent() && !(included && policy.includeUplinks())) {
            return uplink.get();
        }
        return (included ? Optional.<NicClass>empty() : keptBack(nic)).orElseGet(() -> usable(nic));
    }

    private Optional<NicClass> uplink(Nic nic) {
        return uplinks instanceof Uplinks.Known known
                ? nic.netdevs().stream()
                        .filter(known.reasons()::containsKey)
                        .findFirst()
                        .map(name ->
                                new NicClass.Uplink(name + " " + known.reasons().get(name), false))
                : Optional.empty();
    }

    /** The classes out of which an include list takes a NIC. */
    private Optional<NicClass> keptBack(Nic nic) {
        return excluded(nic)
                .or(() -> nic.pci()
                        .physicalFunction()
                        .map(function -> new NicClass.VirtualFunction("it is a virtual function of " + function)))
                .or(() -> nic.pci()
                        .id()
                        .filter(policy.storage()::contains)
                        .map(id -> new NicClass.Storage("its PCI device " + id + " is one for storage")));
    }

    private Optional<NicClass> excluded(Nic nic) {
        return policy.exclude()
                .flatMap(pattern -> nic.interfaceName()
                        .map(InterfaceName::text)
                        .filter(name -> pattern.matcher(name).find())
                        .map(name -> new NicClass.Uplink(
                                name + " matches the exclude pattern " + Quoted.of(pattern.pattern()), true)));
    }

    private NicClass usable(Nic nic) {
        if (uplinks instanceof Uplinks.Unknown unknown) {
            return new Unusable(Cause.UPLINKS_UNKNOWN, "cannot tell whether it is an uplink: " + unknown.reason());
        }
        if (nic.uverbs().isEmpty()) {
            return new Unusable(Cause.NO_UVERBS, "there is no uverbs node for it");
        }
        if (nic.ports().isEmpty()) {
            return new Unusable(Cause.NO_PORT, "it has no port");
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

    private static String address(Gid.Entry gid) {
        return gid.gid().ipv4().map(ipv4 -> " (" + ipv4 + ")").orElse("");
    }

    /** The first port that can carry RDMA traffic. */
    static Optional<Port> usablePort(Nic nic) {
        return nic.ports().stream().filter(port -> fault(nic, port).isEmpty()).findFirst();
    }

    /** Of several ports, each with a fault, the cause of the one that got furthest, and all reasons. */
    private static Unusable fault(Nic nic) {
        List<Unusable> faults =
                nic.ports().stream().flatMap(port -> fault(nic, port).stream()).toList();
        return new Unusable(
                faults.stream()
                        .map(Unusable::cause)
                        .max(Comparator.naturalOrder())
                        .orElseThrow(),
                faults.stream().map(Unusable::reason).distinct().collect(Collectors.joining("; ")));
    }

    private static Optional<Unusable> fault(Nic nic, Port port) {
        String name = "port " + port.number();
        boolean ethernet = port.linkLayer() == Port.LinkLayer.ETHERNET;
        if (port.linkLayer() == Port.LinkLayer.UNTOLD) {
            return unusable(Cause.UNREADABLE, name + " is neither Ethernet nor InfiniBand");
        }
        if (ethernet && nic.netdev().isEmpty()) {
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
        if (!ethernet) {
            return port.lid().isEmpty() ? unusable(Cause.NO_LID, name + " has no LID") : Optional.empty();
        }
        return port.bestGid(nic.interfaceName()).isPresent()
                ? Optional.empty()
                : unusable(Cause.NO_ADDRESS, "RDMA netdev " + nic.label() + " has no IPv4 address");
    }

    private static Optional<Unusable> unusable(Cause cause, String reason) {
        return Optional.of(new Unusable(cause, reason));
    }
}
