package io.imexagent.e2e.fabric;

import com.fasterxml.jackson.databind.JsonNode;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Binds many new ComputeDomains at one moment, on one node and on all of a clique: how long that takes, and how often the
 * nodes overtake each other. The API server double costs what a real server costs, see {@link CostlyFabric}.
 */
public final class CrowdBench {

    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(256, 255);

    /** How long an agent works on a call of the kubelet, by default. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private static final String ONE_NODE = "one node";
    private static final String CLIQUE = "a clique";
    private static final String MILLIS = "ms until all are bound";
    private static final String CONFLICTS = "conflicts";
    private static final String TOO_LONG = "longer than prepare.answerWithin";

    private CrowdBench() {}

    /** Where a node reaches its objects. */
    interface Reach {
        FabricObjects of(String node) throws Exception;
    }

    public static ObjectNode measure() throws Exception {
        ObjectNode report = Json.object();
        report.set(ONE_NODE, measure(1, 100));
        report.set(CLIQUE, measure(18, 8));
        return report;
    }

    /**
     * The bars that a report misses, a sentence for each: on one node 10 s and 5 conflicts, in a clique 20 s, and no call that
     * takes longer than an agent works on it. They are for two quiet cores.
     */
    public static List<String> missed(ObjectNode report) {
        return Stream.of(
                        over(report, ONE_NODE, MILLIS, 10_000),
                        over(report, ONE_NODE, CONFLICTS, 5),
                        over(report, CLIQUE, MILLIS, 20_000),
                        over(report, CLIQUE, TOO_LONG, 0))
                .flatMap(Optional::stream)
                .toList();
    }

    private static Optional<String> over(ObjectNode report, String part, String figure, double most) {
        JsonNode found = report.path(part).path(figure);
        double measured = found.isBoolean() ? (found.booleanValue() ? 1 : 0) : found.asDouble(Double.POSITIVE_INFINITY);
        return measured <= most
                ? Optional.empty()
                : Optional.of(part + ": " + figure + " is " + found + ", the bar is " + (long) most);
    }

    /** So many ComputeDomains, each on one node, and their nodes at one moment. */
    static ObjectNode measure(int nodes, int domainsOfNode) throws Exception {
        var server = new CostlyFabric.Server();
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api)) {
            var _ = clients.control().cliques().create(Clients.CLIQUE.text(), Clients.EMPTY);
            return measure(
                            nodes,
                            domainsOfNode,
                            node -> new CostlyFabric(clients.agent(node, ApiObserver.NONE), server))
                    .put("reads of the table", server.reads())
                    .put("writes of the table", server.writes())
                    .put(CONFLICTS, server.conflicts());
        }
    }

    /** The same with nodes that reach a server so, where the clique has an empty table. */
    static ObjectNode measure(int nodes, int domainsOfNode, Reach reach) throws Exception {
        var binders = new ArrayList<BenchNode>();
        for (int node = 0; node < nodes; node++) {
            binders.add(BenchNode.start("tray-" + node, reach.of("tray-" + node), LIMITS));
        }
        for (BenchNode node : binders) {
            node.awaitRest();
        }
        var barrier = new CyclicBarrier(nodes * domainsOfNode + 1);
        var all = new CountDownLatch(nodes * domainsOfNode);
        var took = new Samples();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var binds = new ArrayList<Future<Long>>();
            for (int number = 0; number < nodes * domainsOfNode; number++) {
                binds.add(threads.submit(bind(binders.get(number % nodes), domain(number), barrier, all)));
            }
            barrier.await();
            for (Future<Long> bind : binds) {
                took.add(bind.get());
            }
        }
        for (BenchNode node : binders) {
            node.awaitRest();
            node.holds().close();
        }
        double most = took.percentile(100);
        return Json.object()
                .put("nodes", nodes)
                .put("ComputeDomains of each", domainsOfNode)
                .put(MILLIS, Samples.rounded(most))
                .put("p50 ms", Samples.rounded(took.median()))
                .put(TOO_LONG, most > ANSWER_WITHIN.toMillis());
    }

    /** What is bound stays held until all are. */
    private static Callable<Long> bind(BenchNode node, DomainName domain, CyclicBarrier barrier, CountDownLatch all) {
        return () -> {
            barrier.await();
            try {
                return node.bind(domain);
            } finally {
                all.countDown();
                all.await();
                node.binder().ended();
            }
        };
    }

    private static DomainName domain(int number) {
        return new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-%012d".formatted(number)), "team", "training-" + number);
    }
}
