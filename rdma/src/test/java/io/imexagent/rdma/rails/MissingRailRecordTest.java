package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.KubeletStates;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.recovery.SpecReconciler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record of rails is lost while containers run, or one of the files of their specs. */
class MissingRailRecordTest {

    private static final String RAIL = "rail-0000-03-00-0";

    @TempDir
    Path folder;

    @Test
    void aRailIsTakenOverWithItsConfiguration() throws Exception {
        ClaimRef claim = lost();
        kubelet(KubeletStates.entry("uid-a", "a", RailDriver.NAME, told(claim)));
        RailsNode.Builder builder = RailsNode.in(folder);
        try (RailsNode node = builder.startWith(fresh -> fresh.claimUnlessSet("a", RAIL))) {
            ClaimEntry.Completed entry =
                    (ClaimEntry.Completed) node.saved().entry(claim.uid()).orElseThrow();
            assertThat(TakeOverMark.isOn(entry)).isTrue();
            assertThat(entry.devices())
                    .singleElement()
                    .satisfies(device -> assertThat(device.returned()).isEqualTo(told(claim)));
            assertThat(node.ownFile(claim)).as("the file beside the spec").exists();
            assertThat(node.prepare(node.claim("rival", RAIL)).refusal())
                    .get()
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_HELD));
            assertThat(node.unprepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aRailThatTheKubeletHasTwiceIsTakenOverOnce() throws Exception {
        ClaimRef claim = lost();
        ReturnedDevice told = told(claim);
        ReturnedDevice old = new ReturnedDevice(
                told.requests(),
                told.pool(),
                told.device(),
                List.of("k8s.rdma.imexagent.io/claim=old"),
                told.shareId());
        kubelet(KubeletStates.entry("uid-a", "a", RailDriver.NAME, old, told, told));
        RailsNode.Builder builder = RailsNode.in(folder);
        try (RailsNode node = builder.startWith(fresh -> fresh.claimUnlessSet("a", RAIL))) {
            ClaimEntry.Completed entry =
                    (ClaimEntry.Completed) node.saved().entry(claim.uid()).orElseThrow();
            assertThat(entry.devices())
                    .singleElement()
                    .satisfies(device -> assertThat(device.returned()).isEqualTo(told));
        }
    }

    @Test
    void aRailWhoseClaimTheApiDoesNotKnowIsHeldAndItsSpecLeftAsItIs() throws Exception {
        ClaimRef claim = lost();
        kubelet(KubeletStates.entry("uid-a", "a", RailDriver.NAME, told(claim)));
        byte[] spec = Files.readAllBytes(spec());
        try (RailsNode node = RailsNode.in(folder).start()) {
            assertThat(spec()).hasBinaryContent(spec);
            assertThat(node.prepare(node.claim("rival", RAIL)).refusal())
                    .get()
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.RAIL_HELD));
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();
            Files.delete(spec());
            Files.delete(node.ownFile(claim));

            reconciler.turn();

            assertThat(spec()).hasBinaryContent(spec);
            assertThat(node.ownFile(claim)).exists();
        }
    }

    @Test
    void aRecordOfTheKubeletThatIsMissingRefusesTheStart() throws Exception {
        ClaimRef claim = lost();
        assertThatThrownBy(() -> RailsNode.in(folder).start().close())
                .hasMessageContaining("dra_manager_state is missing")
                .hasMessageContaining(spec().toString())
                .hasMessageContaining("RDMA NICs");
        assertThat(spec()).exists();
        assertThat(claim).isNotNull();
    }

    @Test
    void afterAResetTheSpecsAndTheirFilesGo() throws Exception {
        lost();
        kubelet();
        try (RailsNode node = RailsNode.in(folder).start();
                var files = Files.list(folder.resolve("cdi"))) {
            assertThat(files).isEmpty();
            assertThat(node.prepare(node.claim("next", RAIL))).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void theFileBesideASpecComesBackWithTheSpecOrAlone() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claimUnlessSet("a", RAIL);
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            byte[] own = Files.readAllBytes(node.ownFile(claim));
            SpecReconciler reconciler = node.reconciler();
            reconciler.turn();

            Files.delete(node.ownFile(claim));
            reconciler.turn();
            assertThat(node.ownFile(claim)).hasBinaryContent(own);
        }
    }

    /** Prepares a claim that has a file of its own, and loses record and backup. */
    private ClaimRef lost() throws Exception {
        try (RailsNode node = RailsNode.in(folder).start()) {
            ClaimRef claim = node.claimUnlessSet("a", RAIL);
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            Files.delete(node.store.file());
            Files.delete(FileCheckpointStore.backupOf(node.store.file()));
            return claim;
        }
    }

    private Path spec() throws IOException {
        return folder.resolve("cdi").resolve("k8s.rdma.imexagent.io-claim_uid-a.yaml");
    }

    private void kubelet(String... entries) throws IOException {
        KubeletStates.of(folder.resolve("kubelet"), entries);
    }

    private static ReturnedDevice told(ClaimRef claim) {
        return new ReturnedDevice(
                List.of("nics"),
                DraSpecimens.NODE,
                RAIL,
                List.of("k8s.rdma.imexagent.io/claim=" + claim.uid() + "-" + RAIL),
                Optional.empty());
    }
}
