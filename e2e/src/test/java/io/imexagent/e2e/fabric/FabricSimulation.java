package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.testing.api.object.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A fleet of racks in simulated time: agents start, workloads over several nodes come and go, and a controller keeps the
 * tables, which somebody may damage. It counts what that costs the API server; a channel that is used twice, other than by
 * damage that no node could see, one that is left over, and a node that goes on against the table end it.
 */
public final class FabricSimulation {

    private static final Duration START = Duration.ofMinutes(1);
    private static final int NAMESPACES = 50;

    /** A table that somebody puts back is at most so old. */
    private static final Duration OLDEST = Duration.ofSeconds(30);

    /** What is under way when the last consequence of a damage ends is over by then. */
    private static final int SECONDS_TO_SETTLE = 5;

    /** A ComputeDomain from its creation to Ready and to its end: what the controller does for it, and its events. */
    private static final int DOMAIN_CALLS = 6;

    private static final int DOMAIN_EVENTS = 8;
    private static final int DOMAIN_BYTES = 1_200;

    private final Fleet fleet;
    private final Timeline time;
    private final SimulatedServer server;
    private final SimulatedController controller;
    private final Figures figures = new Figures();
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<CliqueId> cliques = new ArrayList<>();

    /** Of each damaged clique, how many seconds are left until it counts as mended; each damage starts them again. */
    private final Map<CliqueId, Integer> settling = new HashMap<>();

    private int workloads;

    /**
     * What is simulated.
     *
     * @param cliques how many cliques, each of a rack's nodes
     * @param nodesOfClique how many nodes each of them has
     * @param workloadsPerMinute how many ComputeDomains begin each minute, each with a pod on so many nodes in a row
     * @param fewestNodes the smallest workload
     * @param mostNodes the largest workload
     * @param life how long a workload lives on average
     * @param length for how long workloads begin
     * @param damagesPerMinute how often somebody empties a table, puts back an older one, or swaps two channels; with any,
     *     nodes get further claims of their ComputeDomains, too
     */
    record Fleet(
            int cliques,
            int nodesOfClique,
            int workloadsPerMinute,
            int fewestNodes,
            int mostNodes,
            Duration life,
            Duration length,
            int damagesPerMinute) {}

    /** What somebody does to a table by hand. */
    private enum Damage {
        RESTORED,
        EMPTIED,
        SWAPPED
    }

    FabricSimulation(Fleet fleet, long seed) {
        this.fleet = fleet;
        this.time = new Timeline(seed);
        this.server = new SimulatedServer(time);
        this.controller = new SimulatedController(time, server);
        for (int clique = 0; clique < fleet.cliques(); clique++) {
            var id = new CliqueId("c4a1f0de-5b72-4e09-9d36-%012x.%d".formatted(clique, 1 + clique % 8));
            cliques.add(id);
            for (int node = 0; node < fleet.nodesOfClique(); node++) {
                nodes.add(new SimulatedNode("tray-%05d".formatted(nodes.size()), id, time, server, figures));
            }
        }
    }

    /**
     * Plays an hour of 10,000 nodes, and prints what it cost: 555 cliques of 18, 100 workloads of 18 to 360 nodes a minute.
     * The argument is the seed of all that is random, 1 without it.
     */
    public static void main(String[] arguments) {
        long seed = arguments.length == 0 ? 1 : Long.parseLong(arguments[0]);
        var fleet = new Fleet(555, 18, 100, 18, 360, Duration.ofMinutes(2), Duration.ofHours(1), 0);
        ObjectNode report = new FabricSimulation(fleet, seed).play().put("seed", seed);
        System.out.println(new String(Json.bytes(report), StandardCharsets.UTF_8));
    }

    /** Plays it from the first agent's start to the last pod's end. */
    ObjectNode play() {
        ObjectNode report = Json.object().put("nodes", nodes.size()).put("cliques", fleet.cliques());
        nodes.forEach(node -> time.after(within(START), node::start));
        Duration begin = START.multipliedBy(2);
        Duration end = begin.plus(fleet.length());
        time.runUntil(begin);
        report.set("all agents start within a minute", server.traffic().report(START));
        server.traffic().clear();
        each(fleet.workloadsPerMinute(), end, this::begin);
        if (fleet.damagesPerMinute() > 0) {
            each(fleet.damagesPerMinute(), end, this::damage);
        }
        time.runUntil(end);
        report.put("workloads", workloads);
        report.set("workloads", server.traffic().report(fleet.length()));
        time.runUntil(end.plus(fleet.life().multipliedBy(30)));
        server.tables().all().forEach(table -> {
            if (!table.content().table().entries().isEmpty()) {
                throw new IllegalStateException("left over in " + table.name() + ": "
                        + table.content().table().entries());
            }
        });
        figures.report(report);
        return report.put("writes that were overtaken", server.conflicts())
                .put("longest queue of the controller, cliques", controller.longestQueue())
                .put("largest NVLinkNode, bytes", server.nodes().largest())
                .put("largest NVLinkClique, bytes", server.tables().largest());
    }

