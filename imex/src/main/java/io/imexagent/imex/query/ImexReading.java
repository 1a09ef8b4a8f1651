package io.imexagent.imex.query;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything that one look at nvidia-imex gave.
 *
 * @param at when
 * @param setting what the node is
 * @param installed whether there is a unit file or the tool
 * @param unit the unit
 * @param configuration {@code config.cfg}; empty where it could not be read
 * @param nodes the nodes of the domain by {@code nodes_config.cfg}, in its order; empty where it could not be read
 * @param local the state of the local daemon
 * @param domain the whole domain
 */
public record ImexReading(
        Instant at,
        Setting setting,
        boolean installed,
        UnitState unit,
        Optional<ImexConfiguration> configuration,
        Optional<List<String>> nodes,
        QueryResult<Printed<DaemonState>> local,
        QueryResult<DomainReport> domain) {

    /**
     * What the node is, which nvidia-imex itself does not tell.
     *
     * @param applicability whether it has something to do here
     * @param hostManaged whether this agent serves the channels of the host's daemon; otherwise a driver may run a daemon
     *     of its own, and that of the host rightly rests
     */
    public record Setting(Applicability applicability, boolean hostManaged) {}

    /** Whether the daemon is configured to answer no question. */
    public boolean commandServiceIsOff() {
        return configuration.filter(known -> !known.commandService()).isPresent();
    }
}
