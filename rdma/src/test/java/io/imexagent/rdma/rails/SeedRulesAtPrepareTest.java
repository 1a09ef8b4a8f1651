package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.Grant;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.selection.Rail;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The rules of the harness of seed 002 that hold when a container is given NICs, each by its name there; those about the
 * choice of NICs stand in {@code SeedRulesTest} of the selection.
 */
class SeedRulesAtPrepareTest {

    @TempDir
    Path root;

    private RdmaTree tree;

    @BeforeEach
    void layOut() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void aContainerSeesExactlyTheNicsThatItMayUse() throws IOException {
        ClaimEdits edits = edits(Trays.status(Trays.RDMA1, Trays.RDMA2));

        assertThat(edits.devices().values())
                .flatMap(device -> device.edits().nodes())
                .map(ClaimEdits.DeviceNodeEdits::path)
                .containsExactly("/dev/infiniband/uverbs1", "/dev/infiniband/uverbs4");
        assertThat(edits.shared().nodes())
                .map(ClaimEdits.DeviceNodeEdits::path)
                .containsExactly("/dev/infiniband/rdma_cm");
    }

    @Test
    void ncclIbHcaIsDerivedFromTheKeptNicsAndNeverMadeUp() throws IOException {
        tree.add(new FixtureNic("mlx5_10", "0022:03:00.0", "rdma10").ipv4("10.1.10.1/31"));

        assertThat(environment(Trays.status(Trays.RDMA1, "rail-0022-03-00-0"))).contains("NCCL_IB_HCA==mlx5_1,mlx5_10");
        assertThat(Rail.ncclIbHca(List.of())).as("an empty list would mean all").isEmpty();
    }

    @Test
    void anExplicitNcclIbHcaAndTopologyFileWin() throws IOException {
        List<String> environment = environment(
                Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "explicit")), Trays.RDMA0),
                Optional.of("/etc/nccl-topo.xml"));

        assertThat(environment).contains("NCCL_IB_HCA==mlx5_9", "NCCL_TOPO_FILE=/workspace/topo.xml");
        assertThat(environment).noneMatch(entry -> entry.contains("/etc/nccl-topo.xml"));
    }

    @Test
    void ncclTopoFileIsSetOnlyIfConfiguredAndPresent() throws IOException {
        assertThat(environment(Trays.status(Trays.RDMA0))).noneMatch(entry -> entry.startsWith("NCCL_TOPO_FILE"));
        assertThat(environment(Trays.status(Trays.RDMA0), Optional.of("/etc/nccl-topo.xml")))
                .contains("NCCL_TOPO_FILE=/etc/nccl-topo.xml");
    }

    @Test
    void oneSwitchSetsTheWholeDebugSetAndItIsOffOtherwise() throws IOException {
        assertThat(RailConfig.DEBUG_ALL)
                .containsOnlyKeys("NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE", "NCCL_TOPO_DUMP_FILE");
        assertThat(environment(Trays.status(Trays.RDMA0)))
                .noneMatch(entry -> RailConfig.DEBUG_ALL.keySet().stream().anyMatch(entry::startsWith));
    }

    @Test
    void everyMovedInterfaceHasItsArpSetUp() throws IOException {
        var status = Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "netdev")), Trays.RDMA0, Trays.RDMA3);

        ClaimEdits edits = edits(Trays.plan(
                Trays.CLAIM,
                status,
                RailClaim.refused("train-0", false, 1),
                Trays.noClaims(),
                Optional.of(Trays.view(tree)),
                new NetdevSupport.Supported("/hook")));

        assertThat(edits.shared().hooks())
                .containsExactly(new ClaimEdits.Hook("createRuntime", "/hook", List.of("rdma0", "rdma3")));
        assertThat(edits.devices().values())
                .flatMap(device -> device.edits().interfaces())
                .map(ClaimEdits.Interface::onHost)
                .containsExactly("rdma0", "rdma3");
    }

    private List<String> environment(ClaimStatus status) throws IOException {
        return environment(status, Optional.empty());
    }

    private List<String> environment(ClaimStatus status, Optional<String> topologyFile) throws IOException {
        return edits(status, topologyFile).shared().environment();
    }

    private ClaimEdits edits(ClaimStatus status) throws IOException {
        return edits(status, Optional.empty());
    }

    private ClaimEdits edits(ClaimStatus status, Optional<String> topologyFile) throws IOException {
        return edits(Trays.plan(
                Trays.CLAIM, status, Trays.noClaims(), Optional.of(Trays.view(tree, topologyFile, Settings.OFF))));
    }

    private static ClaimEdits edits(Outcome<Grant> outcome) {
        return outcome.toOptional().orElseThrow().edits();
    }
}
