package io.imexagent.e2e.page;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Racks of 18 nodes with 4 GPUs each, as agents tell of them: Nodes, NVLinkNodes and NVLinkCliques. */
public final class ShownRacks {

    public static final int NODES = 18;

    private final ApiDouble api;
    private int uids;

    public ShownRacks(ApiDouble api) {
        this.api = api;
    }

    /** The clique of a rack, from 0. */
    public static String clique(int rack) {
        return "c4a1f0de-5b72-4e09-9d36-%012x.1".formatted(rack);
    }

    /** What the page calls a rack: what the names of its nodes begin with. */
    public static String name(int rack) {
        return "rack%03d-tray".formatted(rack);
    }

    /** The name of a node, both from 0. */
    public static String node(int rack, int node) {
        return "rack%03d-tray-%02d".formatted(rack, node + 1);
    }

    /** Adds a rack in which all is well, with as many workloads, each on its share of the nodes. */
    public void add(int rack, int workloads) {
        for (int node = 0; node < NODES; node++) {
            ObjectNode kubernetes = Fixtures.node(node(rack, node), Fixtures.uid(20_000_000 + rack * NODES + node));
            ready(kubernetes, true);
            api.apply(kubernetes);
            api.apply(nvlinkNode(rack, node, workloads));
        }
        api.apply(table(rack, workloads));
    }

    private static void ready(ObjectNode node, boolean is) {
        node.withObject("/status")
                .putArray("conditions")
                .addObject()
                .put("type", "Ready")
                .put("status", is ? "True" : "False");
    }

    /** The kubelet of a node answers no more. */
    public void silence(int rack, int node) {
        api.edit(ResourceType.NODES, "", node(rack, node), object -> ready(object, false));
    }

    public void change(int rack, int node, Consumer<ObjectNode> change) {
        api.edit(ResourceType.NVLINK_NODES, "", node(rack, node), change);
    }

    /** The Nodes of a rack get a label. */
    public void label(int rack, String key, String value) {
        for (int node = 0; node < NODES; node++) {
            api.edit(
                    ResourceType.NODES,
                    "",
                    node(rack, node),
                    object -> object.withObject("/metadata/labels").put(key, value));
        }
    }

    /** What the agent of a node reports of itself and of the GPUs. */
    public void report(int rack, int node, Consumer<ObjectNode> change) {
        change(rack, node, object -> change.accept(object.withObject("/status/agent")));
    }

    /** The nvidia-imex of a node has failed: so it says itself, and the others have lost it. */
    public void fail(int rack, int failed) {
        for (int node = 0; node < NODES; node++) {
            int at = node;
            change(rack, node, object -> {
                ObjectNode status = object.withObject("/status");
                if (at == failed) {
                    status.put("imex", "failed")
                            .put("imexSince", "2026-11-23T10:12:00Z")
                            .remove("peers");
                    status.putObject("connections").put("address", address(at));
                } else {
                    status.put("imex", "degraded").put("peers", "16/17");
                    connect(status, at, "lost", failed);
                }
            });
        }
    }

    /** Two nodes do not talk to each other: their versions differ. */
    public void mismatch(int rack, int one, int other) {
        change(rack, one, object -> mismatch(object.withObject("/status"), one, other));
        change(rack, other, object -> mismatch(object.withObject("/status"), other, one));
    }

    private static void mismatch(ObjectNode status, int at, int from) {
        status.put("imex", "version-mismatch").put("peers", "16/17");
        connect(status, at, "degraded", from);
        if (at > from) {
            status.put("driver", "580.82.07");
        }
    }

    /** Connects a node to all others of its rack but these, its connections to which are in this state. */
    private static void connect(ObjectNode status, int at, String state, int... apart) {
        ObjectNode connections = status.putObject("connections").put("address", address(at));
        IntStream connected = IntStream.range(0, NODES)
                .filter(node -> node != at && IntStream.of(apart).noneMatch(other -> other == node));
        put(connections, "connected", connected);
        put(connections, state, IntStream.of(apart));
    }

    private static void put(ObjectNode connections, String state, IntStream nodes) {
        String addresses = nodes.mapToObj(ShownRacks::address).collect(joining(" "));
        if (!addresses.isEmpty()) {
            connections.put(state, addresses);
        }
    }

    private static String address(int node) {
        return "10.0.0." + (node + 1);
    }

    private static ObjectNode nvlinkNode(int rack, int node, int workloads) {
        String clique = clique(rack);
        ObjectNode object = Json.literal("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode",
                 "metadata":{"name":"%s","finalizers":["imexagent.io/holds"],"labels":{"clique.imexagent.io/%s":""}},
                 "spec":{"session":"f87f843e-96a2-4457-b9f7-a77c468fcaff","write":7,"cliques":["%s"],
                  "bootID":"f87f843e-96a2-4457-b9f7-a77c468fcaff","imexChannelCount":2048,"holds":[]},
                 "status":{"clique":"%s","driver":"580.95.05","gpus":4,"imex":"up",
                  "imexSince":"2026-11-20T08:00:00Z","peers":"17/17",
                  "agent":{"version":"0.3.0","gpus":4,"product":"NVIDIA GB200","findings":"",
                   "xidsSince":"2026-11-20T08:00:00Z","xids":""}}}""".formatted(node(rack, node), clique, clique, clique));
        connect(object.withObject("/status"), node, "lost");
        for (int workload = 0; workload < workloads; workload++) {
            if (node * workloads / NODES == workload) {
                name(object.withArray("/spec/holds").addObject(), rack, workload)
                        .put("channel", workload + 1);
            }
        }
        return object;
    }

    private ObjectNode table(int rack, int workloads) {
        ObjectNode table = Json.literal("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkClique",
                 "metadata":{"name":"%s","uid":"%s","finalizers":["imexagent.io/channels"]},
                 "spec":{"limit":2048,"channels":[]}}""".formatted(clique(rack), Fixtures.uid(30_000_000 + uids++)));
        for (int workload = 0; workload < workloads; workload++) {
            name(table.withArray("/spec/channels").addObject(), rack, workload)
                    .put("id", workload + 1)
                    .put("by", node(rack, 0))
                    .put("state", "Assigned");
        }
        return table;
    }

    private static ObjectNode name(ObjectNode part, int rack, int workload) {
        return part.put("computeDomain", Fixtures.uid(40_000_000 + rack * 100 + workload))
                .put("namespace", "team-" + "abcdef".charAt((rack + workload) % 6))
                .put("name", "training-%d-%d".formatted(rack, workload));
    }
}
