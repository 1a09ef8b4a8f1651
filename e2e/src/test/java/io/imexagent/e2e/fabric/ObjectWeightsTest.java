package io.imexagent.e2e.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
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
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The simulation counts the bytes that the client writes and the API server double stores. */
class ObjectWeightsTest {

    private static final int MANY = 20;

    @Test
    void theObjectsOfNodesWeighWhatTheSimulationCounts() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api)) {
            var _ = clients.agent("tray-00000", ApiObserver.NONE).nodes().create("tray-00000", holding(0));
            var _ = clients.agent("tray-00001", ApiObserver.NONE).nodes().create("tray-00001", holding(MANY));

            int node = bytes(api, ResourceType.NVLINK_NODES, "tray-00000");
            int hold = (bytes(api, ResourceType.NVLINK_NODES, "tray-00001") - node) / MANY;

            assertThat(SimulatedServer.weight(holding(0))).isEqualTo(node);
            assertThat(SimulatedServer.weight(holding(MANY))).isEqualTo(node + MANY * hold);
        }
    }

    @Test
    void theTablesOfCliquesWeighWhatTheSimulationCounts() throws Exception {
        try (ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
                Clients clients = new Clients(api)) {
            var other = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.30001");
            var _ = clients.control().cliques().create(other.text(), table(0));
            var _ = clients.control().cliques().create(Clients.CLIQUE.text(), table(MANY));

            int table = bytes(api, ResourceType.NVLINK_CLIQUES, other.text());
            int entry = (bytes(api, ResourceType.NVLINK_CLIQUES, Clients.CLIQUE.text()) - table) / MANY;

            assertThat(SimulatedServer.weight(table(0))).isEqualTo(table);
            assertThat(SimulatedServer.weight(table(MANY))).isEqualTo(table + MANY * entry);
        }
    }

    private static int bytes(ApiDouble api, ResourceType type, String name) {
        return Json.bytes(api.get(type, "", name).orElseThrow()).length;
    }

    private static NvlinkNode holding(int holds) {
        var sight = new NodeStatus(
                Optional.of(Clients.CLIQUE),
                Optional.of("580.95.05"),
                4,
                Optional.of("ready"),
                Optional.of(Instant.parse("2026-11-21T12:00:00Z")),
                Optional.of("18/18"),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
        return new NvlinkNode(
                "f87f843e-96a2-4457-b9f7-a77c468fcaff",
                100,
                new TreeSet<>(List.of(Clients.CLIQUE)),
                Optional.of(new BootId("f87f843e-96a2-4457-b9f7-a77c468fcaff")),
                OptionalInt.of(2048),
                NvlinkNode.byDomain(many(holds, i -> new Hold(domain(i), Optional.of(channel(i))))),
                sight,
                true);
    }

    private static NvlinkClique table(int entries) {
        return new NvlinkClique(
                2048,
                Optional.empty(),
                ChannelTable.of(many(
                        entries,
                        i -> new ChannelEntry(channel(i), domain(i), "tray-00000", ChannelEntry.EntryState.ASSIGNED))));
    }

    private static <T> List<T> many(int count, IntFunction<T> each) {
        return IntStream.range(0, count).mapToObj(each).toList();
    }

    private static ChannelId channel(int number) {
        return new ChannelId(100 + number);
    }

    private static DomainName domain(int number) {
        return new DomainName(
                new ComputeDomainUid("5d1c5c6e-0000-4000-8000-%012d".formatted(number)),
                "team-00",
                "training-" + (100 + number));
    }
}
