package io.imexagent.imex.prepare;

import static io.imexagent.dra.claim.DraSpecimens.DOMAIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.KubeletStates;
import io.imexagent.checkpoint.TakeOverMark;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.SimulatedCrash;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start that finds neither a checkpoint nor its backup. */
class MissingRecordTest {

    private static final Optional<BootId> BOOT = Inventories.gb200().bootId();

    @TempDir
    Path folder;

    private Isolation isolation = Isolation.NONE;

    @Test
    void aFirstInstallIsFreshWithOrWithoutAKubelet() throws Exception {
        try (Node node = Node.in(folder.resolve("bare")).start()) {
            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            assertThat(node.claims.reads()).isZero();
        }
        try (Node node = Node.in(folder.resolve("joined")).build()) {
            KubeletStates.of(node.kubelet);
            node.started();
            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
        }
    }

    @Test
    void aClaimOfWhichKubeletSpecAndApiTellTheSameIsTakenOver() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = restarted(claim)) {
            Outcome<Prepared> answer = node.prepare(claim);

            assertThat(answer).isEqualTo(Outcome.accepted(new Prepared(List.of(DraSpecimens.channel(claim)))));
            assertThat(node.saved(claim)).get().satisfies(entry -> {
                assertThat(TakeOverMark.isOn(entry)).isTrue();
                assertThat(((ClaimEntry.Completed) entry).groups())
                        .isEqualTo(DraSpecimens.completed(claim, 0).groups());
                assertThat(entry.name()).contains(claim.name());
                assertThat(entry.status().allocation())
                        .isEqualTo(DraSpecimens.completed(claim, 0).status().allocation());
            });
            assertThat(node.prepare(node.claim("rival")).refusal())
                    .get()
                    .satisfies(refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.CHANNEL_HELD));
            assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void theMarkOutlivesTheNextStartAndEndsWithTheClaim() throws Exception {
        ClaimRef claim = prepared("a");
        restarted(claim).close();
        try (Node node = Node.in(folder).start()) {
            assertThat(node.saved(claim))
                    .get()
                    .satisfies(entry -> assertThat(TakeOverMark.isOn(entry)).isTrue());
            node.unprepare(claim);
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void whileTheApiIsAwayKubeletAndSpecAreEnough() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            answered(node, claim);
            node.claims.breakFor(claim, FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no route"));

            node.started();

            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Completed.class);
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void anEditedSpecIsMadeRightWhereKubeletAndApiAgreeAndRefusesWhereTheApiIsAway() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            Path spec = node.specs.file(claim.uid());
            byte[] whole = Files.readAllBytes(spec);
            answered(node, claim);
            Files.writeString(spec, "nothing of a spec");
            node.claims.breakFor(claim, FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no route"));
            assertThat(refusal(node.recover())).contains(spec.toString(), "no route", "crictl ps");
            assertThat(spec).hasContent("nothing of a spec");

            node.claims.mend(claim);
            node.claims.put(claim, DraSpecimens.status(DOMAIN));
            node.started();

            assertThat(spec).hasBinaryContent(whole);
        }
    }

    @Test
    void aClaimWhoseSpecIsGoneTooComesBackByKubeletAndApi() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            answered(node, claim);
            node.specs.remove(claim.uid());
            node.claims.put(claim, DraSpecimens.status(DOMAIN));

            node.started();

            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Completed.class);
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void aClaimOfTheKubeletAloneIsNeitherTakenOverNorAReasonToRefuse() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            answered(node, claim);
            node.specs.remove(claim.uid());

            node.started();

            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void aClaimOfTheKubeletAloneIsWaitedForWhileTheApiDoesNotTell() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            answered(node, claim);
            node.specs.remove(claim.uid());
            node.claims.breakFor(claim, FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no route"));
            assertThat(refusal(node.recover()))
                    .contains("claim team/a of the kubelet's record has no CDI spec", "does not answer: no route");
            node.claims.breakFor(claim, FakeClaims.failure(ApiFailure.FailureKind.UNAUTHORIZED, "401"));
            assertThat(refusal(node.recover())).contains("refuses to tell the agent: 401");

            node.claims.mend(claim);
            node.claims.put(claim, DraSpecimens.status(DOMAIN));
            node.started();

            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Completed.class);
        }
    }

    @Test
    void aClaimThatTheApiHasButDoesNotTellOfIsNotCalledUnknown() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            answered(node, claim);
            Files.writeString(node.specs.file(claim.uid()), "nothing of a spec");
            node.claims.put(claim, "{");

            assertThat(refusal(node.recover()))
                    .contains("the API server tells nothing of use: claim team/a could not be understood")
                    .doesNotContain("any more,", "does not know the claim");
        }
    }

    @Test
    void aClaimWithoutACdiDeviceIsTakenOverAndHoldsNothing() throws Exception {
        for (boolean told : List.of(true, false)) {
            try (Node node = Node.in(folder.resolve("told-" + told))
                    .with(CliqueMissing.SUCCEED)
                    .build()) {
                ClaimRef claim = DraSpecimens.ref("a");
                record(node, claim, withoutCdi(claim));
                if (told) {
                    node.claims.put(claim, DraSpecimens.status(DOMAIN));
                }

                node.started();

                assertThat(node.saved(claim))
                        .containsInstanceOf(ClaimEntry.Completed.class)
                        .get()
                        .satisfies(entry -> assertThat(((ClaimEntry.Completed) entry).groups())
                                .isEqualTo(PreparePlanner.nothing(List.of(withoutCdi(claim)), told ? DOMAIN : "")));
                assertThat(node.specs.list()).isEmpty();
                assertThat(node.prepare(node.claim("next"))).isInstanceOf(Outcome.Accepted.class);
                assertThat(node.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
            }
        }
    }

    @Test
    void aClaimThatTheKubeletHasTwiceIsTakenOverAsItWasAnsweredLast() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            ReturnedDevice last = DraSpecimens.channel(claim);
            ReturnedDevice old = new ReturnedDevice(
                    last.requests(),
                    last.pool(),
                    last.device(),
                    List.of("k8s.compute-domain.nvidia.com/claim=" + claim.uid() + "-channel-7"),
                    Optional.empty());
            KubeletStates.of(
                    node.kubelet,
                    KubeletStates.entry(claim.uid().value(), claim.name().name(), DriverNames.DRIVER, old, last, last));
            node.claims.put(claim, DraSpecimens.status(DOMAIN));

            node.started();

            assertThat(((ClaimEntry.Completed) node.saved(claim).orElseThrow()).groups())
                    .isEqualTo(DraSpecimens.completed(claim, 0).groups());
        }
    }

    @Test
    void aRecordThatIsOlderThanASpecItDoesNotKnowMakesNoOrphanOfIt() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            KubeletStates.of(node.kubelet);
            Path spec = node.specs.file(claim.uid());
            Files.setLastModifiedTime(
                    node.kubelet.resolve(KubeletClaims.FILE),
                    FileTime.from(Files.getLastModifiedTime(spec).toInstant().minusSeconds(1)));

            assertThat(refusal(node.recover())).contains(spec.toString(), "is older than the spec", "kubelet.root");
            assertThat(node.spec(claim)).isPresent();

            Files.delete(spec);
            node.started();
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void aChannelOfItsOwnWithoutASpecIsTakenOverOnlyWhereTheNodeHoldsIt() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef claim = owned("a", 5);
        for (boolean held : List.of(false, true)) {
            try (Node node = Node.in(folder).with(isolation).build()) {
                record(node, claim, ownHanded(claim, 5));
                node.owned("a", DOMAIN, Optional.empty());
                node.specs.remove(claim.uid());
                node.channels.hold(hold(held ? 5 : 6));

                node.started();

                assertThat(node.saved(claim).isPresent()).isEqualTo(held);
                lose(node);
            }
        }
    }

    @Test
    void twoComputeDomainsOnOneChannelRefuseTheStart() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef one = owned("a", 5);
        ClaimRef other = DraSpecimens.ref("b");
        try (Node node = Node.in(folder).with(isolation).build()) {
            node.specs.ensure(other.uid(), PreparePlanner.edits(other.uid(), List.of(new ChannelId(5)), 239));
            KubeletStates.of(
                    node.kubelet,
                    KubeletStates.entry("uid-a", "a", DriverNames.DRIVER, ownHanded(one, 5)),
                    KubeletStates.entry("uid-b", "b", DriverNames.DRIVER, ownHanded(other, 5)));
            node.owned("a", DOMAIN, Optional.empty());
            node.owned("b", "5d1c5c6e-0000-4000-8000-00000000000f", Optional.empty());
            node.channels.hold(hold(5));

            assertThat(refusal(node.recover()))
                    .contains("channel 5 for ComputeDomain " + DOMAIN)
                    .contains(
                            node.specs.file(one.uid()).toString(),
                            node.specs.file(other.uid()).toString());

            node.specs.remove(other.uid());
            node.started();
            assertThat(node.saved().entries()).as("the way out").containsOnlyKeys(one.uid());
        }
    }

    @Test
    void whatKubeletAndApiContradictEachOtherInRefusesTheStart() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            ReturnedDevice told = DraSpecimens.channel(claim);
            record(
                    node,
                    claim,
                    new ReturnedDevice(
                            told.requests(), "another-pool", told.device(), told.cdiDeviceIds(), Optional.empty()));
            node.claims.put(claim, DraSpecimens.status(DOMAIN));

            assertThat(refusal(node.recover()))
                    .contains("another-pool", node.specs.file(claim.uid()).toString());
            assertThat(node.spec(claim)).isPresent();
            assertThat(node.store.file()).doesNotExist();

            Files.delete(node.specs.file(claim.uid()));
            node.started();
            assertThat(node.saved().entries()).as("the way out").isEmpty();
        }
    }

    @Test
    void afterAResetAndAJoinSpecsThatNobodyKnowsGo() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            KubeletStates.of(node.kubelet);

            node.started();

            assertThat(node.specs.list()).isEmpty();
            assertThat(node.saved()).isEqualTo(Ledger.empty(BOOT));
            assertThat(node.prepare(node.claim("next"))).isInstanceOf(Outcome.Accepted.class);
        }
        assertThat(claim).isNotNull();
    }

    @Test
    void afterAResetAHoldOfTheChannelRefusesTheStart() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef claim = owned("a", 5);
        try (Node node = Node.in(folder).with(isolation).build()) {
            KubeletStates.of(node.kubelet);
            node.channels.hold(hold(5));
            assertThat(refusal(node.recover())).contains("holds ComputeDomain team/domain", "on channel 5");
            assertThat(node.spec(claim)).isPresent();
            node.channels.fail(Optional.of(FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no route")));
            assertThat(refusal(node.recover()))
                    .contains("whether this node holds its devices is not known", "no route");

            node.channels.fail(Optional.empty());
            node.channels.hold(hold(6));
            node.started();

            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aChannelOfItsOwnIsTakenOverWithItsComputeDomain() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef claim = owned("a", 5);
        try (Node node = Node.in(folder).with(isolation).build()) {
            node.channels.give(DOMAIN, 5);
            node.channels.hold(hold(5));
            record(node, claim, ownHanded(claim, 5));
            node.owned("a", DOMAIN, Optional.empty());

            assertThat(node.recover())
                    .isInstanceOfSatisfying(
                            RecoveryResult.RecoveryDone.class,
                            ready -> assertThat(ready.blind())
                                    .as("every hold is of a claim")
                                    .isFalse());

            assertThat(node.saved().holdersOf(new ChannelId(5)))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.groups().getFirst().computeDomain())
                            .isEqualTo(DOMAIN));
        }
    }

    @Test
    void aHoldThatNoClaimExplainsKeepsTheStartBlind() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef claim = owned("a", 5);
        try (Node node = Node.in(folder).with(isolation).build()) {
            node.channels.hold(hold(5));
            node.channels.hold(new Hold(
                    new DomainName(new ComputeDomainUid("5d1c5c6e-0000-4000-8000-00000000000f"), "team", "other"),
                    Optional.of(new ChannelId(9))));
            record(node, claim, ownHanded(claim, 5));
            node.owned("a", DOMAIN, Optional.empty());

            assertThat(node.recover())
                    .isInstanceOfSatisfying(
                            RecoveryResult.RecoveryDone.class,
                            ready -> assertThat(ready.blind()).isTrue());
        }
    }

    @Test
    void aChannelOfItsOwnWithoutAStatusIsOfTheComputeDomainThatTheNodeHolds() throws Exception {
        isolation = Isolation.IMEX_CHANNEL;
        ClaimRef claim = owned("a", 5);
        try (Node node = Node.in(folder).with(isolation).build()) {
            record(node, claim, ownHanded(claim, 5));
            assertThat(refusal(node.recover())).contains("nothing tells which ComputeDomain channel 5 is of");
            node.channels.hold(hold(5));

            node.started();

            assertThat(((ClaimEntry.Completed) node.saved(claim).orElseThrow())
                            .groups()
                            .getFirst()
                            .computeDomain())
                    .isEqualTo(DOMAIN);
        }
    }

    @Test
    void aSpecThatIsOlderThanTheBootIsAnOrphanWhateverTheKubeletSays() throws Exception {
        ClaimRef claim = prepared("a");
        Path disk = Files.createDirectories(Path.of("target/missing-record").toAbsolutePath());
        Path own = Files.createTempDirectory(disk, "node");
        try (Node node = Node.in(own).build()) {
            node.spec(claim, 239);
            answered(node, claim);
            node.claims.put(claim, DraSpecimens.status(DOMAIN));
            booted(node, Instant.now().plusSeconds(100));

            node.started();

            assertThat(node.specs.list()).isEmpty();
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void aSpecOfTheFutureIsOfThisBoot() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            booted(node, Instant.now().minusSeconds(100));
            Files.setLastModifiedTime(
                    node.specs.file(claim.uid()), FileTime.from(Instant.now().plus(Duration.ofDays(400))));

            assertThat(refusal(node.recover()))
                    .contains(node.specs.file(claim.uid()).toString());
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void aRecordThatIsMissingBrokenOrHugeRefusesTheStartAndTouchesNothing() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            assertThat(refusal(node.recover()))
                    .contains(node.kubelet.resolve(KubeletClaims.FILE) + " is missing", "kubelet.root");
            for (String content :
                    List.of("", "{", "[]", "{\"Data\":\"{}\",\"Checksum\":1}", " ".repeat(KubeletClaims.LARGEST + 1))) {
                Files.createDirectories(node.kubelet);
                Files.writeString(node.kubelet.resolve(KubeletClaims.FILE), content);
                assertThat(refusal(node.recover()))
                        .contains(KubeletClaims.FILE)
                        .contains("delete these CDI specs and start imex-agent");
            }
            KubeletStates.of(
                    node.kubelet,
                    KubeletStates.entry("uid-a", "a", DriverNames.DRIVER, DraSpecimens.channel(claim))
                            .replace("PoolName", "Pool"));
            assertThat(refusal(node.recover())).contains("is an unknown field");
            assertThat(node.spec(claim)).isPresent();
            assertThat(node.store.file()).doesNotExist();

            node.specs.remove(claim.uid());
            node.started();
            assertThat(node.saved()).as("the way out").isEqualTo(Ledger.empty(BOOT));
        }
    }

    @Test
    void aKubeletRootThatIsNotTheKubeletsNeverMakesOrphans() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            KubeletStates.of(
                    folder.resolve("another-root"),
                    KubeletStates.entry("uid-a", "a", DriverNames.DRIVER, DraSpecimens.channel(claim)));

            assertThat(refusal(node.recover())).contains("that kubelet.root is its root directory");
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void anUnknownBootAtTheFirstStartLeavesARecordAllTheSame() throws Exception {
        try (Node node = Node.in(folder).build()) {
            node.inventory.set(Inventories.with(Inventories.gb200(), Optional.empty()));
            node.started();
            assertThat(node.saved()).isEqualTo(Ledger.empty(Optional.empty()));
            try (Node cut = Node.in(folder)
                    .like(node)
                    .with(new SimulatedCrash.AfterEffect(1))
                    .build()) {
                cut.started();
                assertThat(cut.prepare(cut.claim("a")).refusal()).isPresent();
            }
            assertThat(node.specs.list()).as("the crash left a spec").isNotEmpty();
            node.inventory.set(Inventories.with(Inventories.gb200(), BOOT));
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.specs.list()).isEmpty();
                assertThat(restarted.prepare(restarted.claim("a"))).isInstanceOf(Outcome.Accepted.class);
            }
        }
    }

    @Test
    void aCrashBetweenTheFirstSpecAndTheFirstCheckpointLeavesAnOrphanThatTheKubeletAsksForAgain() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).build()) {
            KubeletStates.of(node.kubelet, KubeletStates.asked("uid-a", "a", DriverNames.DRIVER));

            node.started();

            assertThat(node.specs.list()).isEmpty();
            assertThat(node.prepare(node.claim("a"))).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.saved(claim))
                    .get()
                    .satisfies(entry -> assertThat(TakeOverMark.isOn(entry)).isFalse());
        }
    }

    @Test
    void aTakeOverThatIsCutAtAnyStepOfAFileConvergesWithTheNextStart() throws Exception {
        int steps = cutTakeOver(0);
        assertThat(steps).isGreaterThan(5);
        for (int cut = 1; cut <= steps; cut++) {
            cutTakeOver(cut);
        }
    }

    /** Takes one claim over, makes another one's spec right and removes an orphan; fails at the step, 0 for none. */
    private int cutTakeOver(int cut) throws Exception {
        Path own = folder.resolve("cut-" + cut);
        ClaimRef kept = DraSpecimens.ref("kept");
        ClaimRef orphan = DraSpecimens.ref("orphan");
        var ran = new AtomicInteger();
        FileSteps failing = (step, path) -> {
            if (step != FileStep.CREATE_DIRECTORY && ran.incrementAndGet() == cut) {
                throw new FileSystemException(path.toString(), null, "No space left on device");
            }
        };
        try (Node node = Node.in(own).with(failing).build()) {
            try (Node earlier = Node.in(own).build()) {
                earlier.spec(kept, 17);
                earlier.spec(orphan, 239);
            }
            answered(node, kept);
            node.claims.put(kept, DraSpecimens.status(DOMAIN));
            if (cut == 0) {
                node.started();
                return ran.get();
            }
            assertThatThrownBy(node::recover).isInstanceOf(IOException.class);
            assertThat(node.specs.list()).as("cut " + cut).contains(kept.uid());
            try (Node restarted = Node.in(own).like(node).start()) {
                assertThat(restarted.specs.list()).containsExactly(kept.uid());
                assertThat(restarted.saved(kept))
                        .get()
                        .satisfies(entry -> assertThat(TakeOverMark.isOn(entry)).isTrue());
                assertThat(Files.readString(restarted.specs.file(kept.uid()))).contains("\"major\" : 239");
            }
            return ran.get();
        }
    }

    @Test
    void aTakeOverThatIsCutAfterAnyEffectConvergesWithTheNextStart() throws Exception {
        for (int cut = 1; cut <= 2; cut++) {
            Path own = folder.resolve("effect-" + cut);
            ClaimRef kept = DraSpecimens.ref("kept");
            try (Node node =
                    Node.in(own).with(new SimulatedCrash.AfterEffect(cut)).build()) {
                node.spec(kept, 17);
                node.spec(DraSpecimens.ref("orphan"), 239);
                answered(node, kept);
                node.claims.put(kept, DraSpecimens.status(DOMAIN));
                assertThatThrownBy(node::started).isInstanceOf(SimulatedCrash.class);
                try (Node restarted = Node.in(own).like(node).start()) {
                    assertThat(restarted.specs.list()).containsExactly(kept.uid());
                    assertThat(restarted.saved(kept)).containsInstanceOf(ClaimEntry.Completed.class);
                    assertThat(Files.readString(restarted.specs.file(kept.uid())))
                            .contains("\"major\" : 239");
                }
            }
        }
    }

    @Test
    void aClaimOfAnotherIsolationIsRefusedAndLeftAlone() throws Exception {
        ClaimRef claim = prepared("a");
        try (Node node = Node.in(folder).with(Isolation.IMEX_CHANNEL).build()) {
            answered(node, claim);
            node.claims.put(claim, DraSpecimens.status(DOMAIN));

            assertThat(refusal(node.recover())).contains("isolation");
            assertThat(node.spec(claim)).isPresent();
        }
    }

    /** The claims that a check names as taken over, orphans or refused are those of the start. */
    @Test
    void aCheckSaysWhatTheStartWillDo() throws Exception {
        ClaimRef claim = prepared("a");
        ClaimRef orphan = DraSpecimens.ref("orphan");
        ClaimRef told = DraSpecimens.ref("told");
        try (Node node = Node.in(folder).build()) {
            Path spec = node.specs.file(orphan.uid());
            Files.copy(node.specs.file(claim.uid()), spec);
            answered(node, claim, told);
            node.claims.put(claim, DraSpecimens.status(DOMAIN));

            List<CheckResult> checked = node.check();

            assertThat(checked).extracting(CheckResult::id).containsExactly("checkpoint", "mode");
            assertThat(checked.getFirst().severity()).isEqualTo(Severity.WARNING);
            assertThat(checked.getFirst().message())
                    .contains("the start takes over", "the claims [" + claim.uid() + "]")
                    .contains("removes the CDI specs of the claims [" + orphan.uid() + "]")
                    .contains("leaves out claim team/told uid=" + told.uid(), "does not know the claim any more");
            assertThat(node.store.isMissing()).isTrue();
            assertThat(spec).exists();

            node.started();

            assertThat(node.saved().entries()).containsOnlyKeys(claim.uid());
            assertThat(spec).doesNotExist();
        }
    }

    @Test
    void aCheckRefusesForTheReasonOfTheStart() throws Exception {
        prepared("a");
        try (Node node = Node.in(folder).build()) {
            List<CheckResult> checked = node.check();

            String refusal = refusal(node.recover());
            assertThat(checked).singleElement().satisfies(result -> {
                assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
                assertThat(result.message()).contains(node.kubelet.resolve(KubeletClaims.FILE) + " is missing");
                assertThat(refusal.lines())
                        .allSatisfy(line -> assertThat(
                                        result.message() + " " + result.remedy().orElseThrow())
                                .contains(line.strip().replaceFirst("^Way out: ", "")));
            });
        }
    }

    /** The agent prepares the claim; then its checkpoint and the backup are lost, and all of Kubernetes' memory here. */
    private ClaimRef prepared(String name) throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim(name);
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            lose(node);
            return claim;
        }
    }

    private ClaimRef owned(String name, int channel) throws Exception {
        try (Node node = Node.in(folder).with(isolation).start()) {
            node.channels.give(DOMAIN, channel);
            ClaimRef claim = node.owned(name, DOMAIN, Optional.empty());
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            lose(node);
            return claim;
        }
    }

    private static void lose(Node node) throws IOException {
        Files.delete(node.store.file());
        Files.delete(FileCheckpointStore.backupOf(node.store.file()));
    }

    private Node restarted(ClaimRef... claims) throws Exception {
        Node node = Node.in(folder).build();
        answered(node, claims);
        for (ClaimRef claim : claims) {
            node.claims.put(claim, DraSpecimens.status(DOMAIN));
        }
        return node.started();
    }

    /** The kubelet was answered for these claims of channel 0. */
    private static void answered(Node node, ClaimRef... claims) throws IOException {
        KubeletStates.of(
                node.kubelet,
                Arrays.stream(claims)
                        .map(claim -> KubeletStates.entry(
                                claim.uid().value(),
                                claim.name().name(),
                                DriverNames.DRIVER,
                                DraSpecimens.channel(claim)))
                        .toArray(String[]::new));
    }

    private static void record(Node node, ClaimRef claim, ReturnedDevice told) throws IOException {
        KubeletStates.of(
                node.kubelet,
                KubeletStates.entry(claim.uid().value(), claim.name().name(), DriverNames.DRIVER, told));
    }

    private static ReturnedDevice ownHanded(ClaimRef claim, int channel) {
        return new ReturnedDevice(
                List.of("channel"),
                DraSpecimens.NODE,
                ServingPolicy.CHANNEL,
                List.of("k8s.compute-domain.nvidia.com/claim=" + claim.uid() + "-channel-" + channel),
                Optional.empty());
    }

    private static ReturnedDevice withoutCdi(ClaimRef claim) {
        ReturnedDevice told = DraSpecimens.channel(claim);
        return new ReturnedDevice(told.requests(), told.pool(), told.device(), List.of(), Optional.empty());
    }

    private static Hold hold(int channel) {
        return new Hold(
                new DomainName(new ComputeDomainUid(DOMAIN), "team", "domain"), Optional.of(new ChannelId(channel)));
    }

    private static void booted(Node node, Instant at) throws IOException {
        Path proc = Files.createDirectories(node.kubelet.resolveSibling("host").resolve("proc"));
        Files.write(
                proc.resolve("stat"),
                Stream.of("cpu  1 2 3", "btime " + at.getEpochSecond(), "processes 7")
                        .toList());
    }

    private static String refusal(RecoveryResult recovered) {
        return switch (recovered) {
            case RecoveryResult.RecoveryRefused refused -> refused.reason();
            case RecoveryResult.RecoveryDone ready -> throw new AssertionError("recovered: " + ready);
        };
    }
}
