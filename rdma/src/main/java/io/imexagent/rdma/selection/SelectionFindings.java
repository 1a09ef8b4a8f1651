package io.imexagent.rdma.selection;

import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction.PcieLink;
import io.imexagent.rdma.inventory.PciFunction.Vpd;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.selection.Choice.NicClass;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.setting.RdmaSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The findings about a selection for operators. */
final class SelectionFindings {

    private final RdmaInventory inventory;
    private final List<NicVerdict> verdicts;
    private final RdmaSettings settings;
    private final List<Finding> findings = new ArrayList<>();

    SelectionFindings(RdmaInventory inventory, List<NicVerdict> verdicts, RdmaSettings settings) {
        this.inventory = inventory;
        this.verdicts = verdicts;
        this.settings = settings;
    }

    List<Finding> all(List<String> failures) {
        List<Rail> kept = Selection.kept(verdicts);
        if (inventory.uplinks() instanceof Uplinks.UnknownUplinks unknown
                && !inventory.nics().isEmpty()) {
            findings.add(Finding.critical(
                    "rdma-uplinks-unknown",
                    "cannot tell which NICs are uplinks, so none is offered: " + unknown.reason(),
                    "make /proc/net of the host readable for the agent"));
        }
        failed();
        for (String failure : failures) {
            findings.add(Finding.critical(
                    "rdma-no-address",
                    failure + ", and rdma.strict is on, so no NIC is offered",
                    "give the interface an address, leave it out by rdma.exclude, or switch rdma.strict off"));
        }
        excluded();
        included();
        nextHops();
        tunnels();
        if (inventory.rdmaCm().isEmpty() && !kept.isEmpty()) {
            warn(
                    "rdma-cm-missing",
                    "there is no /dev/infiniband/rdma_cm, which some libraries need to connect",
                    "load the module rdma_ucm");
        }
        unreadVpd(kept);
        downtrained();
        sharedSubnets(kept);
        return findings;
    }

    private void failed() {
        for (NicVerdict verdict : verdicts) {
            if (verdict.reading() instanceof NicReading.FailedNic failed) {
                warn(
                        "rdma-nic-unreadable",
                        "RDMA device " + Quoted.of(failed.device()) + " is left out: " + failed.reason(),
                        "look at the kernel log for the device; it is read again with every scan");
            }
        }
    }

    private void excluded() {
        for (NicVerdict verdict : verdicts) {
            verdict.dropped()
                    .filter(dropped -> dropped.rule() == Choice.SelectionRule.EXCLUDED)
                    .ifPresent(dropped -> warn(
                            "rdma-nic-excluded",
                            verdict.reading().label() + " stays on the host: " + dropped.reason(),
                            dropped.remedy()));
        }
    }

    private void included() {
        for (String name : settings.include().stream().distinct().sorted().toList()) {
            List<Nic> named = inventory.readNics().stream()
                    .filter(nic -> nic.isNamed(Set.of(name)))
                    .toList();
            if (named.isEmpty()) {
                warn(
                        "rdma-include-unmatched",
                        "rdma.include names " + Quoted.of(name) + ", and there is no such NIC",
                        "correct the name, or find out with 'imex-agent rdma show' where the NIC went");
            }
            named.forEach(this::overridden);
        }
    }

    /** Reports a NIC whose protection as an uplink the operator has overridden. */
    private void overridden(Nic nic) {
        inventory
                .uplinks()
                .through(nic.netdevs())
                .filter(_ -> settings.includeUplinks())
                .ifPresent(reason -> warn(
                        "rdma-uplink-included",
                        nic.name() + " is offered although " + reason + ": rdma.include and rdma.includeUplinks say so",
                        "take it out of rdma.include unless the host can do without it"));
    }

    private void tunnels() {
        if (inventory.uplinks() instanceof Uplinks.KnownUplinks known
                && !inventory.nics().isEmpty()) {
            for (InterfaceName tunnel : known.tunnels().stream().sorted().toList()) {
                warn(
                        "rdma-uplink-unknown",
                        tunnel + " " + known.reasons().get(tunnel)
                                + ", and nothing tells by which NIC that leaves, so the" + " NIC may be offered",
                        "name the interface of that NIC in rdma.uplinks, also where it is no RDMA NIC");
            }
        }
    }

    /**
     * Reports routes with several next hops, of which the kernel's file shows one NIC; for a route over a bond, several
     * NICs have the interface.
     */
    private void nextHops() {
        if (!(inventory.uplinks() instanceof Uplinks.KnownUplinks known)) {
            return;
        }
        for (InterfaceName hop : known.firstHops().stream().sorted().toList()) {
            List<Nic> through = inventory.readNics().stream()
                    .filter(nic -> nic.netdevs().contains(hop))
                    .toList();
            if (through.size() == 1) {
                findings.add(new Finding(
                        "rdma-next-hops-unknown",
                        Severity.INFO,
                        "the IPv4 default route leaves through " + hop + " ("
                                + through.getFirst().name()
                                + "); if it has further next hops, the kernel's file does not show them, and their"
                                + " NICs do not count as uplinks",
                        "look at 'ip route show default' on the host, and name its interfaces in rdma.uplinks"));
            }
        }
    }

