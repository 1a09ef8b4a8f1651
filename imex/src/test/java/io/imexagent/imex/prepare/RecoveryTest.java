package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ServingMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecoveryTest {

    private static final ClaimRef A = DraSpecimens.ref("a");
    private static final ClaimRef B = DraSpecimens.ref("b");
    private static final Optional<BootId> BOOT = Inventories.gb200().bootId();
    private static final int MAJOR = 239;

    @TempDir
    Path folder;

    @Test
    void nothingIsTouchedBeforeTheRecovery() throws Exception {
        try (Node node = Node.in(folder).build();
                Stream<Path> files = Files.list(folder)) {
            assertThat(node.prepared.ledger().entries()).isEmpty();
            assertThat(files).isEmpty();
        }
    }

    @Test
    void aNewNodeBeginsWithoutClaimsInThisBootAndMode() throws Exception {
        try (Node node = Node.in(folder).start()) {
            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            assertThat(new ModeFile(node.state).read())
                    .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
        }
    }

    @Test
    void preparedClaimsOutliveARestart() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> before = node.prepare(claim);
            try (Node restarted = Node.in(folder).like(node).start()) {
                node.claims.throwAlways(new IllegalStateException("nobody may ask"));

                assertThat(restarted.prepare(claim)).isEqualTo(before);
            }
        }
    }

    @Test
    void aStartThatHasNothingToWriteTakesNoLock() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> before = node.prepare(claim);
            try (var others = new PluginLock(node.plugin.resolve("pu.lock"));
                    Node restarted = Node.in(folder).like(node).build()) {
                try (var held = others.acquire(Duration.ZERO)) {
                    assertThat(held).isNotNull();
                    restarted.started();
                }

                assertThat(restarted.prepared.ledger()).isEqualTo(node.saved());
                assertThat(restarted.prepare(claim)).isEqualTo(before);
            }
        }
    }

    @Test
    void aStartThatHasSomethingToWriteWaitsForTheLock() throws Exception {
        assertWaitsForTheLock(node -> Files.delete(node.specs.file(A.uid())));
        assertWaitsForTheLock(node -> node.spec(A, 17));
        assertWaitsForTheLock(node -> node.spec(B, MAJOR));
        assertWaitsForTheLock(node -> node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier")))));
        assertWaitsForTheLock(node -> node.checkpoint(Ledger.empty(Optional.empty())));
        assertWaitsForTheLock(node -> Files.delete(node.store.file()));
        assertWaitsForTheLock(node -> Files.writeString(node.store.file(), "torn"));
        assertWaitsForTheLock(node -> Files.writeString(node.plugin.resolve(".checkpoint.json.0.tmp"), "half"));
        assertWaitsForTheLock(node -> Files.writeString(
                node.specs
                        .file(A.uid())
                        .resolveSibling("." + node.specs.file(A.uid()).getFileName() + ".0.tmp"),
                "half"));
        assertWaitsForTheLock(node ->
                new ModeFile(node.state).write(ServingMode.HOST_MANAGED_IMEX_CHANNEL, Collections.emptySortedSet()));
        assertWaitsForTheLock(
                node -> node.inventory.set(Inventories.with(Inventories.gb200(), Optional.<BootId>empty())));
    }

    /** A node with one prepared claim, to which something happens before its agent starts again. */
    private void assertWaitsForTheLock(Happening happening) throws Exception {
        Path own = Files.createTempDirectory(folder, "node");
        try (Node node = Node.in(own).waitingForTheLock(Duration.ofMillis(10)).build();
                var others = new PluginLock(node.plugin.resolve("pu.lock"))) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
            node.spec(A, MAJOR);
            new ModeFile(node.state).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());
            happening.on(node);
            try (var held = others.acquire(Duration.ZERO)) {
                assertThat(held).isNotNull();
                assertThatThrownBy(node::started).hasMessageContaining(" is held by another process");
            }
        }
    }

    /** Something that happens while no agent runs. */
    @FunctionalInterface
    private interface Happening {
        void on(Node node) throws IOException;
    }

    /** The checkpoint is read without the lock then: a write that comes between must not be missed. */
    @Test
    void whatAnotherProcessSavesDuringAStartWithoutTheLockIsTakenOver() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger read = Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0));
            Ledger theirs = read.with(DraSpecimens.started(B));
            node.checkpoint(read);
            node.spec(A, MAJOR);
            new ModeFile(node.state).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());

            node.recovery(entry -> {
                save(node, theirs);
                return List.of();
            });

            assertThat(node.prepared.ledger()).isEqualTo(read);
            assertThat(node.prepared.<Ledger>locked(session -> session.ledger()))
                    .isEqualTo(theirs);
        }
    }

    private static void save(Node node, Ledger ledger) {
        try {
            node.checkpoint(ledger);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Test
    void aRebootVoidsEveryClaim() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier")))
                    .with(DraSpecimens.completed(A, 0))
                    .with(DraSpecimens.started(B)));
            node.spec(A, MAJOR);

            node.started();

            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aBootThatCannotBeReadVoidsNothing() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger ledger = Ledger.empty(Optional.of(new BootId("earlier"))).with(DraSpecimens.completed(A, 0));
            node.checkpoint(ledger);
            node.inventory.set(Inventories.with(Inventories.gb200(), Optional.empty()));

            node.started();

            assertThat(node.saved()).isEqualTo(ledger);
            assertThat(node.specs.list()).containsExactly(A.uid());
        }
    }

    @Test
    void claimsThatArePreparedWhileTheBootCannotBeReadAreNotVoidedByTheNextStart() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier"))));
            node.inventory.set(Inventories.with(Inventories.gb200(), Optional.empty()));
            node.started();
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> answer = node.prepare(claim);
            node.inventory.set(Inventories.with(Inventories.gb200(), BOOT));
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.saved(claim)).containsInstanceOf(ClaimEntry.Completed.class);
                assertThat(restarted.prepare(claim)).isEqualTo(answer);
                assertThat(restarted.saved().bootId()).isEqualTo(BOOT);
            }
        }
    }

    @Test
    void aCheckpointWithoutABootIsAdopted() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(Optional.empty()).with(DraSpecimens.completed(A, 0)));

            node.started();

            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
        }
    }

    @Test
    void orphanedSpecsGoAndLostOnesComeBack() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
            node.spec(B, MAJOR);
            Path foreign = Files.writeString(
                    node.specs.file(A.uid()).resolveSibling("k8s.gpu.nvidia.com-claim_uid-b.yaml"), "not ours");

            node.started();

            assertThat(node.specs.list()).containsExactly(A.uid());
            assertThat(node.spec(A)).isPresent();
            assertThat(foreign).exists();
        }
    }

    @Test
    void unfinishedFilesOfACrashGo() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT));
            Path cdi = Files.createDirectories(node.specs.file(A.uid()).getParent());
            Path spec =
                    Files.writeString(cdi.resolve("." + node.specs.file(A.uid()).getFileName() + ".0.tmp"), "half");
            Path checkpoint = Files.writeString(node.plugin.resolve(".checkpoint.json.0.tmp"), "half");

            node.started();

            assertThat(spec).doesNotExist();
            assertThat(checkpoint).doesNotExist();
        }
    }

    @Test
    void aSpecWithAnotherMajorIsMadeRight() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
            node.spec(A, 17);

            node.started();

            assertThat(Files.readString(node.specs.file(A.uid()))).contains("\"major\" : 239");
        }
    }

    @Test
    void aStartWithoutAMajorLeavesTheSpecsForLater() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor()));

            node.started();

            assertThat(node.specs.list()).isEmpty();
            assertThat(node.saved(A)).isPresent();
        }
    }

    @Test
    void unreadableGenerationsWithoutSpecsAreMovedAside() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Files.createDirectories(node.plugin);
            Files.writeString(node.store.file(), "torn");
            Files.writeString(node.plugin.resolve("checkpoint.json.bak"), "torn too");

            node.started();

            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            try (Stream<Path> files = Files.list(node.plugin)) {
                assertThat(files.filter(file -> file.toString().contains(".corrupt-")))
                        .hasSize(2);
            }
        }
    }

    @Test
    void unreadableGenerationsWithSpecsRefuseTheStartListThemAndTouchNothing() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Files.createDirectories(node.plugin);
            Files.writeString(node.store.file(), "torn");
            node.spec(A, MAJOR);

            RecoveryResult recovered = node.recover();

            assertThat(refusal(recovered))
                    .contains(node.specs.file(A.uid()).toString())
                    .contains(node.store.file() + " is no whole checkpoint")
                    .contains("kubectl drain")
                    .contains("delete these CDI specs");
            assertThat(Files.readString(node.store.file())).isEqualTo("torn");
            assertThat(node.spec(A)).isPresent();
            assertThat(node.state).doesNotExist();
        }
    }

    @Test
    void theBackupTakesTheCheckpointsPlace() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger before = Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0));
            node.checkpoint(before);
            node.spec(A, MAJOR);
            Files.writeString(node.store.file(), "torn");

            node.started();

            assertThat(node.saved()).isEqualTo(before);
        }
    }

    @Test
    void anUnprepareThatTheBackupDoesNotKnowIsNotForgottenForEver() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef gone = node.claim("gone");
            node.prepare(gone);
            Path backup = FileCheckpointStore.backupOf(node.store.file());
            byte[] before = Files.readAllBytes(backup);
            node.unprepare(gone);
            node.claims.remove(gone);
            Files.writeString(node.store.file(), "torn");
            Files.write(backup, before);
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.saved(gone)).containsInstanceOf(ClaimEntry.Started.class);

                restarted.sweeper.turn();

                assertThat(restarted.saved().entries()).isEmpty();
                assertThat(restarted.prepare(restarted.claim("next"))).isInstanceOf(Outcome.Accepted.class);
            }
        }
    }

    @Test
    void aClaimOfTheBackupThatGivesContainersNothingStaysPreparedWithoutASpec() throws Exception {
        try (Node node = Node.in(folder).with(CliqueMissing.SUCCEED).start()) {
            ClaimRef claim = node.claim("a");
            ClaimEntry.Completed entry = DraSpecimens.completed(claim, 0);
            PreparedDevice.ReturnedDevice told = entry.devices().getFirst().returned();
            var bare = new ClaimEntry.Completed(
                    entry.uid(),
                    entry.name(),
                    entry.status(),
                    PreparePlanner.nothing(
                            List.of(new PreparedDevice.ReturnedDevice(
                                    told.requests(), told.pool(), told.device(), List.of(), told.shareId())),
                            DraSpecimens.DOMAIN));
            node.write(bare);
            Files.writeString(node.store.file(), "torn");
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.saved(claim)).contains(bare);
            }
        }
    }

    @Test
    void anAnswerThatTheBackupDoesNotKnowStillHoldsItsChannel() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef answered = node.claim("answered");
            Outcome<Prepared> before = node.prepare(answered);
            Files.writeString(node.store.file(), "torn");
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.saved(answered)).contains(DraSpecimens.completed(answered, 0));

                var rival = restarted.begin(restarted.claim("rival"), Duration.ofMillis(400));

                assertThat(Refused.of(rival.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CHANNEL_HELD);
                assertThat(restarted.prepare(answered)).isEqualTo(before);
                assertThat(restarted.unprepare(answered)).isEqualTo(Outcome.accepted(new Unprepared()));
                assertThat(restarted.prepare(restarted.claim("rival"))).isInstanceOf(Outcome.Accepted.class);
            }
        }
    }

    @Test
    void aBackupThatDoesNotTellWhatASpecIsForRefusesTheStart() throws Exception {
        try (Node node = Node.in(folder).with(Isolation.IMEX_CHANNEL).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.started(A)));
            Files.writeString(node.store.file(), "torn");
            node.spec(A, MAJOR);

            RecoveryResult recovered = node.recover();

            assertThat(refusal(recovered))
                    .contains("its backup does not tell what the claims of these CDI specs were given")
                    .contains(node.specs.file(A.uid()) + ": device channel-0 is not published by this node under"
                            + " isolation IMEXChannel")
                    .contains("kubectl drain");
            assertThat(node.spec(A)).isPresent();
            assertThat(node.state).doesNotExist();
        }
    }

    @Test
    void aRebootVoidsWhatABackupDoesNotTell() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger earlier = Ledger.empty(Optional.of(new BootId("earlier")));
            node.checkpoint(earlier.with(DraSpecimens.started(A)));
            Files.writeString(node.store.file(), "torn");
            node.spec(A, MAJOR);
            node.spec(B, MAJOR);

            node.started();

            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aBackupThatDoesNotKnowTheSpecsRefusesTheStart() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT));
            Files.writeString(node.store.file(), "torn");
            node.spec(A, MAJOR);

            RecoveryResult recovered = node.recover();

            assertThat(refusal(recovered))
                    .contains("its backup is too old")
                    .contains(node.specs.file(A.uid()).toString());
            assertThat(node.spec(A)).isPresent();
        }
    }

    @Test
    void aCheckpointThatIsCorruptedAtAnyByteNeverLosesAClaimInSilence() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));
            Files.delete(FileCheckpointStore.backupOf(node.store.file()));
            node.spec(A, MAJOR);
            byte[] whole = Files.readAllBytes(node.store.file());
            for (int at = 0; at < whole.length; at++) {
                byte[] bent = bent(whole, at);
                Files.write(node.store.file(), bent);

                RecoveryResult recovered = node.recover();

                assertThat(recovered).as("byte %s", at).isInstanceOf(RecoveryResult.RecoveryRefused.class);
                assertThat(node.specs.list()).containsExactly(A.uid());
                assertThat(Files.readAllBytes(node.store.file())).isEqualTo(bent);
            }
        }
    }

    @Test
    void aCheckpointThatIsCorruptedAtAnyByteIsMadeGoodFromItsBackup() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            Ledger prepared = node.saved();
            byte[] whole = Files.readAllBytes(node.store.file());
            Path backup = node.plugin.resolve("checkpoint.json.bak");
            byte[] before = Files.readAllBytes(backup);
            // Two warnings for each byte would bury the log of the build.
            Logger log = Logger.getLogger("io.imexagent");
            log.setLevel(Level.SEVERE);
            try {
                for (int at = 0; at < whole.length; at++) {
                    Files.write(node.store.file(), bent(whole, at));
                    Files.write(backup, before);

                    assertThat(node.recover())
                            .as("byte %s", at)
                            .isEqualTo(new RecoveryResult.RecoveryDone(prepared, false));
                    assertThat(node.saved()).isEqualTo(prepared);
                }
            } finally {
                log.setLevel(null);
            }
        }
    }

    private static byte[] bent(byte[] whole, int at) {
        byte[] bent = whole.clone();
        bent[at] ^= 0x20;
        return bent;
    }

    @Test
    void aStartWithoutACheckpointThatCanBeReadIsBlind() throws Exception {
        try (Node fresh = Node.in(folder.resolve("fresh")).build()) {
            assertThat(fresh.recover()).isEqualTo(new RecoveryResult.RecoveryDone(Ledger.empty(BOOT), true));
            assertThat(fresh.recover())
                    .as("now there is one")
                    .isEqualTo(new RecoveryResult.RecoveryDone(Ledger.empty(BOOT), false));
        }
        try (Node torn = Node.in(folder.resolve("torn")).build()) {
            Files.createDirectories(torn.plugin);
            Files.writeString(torn.store.file(), "torn");

            assertThat(torn.recover()).isEqualTo(new RecoveryResult.RecoveryDone(Ledger.empty(BOOT), true));
        }
    }

    @Test
    void aStartThatReadItsCheckpointIsNotBlindWhateverItDoesToIt() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger ledger = Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0));
            node.checkpoint(ledger);
            assertThat(node.recover())
                    .as("mode and spec are missing")
                    .isEqualTo(new RecoveryResult.RecoveryDone(ledger, false));
            assertThat(node.recover()).as("settled").isEqualTo(new RecoveryResult.RecoveryDone(ledger, false));

            node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier"))).with(DraSpecimens.completed(A, 0)));
            assertThat(node.recover()).as("void").isEqualTo(new RecoveryResult.RecoveryDone(Ledger.empty(BOOT), false));
        }
    }

    @Test
    void driverManagedClaimsRefuseTheStartWithTheWayOutAndAreLeftAlone() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Ledger ledger = Ledger.empty(BOOT).with(DraSpecimens.daemon(A)).with(DraSpecimens.completed(B, 0));
            node.checkpoint(ledger);

            String refusal = refusal(node.recover());

            assertThat(refusal)
                    .contains("driver-managed", "claim team/a uid uid-a", "claim team/b uid uid-b")
                    .contains("drain", "delete all ComputeDomains", "nvidia-imex.service");
            assertThat(node.saved()).isEqualTo(ledger);
            assertThat(node.specs.list())
                    .as("no spec is written for another driver")
                    .isEmpty();
            assertThat(node.state).doesNotExist();
        }
    }

    @Test
    void driverManagedClaimsOfAnEarlierBootAreVoidToo() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(Optional.of(new BootId("earlier"))).with(DraSpecimens.daemon(A)));

            node.started();

            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
        }
    }

    @Test
    void anotherIsolationIsRefusedWhileClaimsArePreparedAndTakenWhenNoneIs() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            try (Node changed =
                    Node.in(folder).like(node).with(Isolation.IMEX_CHANNEL).build()) {
                assertThat(refusal(changed.recover()))
                        .contains("prepared under \"host-managed, isolation None\"")
                        .contains("configuration says \"host-managed, isolation IMEXChannel, per clique\"")
                        .contains("claim team/a uid uid-a")
                        .contains("drain");
                assertThat(new ModeFile(node.state).read())
                        .isEqualTo(
                                new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
            }
            node.unprepare(claim);
            try (Node changed =
                    Node.in(folder).like(node).with(Isolation.IMEX_CHANNEL).start()) {
                assertThat(new ModeFile(changed.state).read())
                        .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(
                                ServingMode.HOST_MANAGED_IMEX_CHANNEL, new TreeSet<>()));
            }
        }
    }

    @Test
    void claimsWithChannelsForTheWholeClusterRefuseTheStartUnderTheSameIsolation() throws Exception {
        try (Node node = Node.in(folder).with(Isolation.IMEX_CHANNEL).build()) {
            Ledger ledger = Ledger.empty(BOOT).with(DraSpecimens.completed(A, 7));
            node.checkpoint(ledger);

            assertThat(refusal(node.recover()))
                    .contains("prepared under \"host-managed, isolation IMEXChannel\"")
                    .contains("configuration says \"host-managed, isolation IMEXChannel, per clique\"");
            assertThat(node.saved()).isEqualTo(ledger);
        }
    }

    @Test
    void whereNoModeIsRecordedTheClaimsTell() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 7)));

            assertThat(refusal(node.recover())).contains("prepared under \"host-managed, isolation IMEXChannel\"");
        }
    }

    @Test
    void claimsThatBelieTheRecordedModeRefuseTheStart() throws Exception {
        try (Node node = Node.in(folder).build()) {
            new ModeFile(node.state).write(ServingMode.HOST_MANAGED_NONE, Collections.emptySortedSet());
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 7)));

            assertThat(refusal(node.recover())).contains("prepared under \"host-managed, isolation IMEXChannel\"");
        }
    }

    @Test
    void claimsThatTheConfigurationFitsAreServedWhateverAStaleRecordSays() throws Exception {
        try (Node node = Node.in(folder).build()) {
            new ModeFile(node.state).write(ServingMode.HOST_MANAGED_IMEX_CHANNEL, Collections.emptySortedSet());
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));

            node.started();

            assertThat(node.saved(A)).isPresent();
            assertThat(new ModeFile(node.state).read())
                    .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
        }
    }

    @Test
    void aModeFileThatIsNotUnderstoodIsMended() throws Exception {
        try (Node node = Node.in(folder).build()) {
            Files.createDirectories(node.state);
            Files.write(node.state.resolve("mode.json"), "{".getBytes(StandardCharsets.UTF_8));
            node.checkpoint(Ledger.empty(BOOT).with(DraSpecimens.completed(A, 0)));

            node.started();

            assertThat(new ModeFile(node.state).read())
                    .isEqualTo(new ModeFile.RecordedMode.ModeRecorded(ServingMode.HOST_MANAGED_NONE, new TreeSet<>()));
        }
    }

    @Test
    void aStateDirectoryThatCannotBeWrittenStopsTheStartBeforeAnyClaim() throws Exception {
        FileSteps readOnly = (step, path) -> {
            if (step == FileStep.CREATE_TEMPORARY && path.toString().contains("mode.json")) {
                throw new FileSystemException(path.toString(), null, "Read-only file system");
            }
        };
        try (Node node = Node.in(folder).with(readOnly).build()) {
            assertThatThrownBy(() -> node.recover())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("mode.json: Read-only file system; remount it writable");
            assertThat(node.store.file()).doesNotExist();
        }
    }

    private static String refusal(RecoveryResult recovered) {
        return switch (recovered) {
            case RecoveryResult.RecoveryRefused refused -> refused.reason();
            case RecoveryResult.RecoveryDone ready -> throw new AssertionError("recovered: " + ready);
        };
    }
}
