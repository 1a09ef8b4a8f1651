package io.imexagent.imex.health;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeIdentity;
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
        ImexNode setting,
        boolean installed,
        UnitState unit,
        Optional<ImexConfiguration> configuration,
        Optional<List<String>> nodes,
        QueryResult<PrintedState<DaemonState>> local,
        QueryResult<DomainReport> domain,
        ImexFiles files) {

    /**
     * What the node is, and what it is called, which nvidia-imex itself does not tell. Where this agent does not serve the
     * host's channels, a driver may run a daemon of its own, and that of the host rightly rests.
     */
    public record ImexNode(Applicability applicability, boolean hostManaged, NodeIdentity host) {

        /** Of a node with this inventory, whose agent serves channels or does not. */
        public ImexNode(NodeInventory inventory, boolean hostManaged, NodeIdentity host) {
            this(Applicability.of(inventory), hostManaged, host);
        }
    }

    /** Why the daemon is configured to answer no question; empty where it answers. */
    Optional<CommandService.Silence> silence() {
        return configuration.flatMap(known -> known.commandService().silence());
    }

    /** Whether nvidia-imex has something to do on the node: it has where there is a place in an NVLink fabric. */
    public sealed interface Applicability {

        record Applicable() implements Applicability {}

        /** It is not; the reason is a clause. */
        record NotApplicable(String reason) implements Applicability {}

        /** It is not known; the reason is a clause. */
        record UnknownApplicability(String reason) implements Applicability {}

        static Applicability of(NodeInventory inventory) {
            return switch (inventory.driver()) {
                case DriverState.AbsentDriver _ -> new NotApplicable("there is no NVIDIA driver");
                case DriverState.FailingDriver(String reason) -> new UnknownApplicability(reason);
                case DriverState.LoadedDriver _ ->
                    switch (inventory.clique()) {
                        case CliqueState.NoClique(String reason) ->
                            new NotApplicable("the node has no NVLink clique: " + reason);
                        case CliqueState.UnknownClique(String detail) -> new UnknownApplicability(detail);
                        case CliqueState.KnownClique _,
                                CliqueState.RegisteringClique _,
                                CliqueState.FailedClique _,
                                CliqueState.ConflictingClique _ -> new Applicable();
                    };
            };
        }
    }
}
