package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.PrepareAnswer;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.claim.Specimens;
import io.imexagent.dra.claim.UnprepareAnswer;
import io.imexagent.dra.claim.Waiting;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimWaitingTest {

    private static final ApiFailure DOWN =
            FakeClaims.failure(ApiFailure.Kind.UNREACHABLE, "no route to the API server");

    @TempDir
    Path folder;

    @Test
    void aClaimThatWaitsForAChannelGetsItAsSoonAsItIsFree() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef holder = node.claim("holder");
            node.prepare(holder);
            ClaimRef waiter = node.claim("waiter");
            CompletableFuture<PrepareAnswer> answer = node.begin(waiter);
            awaitPause(node);

            node.unprepare(holder);

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void aClaimThatWaitsForTheFabricIsPreparedAsSoonAsItIsReady() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.inventory.set(
                    Inventories.with(Inventories.gb200(), new CliqueState.Registering("GPU 0: in progress")));
            CompletableFuture<PrepareAnswer> answer = node.begin(node.claim("a"));
            awaitPause(node);

            node.inventory.set(Inventories.gb200());

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
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

            assertThat(node.prepare(held)).isInstanceOf(PrepareAnswer.Prepared.class);
            node.unprepare(held);
            CompletableFuture<PrepareAnswer> answer = node.begin(node.claim("new"));
            awaitPause(node);
            assertThat(answer).isNotDone();

            shut.set(Optional.empty());
            node.time.advance(Duration.ofSeconds(2));
            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void aClaimAtAGateThatStaysShutIsRefusedForALaterTry() throws Exception {
        var settings = PrepareSettings.answeringWithin(Duration.ofSeconds(30))
                .gatedBy(() -> Optional.of(new Refusal(RefusalCode.IMEX_NOT_READY, "nvidia-imex is not ready")));
        try (Node node = Node.in(folder).with(settings).start()) {
            CompletableFuture<PrepareAnswer> answer = node.begin(node.claim("a"));
            advance(node, answer, Duration.ofSeconds(31));

            assertThat(answer.get(60, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            PrepareAnswer.Refused.class,
                            refused -> assertThat(refused.refusal().code()).isEqualTo(RefusalCode.IMEX_NOT_READY));
        }
    }

    @Test
    void aClaimThatWaitsForTheNodeDoesNotAskKubernetesAgainAndAgain() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.inventory.set(Inventories.with(Inventories.gb200(), new ChannelMajor.NotRegistered()));
            CompletableFuture<PrepareAnswer> answer = node.begin(node.claim("a"));
            for (int pause = 0; pause < 6; pause++) {
                awaitPause(node);
                node.time.advance(Duration.ofSeconds(2));
            }

            assertThat(node.claims.reads()).isEqualTo(1);

            node.inventory.set(Inventories.gb200());
            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
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
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);

            awaitPause(node);
            assertThat(node.time.untilNext()).contains(Duration.ofMillis(100));
            node.time.advance(Duration.ofMillis(100));
            node.claims.awaitReads(2);
            awaitPause(node);
            assertThat(node.time.untilNext()).contains(Duration.ofMillis(200));
            node.time.advance(Duration.ofMillis(200));

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void aThrottlingApiIsLeftAloneForAsLongAsItAsks() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.fail(FakeClaims.throttled(Duration.ofSeconds(3)));
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);
            awaitPause(node);

            node.time.advance(Duration.ofMillis(2999));
            assertThat(node.claims.reads()).isEqualTo(1);
            node.time.advance(Duration.ofMillis(1));

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void changesOfTheNodeDoNotHurryWhoWaitsForTheApi() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);
            awaitPause(node);

            for (int change = 0; change < 20; change++) {
                node.inventory.set(Inventories.gb200());
            }

            assertThat(node.claims.reads()).isEqualTo(1);
            assertThat(answer).isNotDone();
        }
    }

    @Test
    void answersInTimeWithTheReasonForWhichItWaits() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);
            advance(node, answer, Duration.ofMillis(29_900));

            assertThat(answer).isNotDone();
            advance(node, answer, Duration.ofMillis(100));

            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
            assertThat(Refused.of(answer.get()).message()).isEqualTo("no route to the API server");
            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void leavesACallerWithLessTimeAMarginForTheWayBack() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);
            CompletableFuture<PrepareAnswer> answer = node.begin(claim, Duration.ofSeconds(5));
            advance(node, answer, Duration.ofMillis(4400));

            assertThat(answer).isNotDone();
            advance(node, answer, Duration.ofMillis(100));

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Refused.class);
        }
    }

    @Test
    void whoJoinsALongerPrepareIsAnsweredInItsOwnTime() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.breakFor(claim, DOWN);
            CompletableFuture<PrepareAnswer> patient = node.begin(claim);
            awaitPause(node);
            CompletableFuture<PrepareAnswer> hasty = node.begin(claim, Duration.ofSeconds(2));

            node.time.advance(Duration.ofMillis(1800));

            assertThat(Refused.of(hasty.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.API_UNAVAILABLE);
            assertThat(patient).isNotDone();
        }
    }

    @Test
    void aSilentApiServerIsGivenUpAndAskedAgain() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.hold();
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);
            node.claims.awaitReads(1);
            node.claims.pass();

            node.time.advance(Duration.ofSeconds(8));
            awaitPause(node);
            node.time.advance(Duration.ofSeconds(1));

            assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void answersInTimeWhileTheApiServerIsSilent() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.claims.hold();
            CompletableFuture<PrepareAnswer> answer = node.begin(claim, Duration.ofSeconds(4));
            node.claims.awaitReads(1);

            node.time.advance(Duration.ofMillis(3600));

            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).message())
                    .isEqualTo("the API server has not told about claim team/a within 3 s; check that it can be"
                            + " reached from this node; the claim is retried");
            Waiting.eventually("forgotten", () -> !node.service.isPreparing(claim.uid()));
        }
    }

    @Test
    void answersInTimeWhileTheLaneHangs() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var hanging = new CountDownLatch(1);
            var hung = node.lane.submit(() -> hanging.await(60, TimeUnit.SECONDS));
            ClaimRef claim = node.claim("a");
            CompletableFuture<PrepareAnswer> prepare = node.begin(claim);
            node.claims.awaitReads(1);
            Waiting.eventually("on the lane", () -> node.lane.waiting() == 1);
            var unprepare = node.service.unprepare(List.of(Specimens.request(node.claim("b"))));

            node.time.advance(Duration.ofSeconds(30));

            assertThat(Refused.of(prepare.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            assertThat(Refused.of(prepare.get()).message())
                    .startsWith("the files of the claim were not written within 30 s; ");
            assertThat(Refused.of(unprepare
                                    .toCompletableFuture()
                                    .get(60, TimeUnit.SECONDS)
                                    .get("uid-b"))
                            .code())
                    .isEqualTo(RefusalCode.EFFECT_FAILED);
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
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            var hanging = new CountDownLatch(1);
            var hung = node.lane.submit(() -> hanging.await(60, TimeUnit.SECONDS));
            Waiting.eventually("busy", () -> node.lane.busyFor().isPresent());
            var unprepare = node.service.unprepare(List.of(Specimens.request(claim)));

            node.time.advance(Duration.ofSeconds(30));

            assertThat(Refused.of(unprepare
                                    .toCompletableFuture()
                                    .get(60, TimeUnit.SECONDS)
                                    .get("uid-a"))
                            .code())
                    .isEqualTo(RefusalCode.EFFECT_FAILED);
            hanging.countDown();
            assertThat(hung.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.lane.submit(() -> true).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.saved().completed())
                    .as("the kubelet may have gone on with it")
                    .hasSize(1);
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @Test
    void whileAClaimWaitsTheLaneIsFree() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef holder = node.claim("holder");
            node.prepare(holder);
            CompletableFuture<PrepareAnswer> waiter = node.begin(node.claim("waiter"));
            awaitPause(node);

            assertThat(node.lane.submit(() -> true).get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(node.prepare(holder)).isInstanceOf(PrepareAnswer.Prepared.class);
            assertThat(waiter).isNotDone();
        }
    }

    @Test
    void anUnprepareCancelsTheWaitOfItsClaim() throws Exception {
        try (Node node = Node.in(folder).start()) {
            node.prepare(node.claim("holder"));
            ClaimRef waiter = node.claim("waiter");
            CompletableFuture<PrepareAnswer> answer = node.begin(waiter);
            awaitPause(node);

            assertThat(node.unprepare(waiter)).isEqualTo(new UnprepareAnswer.Done());

            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            assertThat(node.saved(waiter)).isEmpty();
            assertThat(node.service.isPreparing(waiter.uid())).isFalse();
            assertThat(node.time.waiting()).as("nothing waits any more").isZero();
        }
    }

    @Test
    void anUnprepareCancelsAPrepareThatStillAsksKubernetes() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            CountDownLatch release = node.claims.hold();
            CompletableFuture<PrepareAnswer> answer = node.begin(claim);
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
    void anUnprepareThatComesWhileThePrepareWaitsForTheLaneComesAfterIt() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var busy = new CountDownLatch(1);
            var first = node.lane.submit(() -> busy.await(60, TimeUnit.SECONDS));
            ClaimRef claim = node.claim("a");
            CompletableFuture<PrepareAnswer> prepare = node.begin(claim);
            Waiting.eventually("on the lane", () -> node.lane.waiting() == 1);

            var unprepare = node.service.unprepare(List.of(Specimens.request(claim)));
            CompletableFuture<PrepareAnswer> again = node.begin(claim);
            busy.countDown();

            assertThat(Refused.of(prepare.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            assertThat(unprepare.toCompletableFuture().get(60, TimeUnit.SECONDS))
                    .containsEntry("uid-a", new UnprepareAnswer.Done());
            assertThat(again.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
            assertThat(first.get()).isTrue();
        }
    }

    @Test
    void takesNoMoreClaimsThanItMay() throws Exception {
        var settings = new PrepareSettings(Duration.ofSeconds(30), Duration.ofSeconds(8), 2);
        try (Node node = Node.in(folder).with(settings).start()) {
            node.claims.hold();
            CompletableFuture<PrepareAnswer> one = node.begin(node.claim("one"));
            CompletableFuture<PrepareAnswer> two = node.begin(node.claim("two"));

            assertThat(Refused.of(node.prepare(node.claim("three"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            assertThat(one).isNotDone();
            assertThat(two).isNotDone();
        }
    }

    @Test
    void aFullLaneTurnsClaimsAway() throws Exception {
        try (Node node = Node.in(folder).start()) {
            var busy = new CountDownLatch(1);
            var first = node.lane.submit(() -> busy.await(60, TimeUnit.SECONDS));
            Waiting.eventually("busy", () -> node.lane.busyFor().isPresent());
            for (int task = 0; task < 256; task++) {
                var _ = node.lane.submit(() -> true);
            }

            assertThat(Refused.of(node.prepare(node.claim("a"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            assertThat(Refused.of(node.unprepare(node.claim("a"))).code()).isEqualTo(RefusalCode.OVERLOADED);
            busy.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS)).isTrue();
            Waiting.eventually("empty", () -> node.lane.waiting() == 0);
            assertThat(node.prepare(node.claim("a"))).isInstanceOf(PrepareAnswer.Prepared.class);
        }
    }

    @Test
    void stoppingAnswersWhoWaitsAndFinishesWhatIsOnTheLane() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef waiter = node.claim("waiter");
            node.claims.breakFor(waiter, DOWN);
            CompletableFuture<PrepareAnswer> waiting = node.begin(waiter);
            awaitPause(node);
            var busy = new CountDownLatch(1);
            var first = node.lane.submit(() -> busy.await(60, TimeUnit.SECONDS));
            Waiting.eventually("busy", () -> node.lane.busyFor().isPresent());
            CompletableFuture<PrepareAnswer> working = node.begin(node.claim("a"));
            Waiting.eventually("on the lane", () -> node.lane.waiting() == 1);

            var stop = CompletableFuture.runAsync(() -> stop(node));
            assertThat(Refused.of(waiting.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.STOPPING);
            busy.countDown();

            assertThat(working.get(60, TimeUnit.SECONDS)).isInstanceOf(PrepareAnswer.Prepared.class);
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

    /** Waits until the claim of the one call in flight rests: its pause waits beside the call's deadline. */
    private static void awaitPause(Node node) throws Exception {
        Waiting.eventually("the claim rests", () -> node.time.waiting() == 2);
    }

    /** Moves time in steps that each pause takes part in. */
    private static void advance(Node node, CompletableFuture<PrepareAnswer> answer, Duration by) throws Exception {
        for (Duration left = by; left.isPositive(); left = left.minusMillis(100)) {
            Waiting.eventually("the claim rests", () -> answer.isDone() || node.time.waiting() == 2);
            node.time.advance(Duration.ofMillis(100));
        }
    }
}
