package io.imexagent.rdma.dra;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimEdits.Edits;
import io.imexagent.core.claim.ClaimEdits.Hook;
import io.imexagent.core.claim.ClaimEdits.Interface;
import io.imexagent.core.claim.ClaimEdits.Mount;
import io.imexagent.core.claim.ClaimEdits.Node;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.rdma.selection.NcclSettings;
import io.imexagent.rdma.selection.Rail;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What the containers of a claim get: of each rail its verbs node, and once the connection manager's, the environment and
 * the topology file. Pure.
 */
final class RailEdits {

    static final String RDMA_CM = "/dev/infiniband/rdma_cm";

    private RailEdits() {}

    static ClaimEdits of(ClaimUid claim, List<Rail> rails, RailConfig config, RailNode node) {
        var devices = new TreeMap<String, ClaimEdits.Device>();
        for (Rail rail : rails) {
            devices.put(
                    RailDriver.cdiDevice(claim, rail.deviceName()),
                    new ClaimEdits.Device(
                            rail.nic().name().text(),
                            new Edits(
                                    nodes(rail, config, node),
                                    List.of(),
                                    interfaces(rail, config),
                                    List.of(),
                                    List.of())));
        }
        return new ClaimEdits(shared(rails, config, node), devices);
    }

    /** The interface keeps its name: people and NCCL_SOCKET_IFNAME know it by that. */
    private static List<Interface> interfaces(Rail rail, RailConfig config) {
        return config.mode() == RailConfig.Mode.NETDEV
                ? rail.nic().interfaceName().stream()
                        .map(name -> new Interface(name.text(), name.text()))
                        .toList()
                : List.of();
    }

    /** ARP is set up where the interfaces arrive: the kernel resets it when they change their namespace. */
    private static List<Hook> hooks(List<Rail> rails, RailConfig config, RailNode node) {
        List<String> moved = rails.stream()
                .flatMap(rail -> interfaces(rail, config).stream())
                .map(Interface::inContainer)
                .toList();
        return node.netdev() instanceof NetdevSupport.Supported supported && !moved.isEmpty()
                ? List.of(new Hook("createRuntime", supported.hook(), moved))
                : List.of();
    }

    private static List<Node> nodes(Rail rail, RailConfig config, RailNode node) {
        var nodes = new ArrayList<Node>();
        nodes.add(new Node(
                rail.uverbs().path(),
                rail.uverbs().number().major(),
                rail.uverbs().number().minor()));
        if (config.wantsManagement()) {
            nodes.addAll(node.management().of(rail.nic().name(), config.umad(), config.issm()));
        }
        return nodes;
    }

    private static Edits shared(List<Rail> rails, RailConfig config, RailNode node) {
        List<Node> nodes = node.inventory().rdmaCm().stream()
                .map(number -> new Node(RDMA_CM, number.major(), number.minor()))
                .toList();
        List<Mount> mounts = hostTopology(config, node).stream().map(Mount::new).toList();
        List<String> environment = environment(rails, config, node).entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .toList();
        return new Edits(nodes, environment, List.of(), mounts, hooks(rails, config, node));
    }

    private static Map<String, String> environment(List<Rail> rails, RailConfig config, RailNode node) {
        var variables = new LinkedHashMap<String, String>();
        config.hca()
                .or(() -> config.nccl() ? NcclSettings.ibHca(rails) : Optional.empty())
                .ifPresent(value -> variables.put("NCCL_IB_HCA", value));
        (config.gidIndex().isPresent() ? config.gidIndex() : derivedGidIndex(rails, config))
                .ifPresent(index -> variables.put("NCCL_IB_GID_INDEX", Integer.toString(index)));
        config.topologyFile()
                .or(() -> hostTopology(config, node))
                .ifPresent(file -> variables.put("NCCL_TOPO_FILE", file));
        variables.putAll(config.debug());
        return variables;
    }

    /**
     * The index on the host, which holds while the interfaces stay there. The GIDs of an interface that changes its namespace
     * are deleted and added anew ({@code drivers/infiniband/core/roce_gid_mgmt.c}, on unregistering and registering), and
     * nobody knows beforehand in which slots: NCCL finds them itself.
     */
    private static OptionalInt derivedGidIndex(List<Rail> rails, RailConfig config) {
        return config.nccl() && config.mode() == RailConfig.Mode.VERBS
                ? NcclSettings.gidIndex(rails)
                : OptionalInt.empty();
    }

    private static Optional<String> hostTopology(RailConfig config, RailNode node) {
        boolean wanted =
                config.nccl() && config.hostTopology() && config.topologyFile().isEmpty();
        return wanted ? node.topologyFile() : Optional.empty();
    }
}
