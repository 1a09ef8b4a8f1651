package io.imexagent.imex.health;

import io.imexagent.core.text.NameList;
import io.imexagent.imex.health.DomainLinks.Unconnected;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The causes why nodes of a domain are not connected, in words, with the remedies. The order is: nodes that refuse each
 * other, by kind of refusal; nodes that are not ready; pairs that are not connected; nodes that could not be queried.
 *
 * @param missing the nodes to report as not ready
 * @param lost the pairs that are not connected, including those that refuse each other
 * @param silent the nodes that run and could not be queried
 */
record DomainCauses(DomainLinks links, List<NodeReport> missing, List<Unconnected> lost, List<NodeReport> silent) {

    private static final int MOST_NAMES = 5;

    private static final String LOOK =
            "look at 'systemctl status nvidia-imex' and /var/log/nvidia-imex.log on the named"
                    + " nodes, and at the network between them";

    DomainCauses {
        missing = List.copyOf(missing);
        lost = List.copyOf(lost);
        silent = List.copyOf(silent);
    }

    /** The causes for a daemon that is READY: if its own row was not read, only its command service is at fault. */
    static DomainCauses ofReady(DomainLinks links) {
        Optional<NodeReport> unanswered = links.here().filter(node -> !node.answered());
        List<NodeReport> missing = links.missing().stream()
                .filter(node -> unanswered.filter(node::equals).isEmpty())
                .toList();
        List<NodeReport> silent = Stream.concat(unanswered.stream(), links.silent().stream())
                .distinct()
                .toList();
        return new DomainCauses(links, missing, links.lostBeside(missing), silent);
    }

    /** The causes for a daemon that waits, apart from itself and from nodes that wait as well. */
    static DomainCauses ofWaiting(DomainLinks links) {
        List<NodeReport> missing = links.missing().stream()
                .filter(node -> !links.report().isLocal(node)
                        && !node.state().is(DaemonState.WAITING_FOR_PEERS)
                        && !node.state().is(DaemonState.WAITING_FOR_RECOVERY))
                .toList();
        return new DomainCauses(links, missing, links.lostOfRunning(), List.of());
    }

    /** The kinds of refusal in the domain, in their order. */
    List<LinkFault.LinkFaultKind> refusals() {
        List<Unconnected> refused = links.refused();
        return Arrays.stream(LinkFault.LinkFaultKind.values())
                .filter(kind -> refused.stream()
                        .anyMatch(pair -> pair.fault().filter(kind::equals).isPresent()))
                .toList();
    }

    String text() {
        var causes = new ArrayList<String>();
        refusals()
                .forEach(kind -> causes.add(kind.text() + " between " + names(refused(kind))
                        + (kind == LinkFault.LinkFaultKind.VERSION_MISMATCH ? versions() : "")));
        if (!missing.isEmpty()) {
            causes.add("not ready: " + names(links.names(missing)));
        }
        if (!waitable().isEmpty()) {
            causes.add("not connected: " + names(links.pairs(waitable())));
        }
        unseen(causes);
        return causes.isEmpty()
                ? "every node is ready and no connection is lost, so the daemon's reason is not known"
                : String.join("; ", causes);
    }

    /** The names of both nodes, and the states if the two directions differ. */
    private List<String> refused(LinkFault.LinkFaultKind kind) {
        return links.refused().stream()
                .filter(pair -> pair.fault().filter(kind::equals).isPresent())
                .map(pair -> links.between(pair, " and ") + (pair.states().size() > 1 ? " (" + pair.words() + ")" : ""))
                .toList();
    }

    /** The pairs that are not connected and do not refuse each other. */
    private List<Unconnected> waitable() {
        return lost.stream().filter(pair -> pair.fault().isEmpty()).toList();
    }

    private String versions() {
        TreeMap<String, Long> versions = links.report().nodes().stream()
                .flatMap(node -> node.version().stream())
                .collect(Collectors.groupingBy(version -> version, TreeMap::new, Collectors.counting()));
        List<String> counted = versions.entrySet().stream()
                .map(version ->
                        version.getKey() + " on " + version.getValue() + (version.getValue() == 1 ? " node" : " nodes"))
                .toList();
        return counted.size() < 2 ? "" : " (" + names(counted) + ")";
    }

    private void unseen(List<String> causes) {
        here().ifPresent(here -> causes.add("this node's own command service does not answer under its address in"
                + " nodes_config.cfg"
                + (here.address().isBlank() ? "" : " (" + here.address() + ")")));
        Map<Boolean, List<NodeReport>> byRow =
                peers().stream().collect(Collectors.partitioningBy(DomainLinks::reportsConnections));
        unseen(byRow.getOrDefault(false, List.of()), "what they say of their connections is not known", causes);
        unseen(
                byRow.getOrDefault(true, List.of()),
                "what is shown of their connections may be old or incomplete",
                causes);
    }

    private void unseen(List<NodeReport> nodes, String consequence, List<String> causes) {
        if (!nodes.isEmpty()) {
            causes.add("the command service of " + names(links.names(nodes)) + " cannot be reached from here, so "
                    + consequence);
        }
    }

    /** This node, if it could not be queried. */
    private Optional<NodeReport> here() {
        return silent.stream().filter(links.report()::isLocal).findFirst();
    }

    /** The other nodes that could not be queried. */
    private List<NodeReport> peers() {
        return silent.stream().filter(node -> !links.report().isLocal(node)).toList();
    }

    String nextStep() {
        var steps = new ArrayList<String>();
        refusals().forEach(kind -> steps.add(remedy(kind)));
        if (!missing.isEmpty() || !waitable().isEmpty()) {
            steps.add(LOOK);
        }
        boolean worksOtherwise = steps.isEmpty();
        if (here().isPresent()) {
            steps.add("let this node's command service answer under that address, see IMEX_CMD_PORT and"
                    + " IMEX_CMD_BIND_INTERFACE_IP in its config.cfg, then restart nvidia-imex once the node is"
                    + " drained");
        }
        if (worksOtherwise && !peers().isEmpty()) {
            steps.add(
                    "workloads do not need it; to see the whole domain, let IMEX_CMD_PORT (50005) of the named nodes be"
                            + " reached from here, see IMEX_CMD_BIND_INTERFACE_IP in their config.cfg");
        }
        return steps.isEmpty()
                ? "see whether 'nvidia-imex-ctl -N' still says so, and look at /var/log/nvidia-imex.log on this node"
                : String.join("; ", steps);
    }

    private static String remedy(LinkFault.LinkFaultKind kind) {
        return switch (kind) {
            case VERSION_MISMATCH ->
                "bring nvidia-imex and the driver of all nodes to one version, then restart nvidia-imex there";
            case NODE_MAP_MISMATCH ->
                "put the same nodes_config.cfg on all nodes of the rack, same lines in the same order, then"
                        + " restart nvidia-imex there";
            case AUTHENTICATION_ERROR ->
                "check that the certificates or keytabs that config.cfg names are right and valid on both, then"
                        + " restart nvidia-imex there";
        };
    }

    static String names(List<String> names) {
        return NameList.some(names, MOST_NAMES);
    }
}