    private void unreadVpd(List<Rail> rails) {
        for (Rail rail : rails) {
            if (rail.nic().pci().vpd() instanceof Vpd.UnreadVpd(String reason)) {
                findings.add(new Finding(
                        "rdma-vpd-unread",
                        Severity.INFO,
                        rail.nic().name() + " is offered, and whether it serves the management of NVSwitches cannot be"
                                + " told: " + reason,
                        "run the command as root, or look at the kernel log for the device"));
            }
        }
    }

    /**
     * Reports each link that runs below its maximum once: the functions of a card share the card's link, and cards
     * behind a switch share the switch's.
     */
    private void downtrained() {
        Map<PciAddress, List<Nic>> users = new LinkedHashMap<>();
        Map<PciAddress, PcieLink> links = new LinkedHashMap<>();
        for (NicVerdict verdict : verdicts) {
            if (verdict.nicClass() != NicClass.MANAGEMENT && verdict.nicClass() != NicClass.EFA) {
                verdict.reading()
                        .asNic()
                        .ifPresent(nic -> nic.pci().links().stream()
                                .filter(PcieLink::isDowntrained)
                                .forEach(link -> {
                                    links.putIfAbsent(link.end(), link);
                                    users.computeIfAbsent(link.end(), first -> new ArrayList<>())
                                            .add(nic);
                                }));
            }
        }
        links.forEach((end, link) -> {
            List<String> names = users.getOrDefault(end, List.of()).stream()
                    .map(nic -> nic.name().text())
                    .toList();
            boolean slotKnown = link.slot().isPresent();
            findings.add(new Finding(
                    "rdma-pcie-downtrained",
                    // A card in a slower slot is not a fault.
                    slotKnown ? Severity.WARNING : Severity.INFO,
                    "the PCIe link at " + link.device() + ", over which " + String.join(", ", names)
                            + (names.size() == 1 ? " transfers" : " transfer") + ", runs at " + link.current()
                            + ", and could at " + link.most()
                            + (slotKnown ? "" : ", if its slot can, which the kernel does not tell"),
                    "look at the kernel log for PCIe errors and at the slot's limits in the firmware, reseat card and"
                            + " riser, and boot again: a link is trained at the boot"));
        });
    }

    /**
     * Reports interfaces of one subnet that answer ARP for each other, with which transfers end with status 12, retry
     * exceeded.
     */
    private void sharedSubnets(List<Rail> rails) {
        Map<Ipv4.Subnet, List<Rail>> groups = new LinkedHashMap<>();
        for (Rail rail : rails) {
            subnet(rail)
                    .ifPresent(subnet -> groups.computeIfAbsent(subnet, first -> new ArrayList<>())
                            .add(rail));
        }
        groups.forEach((subnet, members) -> {
            List<String> names = members.stream().map(Rail::label).toList();
            List<String> others = inventory.subnets().entrySet().stream()
                    .filter(entry -> entry.getValue().contains(subnet))
                    .map(entry -> entry.getKey().text())
                    .filter(name -> !names.contains(name))
                    .sorted()
                    .toList();
            List<String> lax = Stream.concat(
                            names.stream().flatMap(name -> lax(name, true)),
                            others.stream().flatMap(name -> lax(name, false)))
                    .toList();
            if (names.size() + others.size() > 1 && !lax.isEmpty()) {
                warn(
                        "rdma-arp-shared-subnet",
                        Stream.concat(names.stream().sorted(), others.stream()).collect(Collectors.joining(", "))
                                + " share the subnet " + subnet
                                + " and would answer ARP for each other: " + String.join("; ", lax),
                        "set arp_announce=2 arp_ignore=1 arp_filter=1 rp_filter=1 under net.ipv4.conf for each rail"
                                + " among them, arp_announce=2 arp_ignore=1 for each other interface, and rp_filter of"
                                + " 'all' to 1 or 0");
            }
        });
    }

    private Optional<Ipv4.Subnet> subnet(Rail rail) {
        Optional<Ipv4> address = rail.gid().map(Gid.GidEntry::gid).flatMap(Gid::ipv4);
        return rail.nic()
                .interfaceName()
                .flatMap(name -> address.flatMap(one -> inventory.subnets().getOrDefault(name, List.of()).stream()
                        .filter(subnet -> subnet.contains(one))
                        .findFirst()));
    }

    /** The interface's ARP settings that are too low, as one text. */
    private Stream<String> lax(String netdev, boolean rail) {
        return Optional.ofNullable(inventory.arp().get(new InterfaceName(netdev)))
                .map(arp -> arp.shortcomings(rail))
                .filter(list -> !list.isEmpty())
                .map(list -> netdev + ": " + String.join(", ", list))
                .stream();
    }

    private void warn(String code, String message, String remedy) {
        findings.add(Finding.warning(code, message, remedy));
    }
}
