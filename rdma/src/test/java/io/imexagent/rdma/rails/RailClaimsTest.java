package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.cdi.CdiSpec;
import io.imexagent.cdi.CdiSpecReader;
import io.imexagent.cdi.ContainerEdits;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.claim.SimulatedCrash;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.fake.HangingFile;
import io.imexagent.rdma.fixture.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims for rails from the kubelet's call to the files, over a made-up tray; cut after every effect. */
class RailClaimsTest {

    @TempDir
    Path folder;

    @Test
    void aClaimForTwoRailsIsPreparedAndUnprepared() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0", "rail-0012-03-00-0");

            Prepared answer = node.prepare(claim).toOptional().orElseThrow();

            assertThat(answer.devices())
                    .map(device -> device.cdiDeviceIds().getFirst())
                    .containsExactly(
                            "k8s.rdma.imexagent.io/claim=uid-a-rail-0000-03-00-0",
                            "k8s.rdma.imexagent.io/claim=uid-a-rail-0012-03-00-0");
            CdiSpec spec = CdiSpecReader.read(node.specs, claim.uid()).orElseThrow();
            assertThat(spec.version().text()).isEqualTo("0.3.0");
            assertThat(spec.containerEdits().env()).containsExactly("NCCL_IB_HCA==mlx5_0,mlx5_5");
            assertThat(spec.devices())
                    .flatMap(device -> device.containerEdits().deviceNodes())
                    .map(ContainerEdits.DeviceNode::path)
                    .containsExactly("/dev/infiniband/uverbs0", "/dev/infiniband/uverbs5");
            assertThat(node.saved().completed()).hasSize(1);

            assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aRenumberingSinceTheLastScanIsRefusedAndTheNextCallGetsTheNewNodes() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            node.tray.renumberUverbs();

            Refusal refused = Refused.of(node.prepare(claim));

