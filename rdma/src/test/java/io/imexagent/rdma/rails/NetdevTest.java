package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.DeviceConfig.Source;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Grant;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims whose interfaces move into the container. */
class NetdevTest {

    private static final NetdevSupport ABLE = new NetdevSupport.Supported("/usr/libexec/imex-agent/rail-arp-hook");
    private static final Optional<Refusal> POD = RailClaim.refused("train-0", false, 1);

    @TempDir
    Path root;

    private final ClaimStatus status =
            Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "netdev")), Trays.RDMA0, Trays.RDMA1);
    private RdmaTree tree;

    @BeforeEach
    void aTray() {
        tree = RdmaTree.gb200(root);
    }

    @Test
    void eachInterfaceMovesWithItsNodeAndTheHookSetsUpAllOfThem() throws IOException {
        ClaimEdits edits = edits(plan(ABLE, POD));

        assertThat(edits.devices().firstEntry().getValue().edits())
                .isEqualTo(new ClaimEdits.Edits(
                        List.of(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs0", 231, 192)),
                        List.of(),
                        List.of(new ClaimEdits.Interface("rdma0", "rdma0")),
                        List.of(),
                        List.of()));
        assertThat(edits.shared().hooks())
                .containsExactly(new ClaimEdits.Hook(
                        "createRuntime", "/usr/libexec/imex-agent/rail-arp-hook", List.of("rdma0", "rdma1")));
    }

    @Test
    void theHostsGidIndexIsNotHandedOutSinceTheKernelFillsTheTableAnew() throws IOException {
        assertThat(Trays.view(tree).selection().rails())
                .extracting(rail -> rail.gid().orElseThrow().index())
                .containsOnly(3);

        ClaimEdits edits = edits(plan(ABLE, POD));

        assertThat(edits.shared().environment()).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1");
    }

    @Test
    void anExplicitGidIndexStillWins() throws IOException {
        ClaimStatus explicit =
                Trays.status(List.of(Trays.config(Source.FROM_CLAIM, "netdevIndex")), Trays.RDMA0, Trays.RDMA1);

        ClaimEdits edits = edits(plan(ABLE, POD, explicit));

        assertThat(edits.shared().environment()).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_1", "NCCL_IB_GID_INDEX=1");
    }

    @Test
    void aRuntimeThatCannotIsRefusedByItsNameAndVersion() throws IOException {
        Refusal refusal = refusal(plan(
                new NetdevSupport.Unsupported("/usr/sbin/runc (runc version 1.1.5) cannot move network interfaces; runc"
                        + " 1.4.0 and crun 1.22 and later can"),
                POD));

        assertThat(refusal.code()).isEqualTo(RefusalCode.NETDEV_RUNTIME);
        assertThat(refusal.message()).contains("runc version 1.1.5", "1.4.0", "mode Verbs");
    }

    @Test
    void hostNetworkIsRefused() throws IOException {
        Refusal refusal = refusal(plan(ABLE, RailClaim.refused("train-0", true, 1)));

        assertThat(refusal.code()).isEqualTo(RefusalCode.NETDEV_POD);
        assertThat(refusal.message()).contains("train-0", "hostNetwork");
    }

    @Test
    void severalContainersAreRefused() throws IOException {
        Refusal refusal = refusal(plan(ABLE, RailClaim.refused("train-0", false, 2)));

        assertThat(refusal.code()).isEqualTo(RefusalCode.NETDEV_POD);
        assertThat(refusal.message()).contains("2 containers of pod train-0");
    }

    @Test
    void aClaimOfSeveralPodsIsRefused() throws IOException {
        assertThat(refusal(plan(ABLE, RailClaim.notOfOnePod("the claim is reserved for 2 users")))
                        .message())
                .contains("reserved for 2 users", "ResourceClaimTemplate");
    }

    @Test
    void exclusiveNamespacesAreRefusedBeforeTheRuntimeIsAsked() throws IOException {
        tree.file("sys/module/ib_core/parameters/netns_mode", "N");

        assertThat(refusal(plan(new NetdevSupport.Unsupported("old"), POD)).code())
                .isEqualTo(RefusalCode.RDMA_NAMESPACES);
    }

    @Test
    void aNicWithoutAnInterfaceHasNothingToMove() throws IOException {
        tree.change("mlx5_1", nic -> nic.infiniband("0x0011").withoutNetdev());

        Refusal refusal = refusal(plan(ABLE, POD));
        assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_NOT_OFFERED);
        assertThat(refusal.message()).contains("mlx5_1 has no network interface");
    }

    @Test
    void aDeviceWithAPortOnAnotherFunctionsInterfaceIsMovedByNone() throws IOException {
        tree.change("mlx5_1", nic -> nic.secondPort("rdma9", List.of("10.1.9.1/31"), "4: ACTIVE"));

        Refusal refusal = refusal(plan(ABLE, POD));
        assertThat(refusal.code()).isEqualTo(RefusalCode.NETDEV_RUNTIME);
        assertThat(refusal.message()).contains("mlx5_1 has several ports", "mode Verbs");
    }

    @Test
    void aSpecWhoseInterfacesHaveMovedStaysAsItIs() throws IOException {
        ClaimEntry.Completed entry =
                Trays.entry(status, plan(ABLE, POD).toOptional().orElseThrow());
        assertThat(RailPlanner.edits(Trays.POOL, entry, view(), ABLE)).isPresent();

        tree.change("mlx5_0", FixtureNic::withoutNetdev);

        assertThat(RailPlanner.edits(Trays.POOL, entry, view(), ABLE)).isEmpty();
    }

    private Optional<RdmaView> view() throws IOException {
        return Optional.of(Trays.view(tree, Optional.empty(), Settings.TELLING_THE_GID_INDEX));
    }

    private Outcome<Grant> plan(NetdevSupport netdev, Optional<Refusal> pod) throws IOException {
        return plan(netdev, pod, status);
    }

    private Outcome<Grant> plan(NetdevSupport netdev, Optional<Refusal> pod, ClaimStatus claim) throws IOException {
        return Trays.plan(Trays.CLAIM, claim, pod, Trays.noClaims(), view(), netdev);
    }

    private static Refusal refusal(Outcome<Grant> outcome) {
        return outcome.refusal().orElseThrow();
    }

    private static ClaimEdits edits(Outcome<Grant> outcome) {
        return outcome.toOptional().orElseThrow().edits();
    }
}
