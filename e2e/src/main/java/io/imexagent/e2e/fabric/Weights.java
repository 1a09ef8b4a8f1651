package io.imexagent.e2e.fabric;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * How many bytes the objects have as JSON: as the client writes them and the API server double stores them, without the
 * {@code managedFields} of a real one.
 *
 * @param node the object of a node without holds
 * @param hold each of its holds
 * @param table the table of a clique without entries
 * @param entry each of its entries
 */
record Weights(int node, int hold, int table, int entry) {

    private static final int MANY = 20;

    /** Weighs them at a double. */
    static Weights measured() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api)) {
            int node = node(api, clients, "tray-00000", 0);
            int table = table(api, clients, 1, 0);
            return new Weights(
                    node,
                    (node(api, clients, "tray-00001", MANY) - node) / MANY,
                    table,
                    (table(api, clients, 2, MANY) - table) / MANY);
        }
    }

    private static int node(ApiDouble api, Clients clients, String name, int holds) throws Exception {
        var clique = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766");
        List<Hold> all = IntStream.range(0, holds)
                .mapToObj(i -> new Hold(domain(i), Optional.of(new ChannelId(100 + i))))
                .toList();
        var sight = new NodeSight(
                Optional.of(clique),
                Optional.of("580.95.05"),
                4,
                Optional.of("ready"),
                Optional.of(Instant.parse("2026-11-21T12:00:00Z")),
                Optional.of("18/18"));
        var content = new NvlinkNode(
                "f87f843e-96a2-4457-b9f7-a77c468fcaff",
                100,
                new TreeSet<>(List.of(clique)),
                Optional.of(new BootId("f87f843e-96a2-4457-b9f7-a77c468fcaff")),
                OptionalInt.of(2048),
                NvlinkNode.byDomain(all),
                sight,
                true);
        var _ = clients.agent(name).fabric().create(name, content);
        return Json.bytes(api.get(ResourceType.NVLINK_NODES, "", name).orElseThrow()).length;
    }

    private static int table(ApiDouble api, Clients clients, int number, int entries) throws Exception {
        var clique = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + (30_000 + number));
        List<ChannelEntry> all = IntStream.range(0, entries)
                .mapToObj(i ->
                        new ChannelEntry(new ChannelId(100 + i), domain(i), "tray-00000", ChannelEntry.State.ASSIGNED))
                .toList();
        var _ = clients.control().fabric().create(clique, new NvlinkClique(2048, ChannelTable.of(all)));
        return Json.bytes(
                        api.get(ResourceType.NVLINK_CLIQUES, "", clique.text()).orElseThrow())
                .length;
    }

    private static DomainName domain(int number) {
        return new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-%012d".formatted(number)),
                "team-00",
                "training-" + (100 + number));
    }

    /** The object of a node. */
    int of(NvlinkNode content) {
        return node + hold * content.holds().size();
    }

    /** The table of a clique. */
    int of(NvlinkClique content) {
        return table + entry * content.table().entries().size();
    }
}
