package io.imexagent.imex.health;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
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
    public record Setting(Applicability applicability, boolean hostManaged) {

        /** Of a node with this inventory, whose agent serves channels or does not. */
        public Setting(NodeInventory inventory, boolean hostManaged) {
            this(Applicability.of(inventory), hostManaged);
        }
    }

    /** Whether the daemon is configured to answer no question. */
    public boolean commandServiceIsOff() {
        return configuration.filter(known -> !known.commandService()).isPresent();
    }

    /** Whether nvidia-imex has something to do on the node: it has where there is a place in an NVLink fabric. */
    public sealed interface Applicability {

        record Applicable() implements Applicability {}

        /** It is not; the reason is a clause. */
        record NotApplicable(String reason) implements Applicability {}

        /** It is not known; the reason is a clause. */
        record Unknown(String reason) implements Applicability {}

        static Applicability of(NodeInventory inventory) {
            return switch (inventory.driver()) {
                case DriverState.Absent _ -> new NotApplicable("there is no NVIDIA driver");
                case DriverState.Failing(String reason) -> new Unknown(reason);
                case DriverState.Loaded _ ->
                    switch (inventory.clique()) {
                        case CliqueState.None(String reason) ->
                            new NotApplicable("the node has no NVLink clique: " + reason);
                        case CliqueState.Unknown(String detail) -> new Unknown(detail);
                        case CliqueState.Present _,
                                CliqueState.Registering _,
                                CliqueState.Failed _,
                                CliqueState.Conflicting _ -> new Applicable();
                    };
            };
        }
    }
}
