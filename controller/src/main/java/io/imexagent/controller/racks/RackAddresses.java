package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.kubernetes.clique.NodeLinks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Finds nodes, by number, by the addresses in the reports of others. A node claims its address in its IMEX domain;
 * without that address, those of its host in its file of nodes. A Node's own name is always that Node.
 */
final class RackAddresses {

    private final List<ReportedNode> trays;
    private final List<NodeIdentity> nodes;
    private final NodeDirectory directory;
    private final Map<NodeIdentity, Integer> byName = new HashMap<>();

    RackAddresses(List<ReportedNode> trays) {
        this.trays = trays;
        nodes = trays.stream().map(RackAddresses::identity).toList();
        directory = new NodeDirectory(nodes);
        for (int tray = 0; tray < trays.size(); tray++) {
            byName.put(NodeIdentity.of(List.of(trays.get(tray).name())), tray);
        }
    }

    /** The nodes, by number. */
    List<ReportedNode> trays() {
        return trays;
    }

    private static NodeIdentity identity(ReportedNode tray) {
        boolean known = tray.status()
                .links()
                .map(NodeLinks::address)
                .filter(address -> !address.isEmpty())
                .isPresent();
        return tray.status()
                .identity(tray.name())
                .and(NodeIdentity.of(tray.status().nodesFile().stream()
                        .filter(file -> !known)
                        .flatMap(file -> Stream.concat(file.ownLine(), file.addressList().stream()))
                        .toList()));
    }

    /**
     * The nodes that an address names: one, or all that claim the same address. None if it names no node, or is a name
     * without a domain that several nodes have.
     */
    Set<Integer> named(String address) {
        NodeIdentity called = NodeIdentity.of(List.of(address));
        Integer own = byName.get(called);
        if (own != null) {
            return Set.of(own);
        }
        Set<Integer> fitting = directory.fitting(called);
        return fitting.size() == 1
                        || fitting.stream()
                                .allMatch(node -> nodes.get(node).known().containsAll(called.known()))
                ? fitting
                : Set.of();
    }

    boolean fitsNone(String address) {
        return directory.fitting(NodeIdentity.of(List.of(address))).isEmpty();
    }

    /** The addresses that several nodes claim, with these nodes. The claim of a node that does not answer is old. */
    SortedMap<String, Set<Integer>> claimed() {
        Map<NodeAddress, Set<Integer>> claims = new HashMap<>();
        for (int node = 0; node < nodes.size(); node++) {
            for (NodeAddress address : trays.get(node).lost()
                    ? Set.<NodeAddress>of()
                    : nodes.get(node).known()) {
                claims.computeIfAbsent(address, none -> new TreeSet<>()).add(node);
            }
        }
        SortedMap<String, Set<Integer>> several = new TreeMap<>();
        claims.forEach((address, claimants) -> {
            if (claimants.size() > 1) {
                several.put(address.toString(), claimants);
            }
        });
        return several;
    }
}
