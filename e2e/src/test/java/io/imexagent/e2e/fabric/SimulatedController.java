package io.imexagent.e2e.fabric;

import io.imexagent.controller.CliquePlan;
import io.imexagent.controller.Controller;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The controller that works, as far as tables go: what it does is {@link CliquePlan}'s; when, its queue's: the workers
 * and the delay of {@link Controller}, and a pace of 300 calls a second.
 */
final class SimulatedController {

    private static final Duration PACE = Duration.ofSeconds(1).dividedBy(300);
    private static final Duration RETRY = Duration.ofMillis(100);

    private final Timeline time;
    private final SimulatedServer server;
    private final Map<CliqueId, Map<String, Stored<NvlinkNode>>> nodes = new HashMap<>();
    private final Map<CliqueId, Stored<NvlinkClique>> tables = new HashMap<>();
    private final Set<CliqueId> waiting = new HashSet<>();
    private final Queue<CliqueId> due = new ArrayDeque<>();
    private final Set<CliqueId> working = new HashSet<>();
    private long nextCall;
    private int longestQueue;

    SimulatedController(Timeline time, SimulatedServer server) {
        this.time = time;
        this.server = server;
        server.nodes().watch(this::nodeChanged);
        server.tables().watch(table -> tableChanged(new CliqueId(table.name()), table));
    }

    int longestQueue() {
        return longestQueue;
    }

    private void nodeChanged(Stored<NvlinkNode> node) {
        node.content().cliques().forEach(clique -> {
            nodes.computeIfAbsent(clique, none -> new TreeMap<>()).merge(node.name(), node, SimulatedController::later);
            enqueue(clique);
        });
    }

    private void tableChanged(CliqueId clique, Stored<NvlinkClique> table) {
        tables.merge(clique, table, SimulatedController::later);
        enqueue(clique);
    }

    private static <T> Stored<T> later(Stored<T> one, Stored<T> other) {
        return Long.parseLong(one.version()) > Long.parseLong(other.version()) ? one : other;
    }

    private void enqueue(CliqueId clique) {
        if (waiting.add(clique)) {
            time.after(tables.containsKey(clique) ? Controller.TOGETHER : Duration.ZERO, () -> {
                due.add(clique);
                longestQueue = Math.max(longestQueue, due.size());
                work();
            });
        }
    }

    private void work() {
        while (working.size() < Controller.WORKERS && !due.isEmpty()) {
            CliqueId clique = due.remove();
            if (working.contains(clique)) {
                due.add(clique);
                return;
            }
            waiting.remove(clique);
            working.add(clique);
            advance(clique);
        }
    }

    private void advance(CliqueId clique) {
        Collection<Stored<NvlinkNode>> known =
                nodes.getOrDefault(clique, Map.of()).values();
        if (plan(Optional.ofNullable(tables.get(clique)), known) instanceof CliquePlan.KeepTable) {
            done(clique);
            return;
        }
        call(
                1,
                () -> server.tables().get(clique.text()),
                table -> call(2, () -> server.nodesOf(clique), holders -> {
                    switch (plan(table, holders)) {
                        case CliquePlan.KeepTable nothing -> done(clique);
                        case CliquePlan.CreateTable create ->
                            write(clique, () -> server.tables().create(clique.text(), create.content()));
                        case CliquePlan.ReplaceTable replace ->
                            write(clique, () -> server.tables().replace(replace.table(), replace.content()));
                        case CliquePlan.DeleteTable delete ->
                            throw new IllegalStateException(
                                    "no node leaves the fleet, and " + clique + " has no table any more");
                    }
                }));
    }

    private static CliquePlan plan(Optional<Stored<NvlinkClique>> table, Collection<Stored<NvlinkNode>> holders) {
        return CliquePlan.of(table, holders, true);
    }

    private void write(CliqueId clique, Supplier<Optional<Stored<NvlinkClique>>> write) {
        call(3, write, written -> {
            if (written.isPresent()) {
                tables.merge(clique, written.get(), SimulatedController::later);
                advance(clique);
            } else {
                done(clique);
                time.after(RETRY, () -> enqueue(clique));
            }
        });
    }

    private void done(CliqueId clique) {
        working.remove(clique);
        work();
    }

    /** A call in the controller's pace that takes so many milliseconds each way at least. */
    private <A> void call(int millis, Supplier<A> server, Consumer<A> answered) {
        nextCall = Math.max(nextCall, time.now() - Duration.ofSeconds(1).toNanos());
        nextCall += PACE.toNanos();
        Duration pause = Duration.ofNanos(Math.max(0, nextCall - time.now()));
        time.after(pause, () -> time.call(millis, server, answered));
    }
}
