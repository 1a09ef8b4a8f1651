package io.imexagent.e2e.fabric;

import io.imexagent.controller.plan.CliquePlan;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The controller that works, as far as tables go: what it does is {@link CliquePlan}'s; when, its queue's: four workers,
 * a pace of 300 calls a second, what concerns a clique with a table together after a second.
 */
final class SimulatedController {

    private static final int WORKERS = 4;
    private static final Duration TOGETHER = Duration.ofSeconds(1);
    private static final Duration PACE = Duration.ofNanos(1_000_000_000 / 300);
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
        server.watch(this::put, this::put);
    }

    int longestQueue() {
        return longestQueue;
    }

    private void put(Stored<NvlinkNode> node) {
        node.content().cliques().forEach(clique -> {
            nodes.computeIfAbsent(clique, none -> new TreeMap<>()).merge(node.name(), node, SimulatedController::later);
            concerned(clique);
        });
    }

    private void put(CliqueId clique, Stored<NvlinkClique> table) {
        tables.merge(clique, table, SimulatedController::later);
        concerned(clique);
    }

    private static <T> Stored<T> later(Stored<T> one, Stored<T> other) {
        return Long.parseLong(one.version()) > Long.parseLong(other.version()) ? one : other;
    }

    private void concerned(CliqueId clique) {
        if (waiting.add(clique)) {
            time.after(tables.containsKey(clique) ? TOGETHER : Duration.ZERO, () -> {
                due.add(clique);
                longestQueue = Math.max(longestQueue, due.size());
                work();
            });
        }
    }

    private void work() {
        while (working.size() < WORKERS && !due.isEmpty()) {
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
        if (plan(Optional.ofNullable(tables.get(clique)), known(clique)) instanceof CliquePlan.Nothing) {
            done(clique);
            return;
        }
        paced(() -> time.call(
                time.about(Duration.ofMillis(1), Duration.ofMillis(1)),
                () -> server.table(clique),
                (table, took) -> paced(() -> time.call(
                        time.about(Duration.ofMillis(2), Duration.ofMillis(2)),
                        () -> server.nodesOf(clique),
                        (holders, also) -> perform(clique, table, holders)))));
    }

    private Collection<Stored<NvlinkNode>> known(CliqueId clique) {
        return nodes.getOrDefault(clique, Map.of()).values();
    }

    private static CliquePlan plan(Optional<Stored<NvlinkClique>> table, Collection<Stored<NvlinkNode>> holders) {
        return CliquePlan.of(table, holders, true);
    }

    private void perform(CliqueId clique, Optional<Stored<NvlinkClique>> table, List<Stored<NvlinkNode>> holders) {
        switch (plan(table, holders)) {
            case CliquePlan.Nothing nothing -> done(clique);
            case CliquePlan.Create create -> write(clique, () -> server.create(clique, create.content()));
            case CliquePlan.Replace replace ->
                write(clique, () -> server.replace(clique, replace.table(), replace.content()));
            case CliquePlan.Delete delete ->
                throw new IllegalStateException("no node leaves the fleet, and " + clique + " has no table any more");
        }
    }

    private void write(CliqueId clique, Supplier<Optional<Stored<NvlinkClique>>> call) {
        paced(() -> time.call(time.about(Duration.ofMillis(3), Duration.ofMillis(3)), call, (written, took) -> {
            if (written.isPresent()) {
                tables.merge(clique, written.get(), SimulatedController::later);
                advance(clique);
            } else {
                done(clique);
                time.after(RETRY, () -> concerned(clique));
            }
        }));
    }

    private void done(CliqueId clique) {
        working.remove(clique);
        work();
    }

    private void paced(Runnable call) {
        nextCall = Math.max(nextCall, time.now() - Duration.ofSeconds(1).toNanos());
        nextCall += PACE.toNanos();
        time.after(Duration.ofNanos(Math.max(0, nextCall - time.now())), call);
    }
}
