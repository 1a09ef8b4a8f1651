package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.object.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Binds a channel on all nodes of a clique at one moment, as when a workload begins, and on one of them alone, in turn: how
 * long it takes, and how many calls each agent makes. The binders are the agents' own, over HTTP to an API server double
 * in the same process.
 */
public final class BindBench {

    private static final int NODES = 18;
    private static final int WARM_UP = 40;
    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(128, 127);

    /** Watches and what they list count for nothing: they go on whatever is bound. */
    private static final Set<String> CALLS = Set.of("get", "create", "update");

    private final List<Binder> binders = new ArrayList<>();
    private final FabricObjects control;
    private int domains;

    private record Binder(BenchNode node, AtomicInteger calls) {}

    /** What one binder did: the nanoseconds it took, and its calls. */
    private record BoundBinder(long nanos, int calls) {}

    private BindBench(Clients clients) throws Exception {
        control = clients.control();
        for (int i = 0; i < NODES; i++) {
            binders.add(binder(clients, "tray-" + i));
        }
        var _ = control.cliques().create(Clients.CLIQUE.text(), Clients.EMPTY);
    }

    public static ObjectNode measure(int rounds) throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return new BindBench(clients).measure(rounds, threads);
        }
    }

    private static Binder binder(Clients clients, String node) throws Exception {
        var calls = new AtomicInteger();
        ApiObserver counter = (verb, resource, failure, took) -> {
            if (CALLS.contains(verb)) {
                calls.incrementAndGet();
            }
        };
        return new Binder(BenchNode.start(node, clients.agent(node, counter), LIMITS), calls);
    }

    private ObjectNode measure(int rounds, ExecutorService threads) throws Exception {
        var alone = new ArrayList<BoundBinder>();
        var together = new ArrayList<BoundBinder>();
        for (int round = -WARM_UP; round < rounds; round++) {
            List<BoundBinder> one = round(binders.subList(0, 1), threads);
            List<BoundBinder> all = round(binders, threads);
            if (round >= 0) {
                alone.addAll(one);
                together.addAll(all);
            }
        }
        ObjectNode report = Json.object().put("nodes", NODES).put("rounds", rounds);
        put(report.putObject("alone"), alone);
        put(report.putObject("together"), together);
        return report;
    }

    /** A ComputeDomain begins on these nodes at one moment; then it ends, and its channel is free again. */
    private List<BoundBinder> round(List<Binder> nodes, ExecutorService threads) throws Exception {
        int number = ++domains;
        var domain = new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-%012d".formatted(number)), "team", "training-" + number);
        var barrier = new CyclicBarrier(nodes.size());
        List<Callable<BoundBinder>> work = nodes.stream()
                .<Callable<BoundBinder>>map(node -> () -> bind(node, domain, barrier))
                .toList();
        var bound = new ArrayList<BoundBinder>();
        for (Future<BoundBinder> future : threads.invokeAll(work)) {
            bound.add(future.get());
        }
        for (Binder node : nodes) {
            node.node().awaitRest();
        }
        var _ = control.cliques()
                .replace(control.cliques().get(Clients.CLIQUE.text()).orElseThrow(), Clients.EMPTY);
        return bound;
    }

    private static BoundBinder bind(Binder node, DomainName domain, CyclicBarrier barrier) throws Exception {
        barrier.await();
        int before = node.calls().get();
        try {
            return new BoundBinder(node.node().bind(domain), node.calls().get() - before);
        } finally {
            node.node().binder().ended();
        }
    }

    private static void put(ObjectNode to, List<BoundBinder> all) {
        var took = new Samples();
        var calls = new Samples();
        all.forEach(bound -> {
            took.add(bound.nanos());
            calls.addFigure(bound.calls());
        });
        to.put("p50 ms", Samples.rounded(took.median()))
                .put("p99 ms", Samples.rounded(took.percentile(99)))
                .put("most ms", Samples.rounded(took.percentile(100)))
                .put("p50 calls", (int) calls.median())
                .put("most calls", (int) calls.percentile(100));
    }
}
