package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.List;
import java.util.Optional;

/** A controller of the model: looks after one clique at a time, and may begin anew at any moment. */
final class ModelController {

    private final FabricModelServer server;
    private final ModelNetwork network;
    private int run;
    private boolean busy;

    ModelController(FabricModelServer server, ModelNetwork network) {
        this.server = server;
        this.network = network;
    }

    void crash() {
        run++;
        busy = false;
    }

    /** Begins with a clique unless it works: reads its table, then lists its nodes, then writes. */
    void look(CliqueId clique) {
        if (busy) {
            return;
        }
        busy = true;
        int mine = ++run;
        network.send(
                () -> server.table(clique),
                table -> {
                    if (mine == run) {
                        list(clique, mine, table);
                    }
                },
                () -> end(mine));
    }

    private void list(CliqueId clique, int mine, Optional<Stored<ChannelTable>> table) {
        network.send(
                () -> server.nodesOf(clique),
                nodes -> {
                    if (mine == run) {
                        write(clique, mine, table, nodes);
                    }
                },
                () -> end(mine));
    }

    private void write(
            CliqueId clique, int mine, Optional<Stored<ChannelTable>> table, List<Stored<NvlinkNode>> nodes) {
        if (table.isEmpty()) {
            network.send(
                    () -> nodes.isEmpty()
                            || server.create(clique, ChannelTable.EMPTY.settled(nodes))
                                    .isPresent(),
                    done -> end(mine),
                    () -> end(mine));
            return;
        }
        ChannelTable settled = table.get().content().settled(nodes);
        boolean unused = settled.entries().isEmpty() && nodes.isEmpty();
        network.send(
                () -> {
                    if (unused) {
                        server.delete(clique, table.get().version());
                    } else {
                        server.replace(clique, table.get().version(), settled);
                    }
                    return true;
                },
                done -> end(mine),
                () -> end(mine));
    }

    private void end(int mine) {
        if (mine == run) {
            busy = false;
        }
    }
}
