package io.imexagent.rdma.rails;

import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Grant;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.TopologyFile;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at made-up trays, and claims for their rails. */
final class Trays {

    static final String POOL = "tray-1";
    static final String RDMA0 = "rail-0000-03-00-0";
    static final String RDMA1 = "rail-0002-03-00-0";
    static final String RDMA2 = "rail-0010-03-00-0";
    static final String RDMA3 = "rail-0012-03-00-0";
    /** A runtime that moves no interfaces. */
    static final NetdevSupport UNABLE = new NetdevSupport.Unsupported("runc 1.1");

    static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");
    static final ClaimRef CLAIM =
            new ClaimRef(new ClaimName("team", "rails"), new ClaimUid("00000000-0000-4000-8000-000000000007"));

    /** Fields of configurations by a word. */
    private static final Map<String, String> CONFIGS = Map.of(
            "plain", "",
            "quiet", ",\"nccl\":false",
            "always", ",\"env\":\"always\"",
            "unlessSet", ",\"env\":\"unless-set\",\"debugLevel\":\"WARN\"",
            "quietUnlessSet", ",\"env\":\"unless-set\",\"nccl\":false",
            "explicit",
                    ",\"ncclIbHca\":\"=mlx5_9\",\"gidIndex\":5,\"topologyFile\":\"/workspace/topo.xml\","
                            + "\"debugLevel\":\"WARN\"",
            "netdev", ",\"mode\":\"Netdev\"",
            "netdevIndex", ",\"mode\":\"Netdev\",\"gidIndex\":1",
            "management", ",\"umad\":true,\"issm\":true");

    private Trays() {}

    static RdmaInventory inventory(RdmaTree tree) throws IOException {
        return new RdmaProbe(new RootedFiles(tree.root())).scan(tree.gpus(), Settings.OFF, Set.of());
    }

    static Selection selection(RdmaInventory inventory) {
        return new RailSelector(Settings.OFF).select(inventory);
    }

    static RdmaView view(RdmaTree tree) throws IOException {
        return view(tree, Optional.empty(), Settings.OFF);
    }

    static RdmaView view(RdmaTree tree, Optional<String> topologyFile, RdmaSettings settings) throws IOException {
        RdmaInventory inventory = inventory(tree);
        return new RdmaView(
                NOON,
                inventory,
                selection(inventory),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                topologyFile.<TopologyFile>map(TopologyFile.TopologyFound::new).orElseGet(TopologyFile.NoTopology::new),
                settings);
    }

    /** The same node, with this container runtime. */
    static RdmaView on(String runtime, RdmaView view) {
        return new RdmaView(
                view.takenAt(),
                view.inventory(),
                view.selection(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.of(runtime)),
                view.topology(),
                view.settings());
    }

    static Ledger noClaims() {
        return Ledger.empty(Optional.empty());
    }

    /** What becomes of a claim of this status whose pod does not matter. */
    static Outcome<Grant> plan(ClaimRef ref, ClaimStatus status, Ledger ledger, Optional<RdmaView> view) {
        return plan(ref, status, Optional.empty(), ledger, view, UNABLE);
    }

    /** What becomes of a claim of this status. */
    static Outcome<Grant> plan(
            ClaimRef ref,
            ClaimStatus status,
            Optional<Refusal> pod,
            Ledger ledger,
            Optional<RdmaView> view,
            NetdevSupport netdev) {
        return RailClaim.read(status, POOL)
                .then(claim -> RailPlanner.plan(ref, claim.withPod(pod), ledger, view, netdev));
    }

    /** The claim as it is recorded once it has this. */
    static ClaimEntry.Completed entry(ClaimStatus status, Grant grant) {
        return new ClaimEntry.Completed(CLAIM.uid(), Optional.of(CLAIM.name()), status, grant.groups());
    }

    static ClaimStatus status(String... devices) {
        return status(List.of(), devices);
    }

    static ClaimStatus status(List<DeviceConfig> configs, String... devices) {
        return new ClaimStatus(
                Optional.of(new Allocation(
                        Arrays.stream(devices)
                                .map(device -> DraSpecimens.allocated("nics", RailDriver.NAME, POOL, device))
                                .toList(),
                        configs,
                        Optional.empty(),
                        Optional.empty())),
                List.of(),
                List.of());
    }

    static DeviceConfig config(DeviceConfig.Source source, String word, String... requests) {
        return new DeviceConfig(
                source, List.of(requests), Optional.of(new DeviceConfig.Opaque(RailDriver.NAME, parameters(word))));
    }

    private static JsonText parameters(String word) {
        return new JsonText("{\"apiVersion\":\"" + RailDriver.API_VERSION + "\",\"kind\":\"" + RailDriver.CONFIG_KIND
                + "\"" + CONFIGS.getOrDefault(word, ",\"mode\":\"" + word + "\"") + "}");
    }
}
