package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.rdma.check.RdmaPeer;
import io.imexagent.rdma.watch.NameList;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Model.OptionSpec;

/** The option {@code --peer}, which names the NICs of another node. */
final class PeerOption {

    static final String NAME = "--peer";

    private PeerOption() {}

    static OptionSpec spec() {
        return OptionSpec.builder(NAME)
                .type(String.class)
                .paramLabel("LIST")
                .description(
                        "The NICs of the other node, by interface or RDMA device, separated by commas or blanks, as its"
                                + " 'rdma summary' prints them. Beats rdma.peer.")
                .build();
    }

    /** The peer that the command line or the configuration names. */
    static Optional<RdmaPeer> peer(Invocation invocation, AgentConfig config) {
        return invocation
                .option(NAME, String.class)
                .map(RdmaPeer::parse)
                .or(() -> config.rdma().peer().map(NameList::names).map(names -> new RdmaPeer(Set.copyOf(names))));
    }
}
