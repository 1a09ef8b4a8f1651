package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimWaitingTest {

    private static final ApiFailure DOWN =
            FakeClaims.failure(ApiFailure.FailureKind.UNREACHABLE, "no route to the API server");

    /** Limits for a call that is to run out of time. */
    private static final PrepareSettings BRIEF = PrepareSettings.answeringWithin(Duration.ofMillis(400));

    /** Limits under which only a change ends a wait. */
    private static final PrepareSettings PATIENT =
            new PrepareSettings(Duration.ofMinutes(5), Duration.ofHours(1), 16, Optional::empty);

    @TempDir
    Path folder;

    @Test
    void aClaimThatWaitsForAChannelGetsItAsSoonAsItIsFree() throws Exception {
        try (Node node = Node.in(folder).with(PATIENT).start()) {
            ClaimRef holder = node.claim("holder");
            node.prepare(holder);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(node.claim("waiter"));
            node.claims.awaitReads(2);

            node.unprepare(holder);

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aClaimThatWaitsForTheFabricIsPreparedAsSoonAsItIsReady() throws Exception {
        try (Node node = Node.in(folder).with(PATIENT).start()) {
            node.inventory.set(
                    Inventories.with(Inventories.gb200(), new CliqueState.RegisteringClique("GPU 0: in progress")));
            CompletableFuture<Outcome<Prepared>> answer = node.begin(node.claim("a"));
            node.claims.awaitReads(1);

            node.inventory.set(Inventories.gb200());

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aNewClaimWaitsAtTheGateAndAPreparedOneIsAnsweredAllTheSame() throws Exception {
        var shut = new AtomicReference<>(Optional.<Refusal>empty());
        var settings = PrepareSettings.answeringWithin(Duration.ofSeconds(30)).gatedBy(shut::get);
        try (Node node = Node.in(folder).with(settings).start()) {
            ClaimRef before = node.claim("before");
            node.prepare(before);
            node.unprepare(before);
            ClaimRef held = node.claim("held");
            node.prepare(held);
            shut.set(Optional.of(new Refusal(RefusalCode.IMEX_NOT_READY, "nvidia-imex is not ready")));

            assertThat(node.prepare(held)).isInstanceOf(Outcome.Accepted.class);
            node.unprepare(held);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(node.claim("new"));
            node.claims.awaitReads(1);
            assertThat(answer).isNotDone();

            shut.set(Optional.empty());
            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void aClaimAtAGateThatStaysShutIsRefusedForALaterTry() throws Exception {
        var settings =
                BRIEF.gatedBy(() -> Optional.of(new Refusal(RefusalCode.IMEX_NOT_READY, "nvidia-imex is not ready")));
        try (Node node = Node.in(folder).with(settings).start()) {
            assertThat(Refused.of(node.prepare(node.claim("a"))).code()).isEqualTo(RefusalCode.IMEX_NOT_READY);
        }
    }

    @Test
    void aClaimThatWaitsForTheNodeDoesNotAskKubernetesAgainAndAgain() throws Exception {
        try (Node node = Node.in(folder).with(PATIENT).start()) {
            NodeInventory without = Inventories.with(Inventories.gb200(), new ChannelMajor.UnregisteredMajor());
            node.inventory.set(without);
            CompletableFuture<Outcome<Prepared>> answer = node.begin(node.claim("a"));
            node.claims.awaitReads(1);
            for (int change = 0; change < 20; change++) {
                node.inventory.set(without);
                Thread.sleep(2);
            }

            assertThat(node.claims.reads()).isEqualTo(1);

            node.inventory.set(Inventories.gb200());
            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.claims.reads())
                    .as("asked afresh before it is prepared")
                    .isEqualTo(2);
        }
    }

    @Test
    void anApiThatComesBackIsAskedAgainWithinTheCall() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.fail(DOWN);
            node.claims.fail(DOWN);

            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.claims.reads()).isEqualTo(3);
        }
    }

    @Test
    void aThrottlingApiIsLeftAloneForAsLongAsItAsks() throws Exception {
        try (Node node = Node.in(folder).with(BRIEF).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.fail(FakeClaims.throttled(Duration.ofHours(1)));

            assertThat(Refused.of(node.prepare(claim)).message()).isEqualTo("the API server is busy");
            assertThat(node.claims.reads()).isEqualTo(1);

            node.claims.fail(FakeClaims.throttled(Duration.ofMillis(1)));
            assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void changesOfTheNodeDoNotHurryWhoWaitsForTheApi() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.claims.fail(FakeClaims.throttled(Duration.ofHours(1)));
            CompletableFuture<Outcome<Prepared>> answer = node.begin(node.claim("a"));
            node.claims.awaitReads(1);

            for (int change = 0; change < 20; change++) {
                node.inventory.set(Inventories.gb200());
                Thread.sleep(2);
            }

            assertThat(node.claims.reads()).isEqualTo(1);
            assertThat(answer).isNotDone();
        }
    }

    @Test
    void answersInTimeWithTheReasonForWhichItWaits() throws Exception {
        try (Node node = Node.in(folder).with(BRIEF).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);

            Refusal reason = Refused.of(node.prepare(claim));

            assertThat(reason.code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
            assertThat(reason.message()).isEqualTo("no route to the API server");
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.service.isPreparing(claim.uid())).isFalse();
        }
    }

    @Test
    void aCallerWithLessTimeIsAnsweredWithinIt() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);

            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim, Duration.ofMillis(300));

            assertThat(Refused.of(answer.get(25, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
        }
    }

    @Test
    void whoJoinsALongerPrepareIsAnsweredInItsOwnTime() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);
            CompletableFuture<Outcome<Prepared>> patient = node.begin(claim);
            node.claims.awaitReads(1);
            CompletableFuture<Outcome<Prepared>> hasty = node.begin(claim, Duration.ofMillis(300));

            assertThat(Refused.of(hasty.get(25, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
            assertThat(patient).isNotDone();
        }
    }

    @Test
    void answersInTimeWhileTheApiServerIsSilent() throws Exception {
        try (Node node = Node.in(folder).with(BRIEF).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.hold();

            assertThat(Refused.of(node.prepare(claim)).message())
                    .startsWith("the API server has not answered about claim team/a within ")
                    .endsWith("; check that it can be reached from this node; the claim is retried");
            assertThat(node.service.isPreparing(claim.uid())).isFalse();
        }
    }

    @Test
    void answersInTimeWhileTheWorkerHangs() throws Exception {
        try (Node node = Node.in(folder).with(BRIEF).start()) {
            var hanging = new CountDownLatch(1);
            var hung = node.worker.submit(() -> hanging.await(60, TimeUnit.SECONDS));
            CompletableFuture<Outcome<Prepared>> prepare = node.begin(node.claim("a"));
            CompletableFuture<Outcome<Unprepared>> unprepare = node.end(node.claim("b"));

            Refusal reason = Refused.of(prepare.get(60, TimeUnit.SECONDS));
            assertThat(reason.code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            assertThat(reason.message()).startsWith("the files of the claim were not written within ");
            assertThat(Refused.of(unprepare.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            hanging.countDown();
            assertThat(hung.get(60, TimeUnit.SECONDS)).isTrue();
            node.service.stop(Duration.ofSeconds(60));
            assertThat(node.saved().entries())
                    .as("nobody waits for it any more")
                    .isEmpty();
        }
    }

    @Test
    void anUnprepareThatWasAnsweredAsFailedEndsNothingLater() throws Exception {
        try (Node node = Node.in(folder).with(BRIEF).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            var hanging = new CountDownLatch(1);
            var hung = node.worker.submit(() -> hanging.await(60, TimeUnit.SECONDS));
            Eventually.holds("busy", () -> node.worker.busyFor().isPresent());

            assertThat(Refused.of(node.unprepare(claim)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            hanging.countDown();
            assertThat(hung.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.worker.submit(() -> true).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.saved().completed())
                    .as("the kubelet may have gone on with it")
                    .hasSize(1);
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void whileAClaimWaitsTheWorkerIsFree() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef holder = node.claim("holder");
            node.prepare(holder);
            CompletableFuture<Outcome<Prepared>> waiter = node.begin(node.claim("waiter"));
            node.claims.awaitReads(2);

            assertThat(node.worker.submit(() -> true).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.prepare(holder)).isInstanceOf(Outcome.Accepted.class);
            assertThat(waiter).isNotDone();
        }
    }

    @Test
    void anUnprepareCancelsTheWaitOfItsClaim() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.prepare(node.claim("holder"));
            ClaimRef waiter = node.claim("waiter");
            CompletableFuture<Outcome<Prepared>> answer = node.begin(waiter);
            node.claims.awaitReads(2);

            assertThat(node.unprepare(waiter)).isEqualTo(Outcome.accepted(new Unprepared()));

            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            assertThat(node.saved(waiter)).isEmpty();
            assertThat(node.service.isPreparing(waiter.uid())).isFalse();
        }
    }

    @Test
    void anUnprepareCancelsAPrepareThatStillAsksKubernetes() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            CountDownLatch release = node.claims.hold();
            CompletableFuture<Outcome<Prepared>> answer = node.begin(claim);
            node.claims.awaitReads(1);

            node.unprepare(claim);
            release.countDown();

            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            node.service.stop(Duration.ofSeconds(60));
            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void anUnprepareThatComesWhileThePrepareWaitsForTheWorkerAbortsIt() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var busy = new CountDownLatch(1);
            var first = node.worker.submit(() -> busy.await(60, TimeUnit.SECONDS));
            Eventually.holds("busy", () -> node.worker.busyFor().isPresent());
            ClaimRef claim = node.claim("a");
            CompletableFuture<Outcome<Prepared>> prepare = node.begin(claim);
            Eventually.holds("on the worker", () -> node.worker.waiting() == 1);

            CompletableFuture<Outcome<Unprepared>> unprepare = node.end(claim);
            assertThat(Refused.of(prepare.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            Eventually.holds("both on the worker", () -> node.worker.waiting() == 2);
            CompletableFuture<Outcome<Prepared>> again = node.begin(claim);
            busy.countDown();

            assertThat(unprepare.get(60, TimeUnit.SECONDS)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(Refused.of(again.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.PREPARE_ABORTED);
            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Aborted.class);
            assertThat(node.specs.list()).isEmpty();
            assertThat(first.get()).isTrue();
        }
    }

    @Test
    void takesNoMoreClaimsThanItMay() throws Exception {
        var settings = new PrepareSettings(Duration.ofSeconds(30), Duration.ofMillis(100), 2, Optional::empty);
        try (Node node = Node.in(folder).with(settings).start()) {
            node.claims.hold();
            CompletableFuture<Outcome<Prepared>> one = node.begin(node.claim("one"));
            CompletableFuture<Outcome<Prepared>> two = node.begin(node.claim("two"));
            node.claims.awaitReads(2);

            assertThat(Refused.of(node.prepare(node.claim("three"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            assertThat(one).isNotDone();
            assertThat(two).isNotDone();
        }
    }

    @Test
    void aFullWorkerTurnsClaimsAway() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var busy = new CountDownLatch(1);
            var first = node.worker.submit(() -> busy.await(60, TimeUnit.SECONDS));
            Eventually.holds("busy", () -> node.worker.busyFor().isPresent());
            for (int task = 0; task < 1024; task++) {
                var _ = node.worker.submit(() -> true);
            }

            assertThat(Refused.of(node.prepare(node.claim("a"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            assertThat(Refused.of(node.unprepare(node.claim("a"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            busy.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS)).isTrue();
            Eventually.holds("empty", () -> node.worker.waiting() == 0);
            assertThat(node.prepare(node.claim("a"))).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void stoppingAnswersWhoWaitsAndFinishesWhatIsOnTheWorker() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef waiter = node.claim("waiter");
            node.claims.breakFor(waiter, DOWN);
            CompletableFuture<Outcome<Prepared>> waiting = node.begin(waiter);
            node.claims.awaitReads(1);
            var busy = new CountDownLatch(1);
            var first = node.worker.submit(() -> busy.await(60, TimeUnit.SECONDS));
            Eventually.holds("busy", () -> node.worker.busyFor().isPresent());
            CompletableFuture<Outcome<Prepared>> working = node.begin(node.claim("a"));
            Eventually.holds("on the worker", () -> node.worker.waiting() == 1);

            var stop = CompletableFuture.runAsync(() -> stop(node));
            assertThat(Refused.of(waiting.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.STOPPING);
            busy.countDown();

            assertThat(working.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            stop.get(60, TimeUnit.SECONDS);
            assertThat(first.get()).isTrue();
            assertThat(Refused.of(node.prepare(node.claim("late"))).code()).isEqualTo(RefusalCode.STOPPING);
            assertThat(Refused.of(node.unprepare(node.claim("late"))).code()).isEqualTo(RefusalCode.STOPPING);
        }
    }

    private static void stop(Node node) {
        try {
            node.service.stop(Duration.ofSeconds(60));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
