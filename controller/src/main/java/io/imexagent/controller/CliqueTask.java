package io.imexagent.controller;

import io.imexagent.controller.Reconciler.TaskResult.TaskSettled;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reconciles a clique's table with the holds of its nodes, planned from a table that was just read and nodes that were
 * listed after it.
 */
record CliqueTask(FabricObjects fabric, ClusterState state, boolean isolating, CliqueId clique)
        implements Reconciler.ReconcileTask {

    /** The wait until the watches have listed the fabric. */
    static final Duration NOT_LISTED = Duration.ofSeconds(1);

    /** The wait for watches that are behind the server. */
    private static final Duration BEHIND = Duration.ofMinutes(1);

    @Override
    public Optional<TaskSettled> advance() throws ApiException {
        if (!state.fabricListed()) {
            return TaskSettled.until(NOT_LISTED);
        }
        if (CliquePlan.of(state.table(clique), state.nodesOf(clique), isolating) instanceof CliquePlan.KeepTable) {
            return TaskSettled.now();
        }
        Optional<Stored<NvlinkClique>> table = fabric.cliques().get(clique.text());
        switch (CliquePlan.of(table, holders(), isolating)) {
            case CliquePlan.KeepTable nothing -> {
                table.ifPresent(state.tables::put);
                return TaskSettled.until(BEHIND);
            }
            case CliquePlan.CreateTable create ->
                state.tables.put(fabric.cliques().create(clique.text(), create.content()));
            case CliquePlan.ReplaceTable replace ->
                state.tables.put(fabric.cliques().replace(replace.table(), replace.content()));
            case CliquePlan.DeleteTable delete -> {
                fabric.cliques().delete(delete.table());
                state.tables.gone(delete.table().uid());
            }
        }
        return Optional.empty();
    }

    /** Lists the nodes by label. A node whose labels were removed while its agent is absent holds all the same. */
    private List<Stored<NvlinkNode>> holders() throws ApiException {
        List<Stored<NvlinkNode>> holders = new ArrayList<>(fabric.nodesOf(clique));
        state.nodesOf(clique).stream()
                .filter(node -> !node.content().guarded())
                .filter(node ->
                        holders.stream().noneMatch(listed -> listed.uid().equals(node.uid())))
                .forEach(holders::add);
        return holders;
    }
}
