package io.imexagent.imex.health;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodeInventory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of one reading of nvidia-imex; files that could not be read are empty. The nodes are those of {@code
 * nodes_config.cfg}, in its order; {@code installed} is whether the unit's file or the tool exists.
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
     * The node's properties that nvidia-imex does not report: whether nvidia-imex applies to it, and its identity. If
     * this agent does not serve the host's channels, a driver may run a daemon of its own, so that the host's daemon
     * need not run.
     */
    public record ImexNode(Applicability applicability, boolean hostManaged, NodeIdentity host) {

        /** The properties of a node with this inventory; {@code hostManaged} is whether its agent serves channels. */
        public ImexNode(NodeInventory inventory, boolean hostManaged, NodeIdentity host) {
            this(Applicability.of(inventory), hostManaged, host);
        }
    }

    /** The reason why the daemon is configured not to answer queries; empty if it answers. */
    Optional<CommandService.Silence> silence() {
        return configuration.flatMap(known -> known.commandService().silence());
    }

    /** Whether nvidia-imex applies to the node: it does if the node has a place in an NVLink fabric. */
    public sealed interface Applicability {

        record Applicable() implements Applicability {}

        /** nvidia-imex does not apply to the node; the reason is a clause. */
        record NotApplicable(String reason) implements Applicability {}

        /** Whether nvidia-imex applies to the node is unknown; the reason is a clause. */
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