    Figures figures() {
        return figures;
    }

    /** Lets something happen so many times a minute on average. */
    private void each(int perMinute, Duration end, Runnable happening) {
        Duration pause = time.about(Duration.ZERO, Duration.ofMinutes(1).dividedBy(perMinute));
        if (time.now() + pause.toNanos() < end.toNanos()) {
            time.after(pause, () -> {
                happening.run();
                each(perMinute, end, happening);
            });
        }
    }

    private void damage() {
        CliqueId clique = cliques.get(time.random().nextInt(cliques.size()));
        ChannelTable now = table(clique);
        switch (Damage.values()[time.random().nextInt(Damage.values().length)]) {
            case RESTORED -> time.after(within(OLDEST), () -> damaged(clique, now));
            case EMPTIED -> damaged(clique, ChannelTable.EMPTY);
            case SWAPPED -> damaged(clique, swapped(now));
        }
    }

    private ChannelTable table(CliqueId clique) {
        return server.tables()
                .present(clique.text())
                .map(table -> table.content().table())
                .orElse(ChannelTable.EMPTY);
    }

    private ChannelTable swapped(ChannelTable table) {
        var entries = new ArrayList<>(table.entries().values());
        if (entries.size() > 1) {
            ChannelEntry one = entries.remove(time.random().nextInt(entries.size()));
            ChannelEntry other = entries.remove(time.random().nextInt(entries.size()));
            entries.add(new ChannelEntry(other.id(), one.domain(), one.by(), one.state()));
            entries.add(new ChannelEntry(one.id(), other.domain(), other.by(), other.state()));
        }
        return ChannelTable.of(entries);
    }

    private void damaged(CliqueId clique, ChannelTable to) {
        server.tables().present(clique.text()).ifPresent(table -> {
            if (!figures.isDamaged(clique)) {
                figures.damaged(clique);
                awaitMend(clique);
            }
            settling.put(clique, SECONDS_TO_SETTLE);
            server.tables().replace(table, table.content().with(to));
        });
    }

    /** What is used is in the table again, each channel once, and has been for a while: it has to stay so. */
    private void awaitMend(CliqueId clique) {
        time.after(Duration.ofSeconds(1), () -> {
            int left = figures.covers(clique, table(clique))
                    ? settling.getOrDefault(clique, SECONDS_TO_SETTLE) - 1
                    : SECONDS_TO_SETTLE;
            settling.put(clique, left);
            if (left == 0) {
                settling.remove(clique);
                figures.mended(clique);
            } else {
                awaitMend(clique);
            }
        });
    }

    /** The pods of a workload start within a second, and end within one. */
    private void begin() {
        int number = ++workloads;
        var domain = new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-%012d".formatted(number)),
                "team-%02d".formatted(number % NAMESPACES),
                "training-" + number % 1000);
        for (int call = 0; call < DOMAIN_CALLS; call++) {
            server.call("of the controller for ComputeDomains", DOMAIN_BYTES, DOMAIN_BYTES);
        }
        server.events(DOMAIN_EVENTS, DOMAIN_BYTES);
        int size = Math.min(nodes.size(), time.random().nextInt(fleet.fewestNodes(), fleet.mostNodes() + 1));
        int first = time.random().nextInt(nodes.size());
        Duration life = time.about(Duration.ofSeconds(10), fleet.life().minusSeconds(10));
        for (int i = 0; i < size; i++) {
            SimulatedNode node = nodes.get((first + i) % nodes.size());
            time.after(within(Duration.ofSeconds(1)), () -> node.prepare(domain));
            time.after(life.plus(within(Duration.ofSeconds(1))), () -> node.unprepare(domain));
            if (fleet.damagesPerMinute() > 0) {
                time.after(within(life), () -> node.prepareFurther(domain));
            }
        }
    }

    private Duration within(Duration span) {
        return Duration.ofNanos((long) (time.random().nextDouble() * span.toNanos()));
    }
}
