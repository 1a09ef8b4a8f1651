package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Finding.Severity;
import io.imexagent.rdma.inventory.ArpSettings;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.Subnet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds rails of one IPv4 subnet that would answer ARP for each other: peers then send frames to the wrong port, and
 * transfers end with status 12, retry exceeded.
 */
final class SharedSubnets {

    private SharedSubnets() {}

    static List<Finding> findings(RdmaInventory inventory, List<Rail> rails) {
        List<Finding> findings = new ArrayList<>();
        bySubnet(inventory, rails).forEach((subnet, members) -> {
            List<String> lax = members.stream()
                    .flatMap(rail -> shortcomings(inventory, rail).stream())
                    .toList();
            if (members.size() > 1 && !lax.isEmpty()) {
                findings.add(new Finding(
                        "rdma-arp-shared-subnet",
                        Severity.WARNING,
                        SelectionFindings.joined(members) + " share the subnet " + subnet
                                + " and would answer ARP for each other: " + String.join("; ", lax),
                        "set arp_announce=2 arp_ignore=1 arp_filter=1 rp_filter=1 under net.ipv4.conf for each of them,"
                                + " and rp_filter of 'all' to 1 or 0"));
            }
        });
        return findings;
    }

    private static Map<Subnet, List<Rail>> bySubnet(RdmaInventory inventory, List<Rail> rails) {
        Map<Subnet, List<Rail>> groups = new LinkedHashMap<>();
        for (Rail rail : rails) {
            subnet(inventory, rail)
                    .ifPresent(subnet -> groups.computeIfAbsent(subnet, first -> new ArrayList<>())
                            .add(rail));
        }
        return groups;
    }

    private static Optional<Subnet> subnet(RdmaInventory inventory, Rail rail) {
        Optional<Ipv4> address = rail.gid().flatMap(gid -> gid.gid().ipv4());
        return rail.nic()
                .interfaceName()
                .flatMap(name -> address.flatMap(one -> inventory.subnets().getOrDefault(name, List.of()).stream()
                        .filter(subnet -> subnet.contains(one))
                        .findFirst()));
    }

    private static Optional<String> shortcomings(RdmaInventory inventory, Rail rail) {
        return rail.nic()
                .interfaceName()
                .flatMap(name -> Optional.ofNullable(inventory.arp().get(name)))
                .map(ArpSettings::shortcomings)
                .filter(list -> !list.isEmpty())
                .map(list -> rail.label() + ": " + list.stream().collect(Collectors.joining(", ")));
    }
}