            assertThat(refused.code()).isEqualTo(RefusalCode.RAIL_RENUMBERED);
            assertThat(refused.message()).contains("uverbs0 belongs to mlx5_7, not to mlx5_0");
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
            node.awaitNode("mlx5_0", 7);
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(Files.readString(node.specs.file(claim.uid()))).contains("uverbs7");
        }
    }

    @Test
    void aFileThatHangsCostsTheClaimItsTryAndNothingElse() throws Exception {
        try (RailsNode node =
                RailsNode.in(folder).patient(Duration.ofMillis(500)).start()) {
            ClaimRef other = node.claim("b", "rail-0002-03-00-0");
            node.prepare(other);
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            try (var _ = HangingFile.at(node.tray.root().resolve("sys/class/infiniband_verbs/uverbs0/ibdev"))) {

                Refusal refused = Refused.of(node.prepare(claim));

                assertThat(refused.message()).contains("do not answer in time");
                assertThat(node.saved().entries()).hasSize(1);
                assertThat(node.prepare(other)).isInstanceOf(Outcome.Accepted.class);
                assertThat(node.unprepare(other)).isEqualTo(Outcome.accepted(new Unprepared()));
            }
            Eventually.holds("the file is read again", () -> node.prepare(claim) instanceof Outcome.Accepted);
        }
    }

    @Test
    void theSpecOfAPreparedClaimFollowsARenumbering() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            node.prepare(claim);
            node.reconciler().start();

            node.tray.renumberUverbs();
            node.read();

            node.awaitSpec(claim, "uverbs7");
        }
    }

    @Test
    void whatThePodMaySetIsAFileBesideTheSpecAndGoesWithIt() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claimUnlessSet("a", "rail-0000-03-00-0");

            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);

            assertThat(Files.readString(node.ownFile(claim))).isEqualTo("NCCL_IB_HCA==mlx5_0\n");
            ContainerEdits edits =
                    CdiSpecReader.read(node.specs, claim.uid()).orElseThrow().containerEdits();
            assertThat(edits.env()).containsExactly("NCCL_CONF_FILE=/run/imex-agent/nccl.conf");
            assertThat(edits.mounts())
                    .containsExactly(new ContainerEdits.Mount(
                            node.ownFile(claim).toString(),
                            "/run/imex-agent/nccl.conf",
                            List.of("ro", "nosuid", "nodev", "bind")));

            node.unprepare(claim);
            assertThat(node.ownFile(claim)).doesNotExist();
        }
    }

    @Test
    void whatThePodMaySetSurvivesCutsAndRestarts() throws Exception {
        everyCut(2, node -> node.prepare(node.claimUnlessSet("a", "rail-0000-03-00-0")), node -> {
            ClaimRef claim = node.claimUnlessSet("a", "rail-0000-03-00-0");
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.ownFile(claim)).exists();
        });
    }

    @Test
    void aFileOfAClaimThatSomebodyRemovedIsThereAgainAfterTheStart() throws Exception {
        ClaimRef claim = DraSpecimens.ref("a");
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.prepare(node.claimUnlessSet("a", "rail-0000-03-00-0"));
            Files.delete(node.ownFile(claim));
        }
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.reconciler().start();
            Eventually.holds("the file", () -> Files.exists(node.ownFile(claim)));
        }
    }

    @Test
    void theGidIndexInTheSpecOfAPreparedClaimFollowsAddresses() throws Exception {
        try (RailsNode node =
                RailsNode.in(folder).by(() -> Settings.TELLING_THE_GID_INDEX).start()) {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            node.prepare(claim);
            node.reconciler().start();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX=3");

            node.tray.change(
                    "mlx5_0", nic -> nic.withoutAddress().ipv4("fd00:1::1/64").ipv4("10.1.0.9/31"));
            node.read();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX=5");

            node.tray.change("mlx5_0", nic -> nic.withoutAddress());
            node.read();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX", false);
        }
    }

    @Test
    void theGidIndexInSpecsFollowsTheConfigurationAlone() throws Exception {
        var settings = new AtomicReference<>(Settings.OFF);
        try (RailsNode node = RailsNode.in(folder).by(settings::get).start()) {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            node.prepare(claim);
            assertThat(Files.readString(node.specs.file(claim.uid()))).doesNotContain("NCCL_IB_GID_INDEX");
            node.reconciler().start();

            settings.set(Settings.TELLING_THE_GID_INDEX);
            node.read();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX=3");

            settings.set(Settings.OFF);
            node.read();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX", false);
        }
    }

    @Test
    void anIndexThatAnEarlierAgentFrozeGoesFromTheSpecAfterTheStart() throws Exception {
        ClaimRef claim = DraSpecimens.ref("a");
        try (RailsNode node =
                RailsNode.in(folder).by(() -> Settings.TELLING_THE_GID_INDEX).start()) {
            node.prepare(node.claim("a", "rail-0000-03-00-0"));
        }
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.reconciler().start();
            node.awaitSpec(claim, "NCCL_IB_GID_INDEX", false);
            assertThat(Files.readString(node.specs.file(claim.uid()))).contains("NCCL_IB_HCA==mlx5_0");
        }
    }

    @Test
    void aPrepareThatWasCutConvergesWithTheRetry() throws Exception {
        everyCut(2, node -> node.prepare(node.claim("a", "rail-0000-03-00-0")), node -> {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(CdiSpecReader.read(node.specs, claim.uid())).isPresent();
        });
    }

    @Test
    void aPrepareThatWasCutLeavesNothingWhenItsPodIsDeletedInstead() throws Exception {
        everyCut(2, node -> node.prepare(node.claim("a", "rail-0000-03-00-0")), node -> {
            ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
            assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.specs.list()).isEmpty();
            assertThat(node.saved().completed()).isEmpty();
        });
    }

    @Test
    void anUnprepareThatWasCutConvergesWithTheRetry() throws Exception {
        everyCut(
                4,
                node -> {
                    ClaimRef claim = node.claim("a", "rail-0000-03-00-0");
                    node.prepare(claim);
                    node.unprepare(claim);
                },
                node -> {
                    assertThat(node.unprepare(DraSpecimens.ref("a"))).isEqualTo(Outcome.accepted(new Unprepared()));
                    assertThat(node.specs.list()).isEmpty();
                });
    }

    @Test
    void aRebootVoidsClaimsAndSpecs() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.prepare(node.claim("a", "rail-0000-03-00-0"));
        }
        try (RailsNode node = RailsNode.in(folder).booted(new BootId("another")).start()) {
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.saved().bootId()).contains(new BootId("another"));
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aSpecThatSomebodyRemovedIsThereAgainAfterTheStart() throws Exception {
        ClaimRef claim = DraSpecimens.ref("a");
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.prepare(node.claim("a", "rail-0000-03-00-0"));
            node.specs.remove(claim.uid());
        }
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.reconciler().start();
            node.awaitSpec(claim, "uverbs0");
        }
    }

    @Test
    void aTornStateFileIsMendedFromItsBackup() throws Exception {
        ClaimRef claim = DraSpecimens.ref("a");
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.prepare(node.claim("a", "rail-0000-03-00-0"));
            Files.writeString(node.store.file(), "imex-agent-rails 1 torn");
        }
        try (RailsNode node = RailsNode.in(folder).start()) {
            assertThat(node.saved().entry(claim.uid())).containsInstanceOf(ClaimEntry.Completed.class);
        }
    }

    @Test
    void aStateThatCannotBeReadAtAllIsRefusedInTheWordsOfNics() throws Exception {
        ClaimRef claim = DraSpecimens.ref("a");
        try (RailsNode node = RailsNode.in(folder).start()) {
            node.prepare(node.claim("a", "rail-0000-03-00-0"));
            Files.writeString(node.store.file(), "torn");
            Files.writeString(FileCheckpointStore.backupOf(node.store.file()), "torn too");
        }

        assertThatThrownBy(() -> RailsNode.in(folder).start().close())
                .hasMessageContaining("containers may hold the RDMA NICs of these CDI specs")
                .hasMessageContaining(claim.uid().value())
                .hasMessageContaining("delete the pods of its workloads with RDMA NICs from this node")
                .hasMessageNotContaining("channel");
    }

    /** Runs the deed uncut, then cut after each effect that this showed, each time with a restart after it. */
    private void everyCut(int effects, Step deed, Step after) throws Exception {
        int ran = run(0, deed, after);
        assertThat(ran).as("effects to cut after").isEqualTo(effects);
        for (int cut = 1; cut <= ran; cut++) {
            run(cut, deed, after);
        }
    }

    private int run(int cut, Step deed, Step after) throws Exception {
        Path place = folder.resolve("cut-" + cut);
        var cutting = new SimulatedCrash.AfterEffect(cut);
        try (RailsNode node = RailsNode.in(place).with(cutting).start()) {
            deed.on(node);
        }
        try (RailsNode node = RailsNode.in(place).start()) {
            assertNothingHalfDone(node);
            after.on(node);
            assertNothingHalfDone(node);
        }
        return cutting.ran.size();
    }

    /** Every prepared claim has its spec, and every spec a claim. */
    private static void assertNothingHalfDone(RailsNode node) throws Exception {
        for (ClaimEntry.Completed claim : node.saved().completed()) {
            assertThat(CdiSpecReader.read(node.specs, claim.uid())).isPresent();
        }
        assertThat(node.saved().entries().keySet()).containsAll(node.specs.list());
        assertThat(node.specs.hasTemporaries()).isFalse();
    }

    @FunctionalInterface
    private interface Step {
        void on(RailsNode node) throws Exception;
    }
}
