package io.imexagent.rdma.dra;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.DeviceConfigs.Reading;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.probe.UplinkHints;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.selection.SelectionPolicy;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Looks at made-up trays, and claims for their rails. */
final class Trays {

    static final String POOL = "tray-1";
    static final String RDMA0 = "rail-0000-03-00-0";
    static final String RDMA1 = "rail-0002-03-00-0";
    static final String RDMA2 = "rail-0010-03-00-0";
    static final String RDMA3 = "rail-0012-03-00-0";
    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    static final ClaimRef CLAIM =
            new ClaimRef(new ClaimName("team", "rails"), new ClaimUid("00000000-0000-4000-8000-000000000007"));

    /** Configurations by a word, which stands for what a decoder of JSON makes of real ones. */
    private static final Map<String, RailConfig> CONFIGS = Map.of(
            "plain",
            RailConfig.STANDARD,
            "quiet",
            config(false, false, Optional.empty(), OptionalInt.empty(), Optional.empty(), Map.of()),
            "explicit",
            config(
                    false,
                    true,
                    Optional.of("=mlx5_9"),
                    OptionalInt.of(5),
                    Optional.of("/workspace/topo.xml"),
                    Map.of("NCCL_DEBUG", "WARN")),
            "netdev",
            netdev(OptionalInt.empty()),
            "netdevIndex",
            netdev(OptionalInt.of(1)),
            "management",
            new RailConfig(
                    RailConfig.Mode.VERBS,
                    true,
                    true,
                    true,
                    Optional.empty(),
                    OptionalInt.empty(),
                    Optional.empty(),
                    true,
                    new TreeMap<>()));

    private Trays() {}

    private static RailConfig netdev(OptionalInt gidIndex) {
        RailConfig plain = RailConfig.STANDARD;
        return new RailConfig(
                RailConfig.Mode.NETDEV,
                plain.umad(),
                plain.issm(),
                plain.nccl(),
                plain.hca(),
                gidIndex,
                plain.topologyFile(),
                plain.hostTopology(),
                plain.debug());
    }

    private static RailConfig config(
            boolean umad,
            boolean nccl,
            Optional<String> hca,
            OptionalInt gidIndex,
            Optional<String> topologyFile,
            Map<String, String> debug) {
        return new RailConfig(
                RailConfig.Mode.VERBS, umad, false, nccl, hca, gidIndex, topologyFile, true, new TreeMap<>(debug));
    }

    static RailPlanner planner() {
        return new RailPlanner(new RailDemandReader(POOL, Trays::decode));
    }

    private static Reading<RailConfig> decode(JsonText text) {
        RailConfig config = CONFIGS.get(text.text());
        return config == null ? new Reading.Invalid<>("field \"mode\" is unknown") : new Reading.Valid<>(config);
    }

    static RdmaInventory inventory(RdmaTree tree) throws IOException {
        return new RdmaProbe(new RootedFiles(tree.root()), Clock.systemUTC()).scan(tree.gpus(), UplinkHints.NONE);
    }

    static Selection selection(RdmaInventory inventory) {
        return new RailSelector(SelectionPolicy.STANDARD).select(inventory);
    }

    static RailNode node(RdmaTree tree) throws IOException {
        return node(tree, Optional.empty());
    }

    static RailNode node(RdmaTree tree, Optional<String> topologyFile) throws IOException {
        RdmaInventory inventory = inventory(tree);
        return new RailNode(
                inventory,
                selection(inventory),
                topologyFile,
                RailNode.Management.NONE,
                new NetdevSupport.Unsupported("runc 1.1"));
    }

    static Ledger noClaims() {
        return Ledger.empty(Optional.empty());
    }

    static ClaimFacts facts(ClaimRef ref, ClaimStatus status) {
        return new ClaimFacts(ref, new ClaimFacts.ClaimLookup.Found(status), new ClaimFacts.DomainLookup.NotAsked());
    }

    static ClaimStatus status(String... devices) {
        return status(List.of(), devices);
    }

    static ClaimStatus status(List<DeviceConfig> configs, String... devices) {
        return new ClaimStatus(
                Optional.of(new Allocation(
                        Arrays.stream(devices)
                                .map(device -> AllocatedDevice.of("nics", RailDriver.NAME, POOL, device))
                                .toList(),
                        configs,
                        Optional.empty(),
                        Optional.empty())),
                List.of(),
                List.of());
    }

    static DeviceConfig config(DeviceConfig.Source source, String word, String... requests) {
        return new DeviceConfig(
                source, List.of(requests), Optional.of(new DeviceConfig.Opaque(RailDriver.NAME, new JsonText(word))));
    }
}
