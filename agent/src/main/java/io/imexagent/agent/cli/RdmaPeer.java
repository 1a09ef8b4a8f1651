package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.rdma.NameList;
import io.imexagent.agent.rdma.RdmaPolicy;
import io.imexagent.agent.rdma.RdmaSettings;
import io.imexagent.agent.rdma.RdmaView;
import io.imexagent.rdma.selection.PeerDifference;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.SelectionPolicy;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The NICs of another node, as its summary prints them.
 *
 * @param names interfaces or RDMA devices
 */
record RdmaPeer(Set<String> names) {

    static final String OPTION = "--peer";

    /** The variable that the harness of the sandboxes takes the list from. */
    private static final String VARIABLE = "RDMA_PEER_IFACES=";

    RdmaPeer {
        names = Set.copyOf(names);
    }

    /** The option that names them. */
    static OptionSpec option() {
        return OptionSpec.builder(OPTION)
                .type(String.class)
                .paramLabel("LIST")
                .description(
                        "The NICs of the other node, by interface or RDMA device, separated by commas or blanks, as its"
                                + " 'rdma summary' prints them. Beats rdma.peer.")
                .build();
    }

    /** The peer that the command line or the configuration names. */
    static Optional<RdmaPeer> of(Invocation invocation, AgentConfig config) {
        return invocation
                .option(OPTION, String.class)
                .map(RdmaPeer::parse)
                .or(() -> config.rdma().peer().map(NameList::names).map(names -> new RdmaPeer(Set.copyOf(names))));
    }

    /** The names in the list. */
    static RdmaPeer parse(String list) {
        String names = list.strip();
        names = (names.startsWith(VARIABLE) ? names.substring(VARIABLE.length()) : names).replace("\"", "");
        var found = new LinkedHashSet<>(Arrays.asList(names.split("[,\\s]+", -1)));
        found.remove("");
        return new RdmaPeer(found);
    }

    /** The view under this peer set, over the same reading. */
    RdmaView applied(RdmaView view, RdmaSettings config) {
        SelectionPolicy policy = RdmaPolicy.selection(config).withPeer(names);
        return new RdmaView(view.inventory(), new RailSelector(policy).select(view.inventory()));
    }

    /** How the rails of this node, whatever the peer has, differ from the peer's. */
    PeerDifference difference(RdmaView view, RdmaSettings config) {
        SelectionPolicy policy = RdmaPolicy.selection(config).forComparison();
        List<Rail> rails = new RailSelector(policy).select(view.inventory()).rails();
        return PeerDifference.of(rails, names);
    }
}
