package io.imexagent.imex.query;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Everything that one look at nvidia-imex gave; files that could not be read are empty. The nodes are those of {@code
 * nodes_config.cfg}, in its order; {@code installed} says whether there is a unit file or the tool.
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
     * What the node is, which nvidia-imex itself does not tell. Where this agent does not serve the host's channels, a
     * driver may run a daemon of its own, and that of the host rightly rests.
     */
    public record Setting(Applicability applicability, boolean hostManaged) {}

    /** Whether the daemon is configured to answer no question. */
    public boolean commandServiceIsOff() {
        return configuration.filter(known -> !known.commandService()).isPresent();
    }

    /** Whether the node is one on which nvidia-imex has something to do. */
    public sealed interface Applicability {

        record Applicable() implements Applicability {}

        /** It is not; the reason is a clause. */
        record NotApplicable(String reason) implements Applicability {}

        /** It is not known; the reason is a clause. */
        record Unknown(String reason) implements Applicability {}
    }
}
