package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims that wait for the worker at the same time are saved at once. */
class GroupCommitTest {

    private static final String SHARES = "5a0e2b1c-0000-4000-8000-00000000000";

    @TempDir
    Path folder;

    private final AtomicInteger saves = new AtomicInteger();
    private final AtomicBoolean full = new AtomicBoolean();
    private volatile String fullFor = "";

    private final FileSteps steps = (step, path) -> {
        String name = path.getFileName().toString();
        if (step == FileStep.FLUSH && name.contains("checkpoint.json")) {
            saves.incrementAndGet();
        }
        if (full.get() && step == FileStep.WRITE && name.contains(fullFor)) {
            throw new FileSystemException(path.toString(), null, "No space left on device");
        }
    };

    @Test
    void claimsThatWaitAtTheSameTimeShareASaveAndAreAnsweredAfterIt() throws Exception {
        try (Node node = node()) {
            CountDownLatch leave = occupied(node);
            List<CompletableFuture<Outcome<Prepared>>> answers =
                    List.of(queued(node, 1), queued(node, 2), queued(node, 3));
            saves.set(0);

            leave.countDown();

            for (CompletableFuture<Outcome<Prepared>> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            }
            assertThat(saves).hasValue(1);
            assertThat(node.saved().completed()).hasSize(3);
        }
    }

    @Test
    void aClaimWhoseSpecCannotBeWrittenCostsTheOthersNothing() throws Exception {
        try (Node node = node()) {
            CountDownLatch leave = occupied(node);
            CompletableFuture<Outcome<Prepared>> one = queued(node, 1);
            CompletableFuture<Outcome<Prepared>> two = queued(node, 2);
            fullFor = DraSpecimens.ref("claim-1").uid().value();
            full.set(true);

            leave.countDown();

            assertThat(Refused.of(one.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            assertThat(two.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            assertThat(node.specs.list())
                    .containsExactly(DraSpecimens.ref("claim-2").uid());
            assertThat(node.saved().completed())
                    .extracting(ClaimEntry::uid)
                    .containsExactly(DraSpecimens.ref("claim-2").uid());
        }
    }

    @Test
    void aSaveThatFailsRefusesWhomItWasForAndNobodyElse() throws Exception {
        try (Node node = node()) {
            assertThat(begun(node, 1).get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            CountDownLatch leave = occupied(node);
            CompletableFuture<Outcome<Prepared>> repeated = queued(node, 1);
            CompletableFuture<Outcome<Prepared>> fresh = queued(node, 2);
            fullFor = "checkpoint.json";
            full.set(true);

            leave.countDown();

            assertThat(repeated.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            assertThat(Refused.of(fresh.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            assertThat(node.specs.list())
                    .containsExactly(DraSpecimens.ref("claim-1").uid());
            full.set(false);
            assertThat(begun(node, 2).get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
        }
    }

    @Test
    void nobodyIsToldThatAClaimIsUnpreparedWhoseSaveFailed() throws Exception {
        try (Node node = node()) {
            assertThat(begun(node, 1).get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            CountDownLatch leave = occupied(node);
            ClaimRef claim = DraSpecimens.ref("claim-1");
            CompletableFuture<Outcome<Unprepared>> first = node.end(claim);
            CompletableFuture<Outcome<Unprepared>> second = node.end(claim);
            fullFor = "checkpoint.json";
            full.set(true);

            leave.countDown();

            assertThat(Refused.of(first.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
            assertThat(Refused.of(second.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.EFFECT_FAILED);
        }
    }

    @Test
    void soManyAreSavedAtOnceThatTheCheckpointsSizeIsLookedAtAgain() throws Exception {
        try (Node node = node()) {
            CountDownLatch leave = occupied(node);
            var answers = new ArrayList<CompletableFuture<Outcome<Prepared>>>();
            for (int number = 1; number <= 9; number++) {
                answers.add(queued(node, number));
            }
            saves.set(0);

            leave.countDown();

            for (CompletableFuture<Outcome<Prepared>> answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isInstanceOf(Outcome.Accepted.class);
            }
            assertThat(saves).hasValueGreaterThan(1);
        }
    }

    @Test
    void anUnprepareThatMeetsAPrepareWhichIsNotDurableYetAbortsIt() throws Exception {
        var written = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (Node node = Node.in(folder)
                .with(effect -> {
                    if (effect instanceof Effect.WriteCdi) {
                        written.countDown();
                        await(goOn);
                    }
                })
                .start()) {
            ClaimRef claim = node.claim("a");
            CompletableFuture<Outcome<Prepared>> prepare = node.begin(claim);
            await(written);

            CompletableFuture<Outcome<Unprepared>> unprepare = node.end(claim);
            assertThat(Refused.of(prepare.get(60, TimeUnit.SECONDS)).code()).isEqualTo(RefusalCode.CANCELLED);
            goOn.countDown();

            assertThat(unprepare.get(60, TimeUnit.SECONDS)).isEqualTo(Outcome.accepted(new Unprepared()));
            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Aborted.class);
            assertThat(node.specs.list()).isEmpty();
        }
    }

    private Node node() throws Exception {
        return Node.in(folder).with(Isolation.IMEX_CHANNEL).with(steps).start();
    }

    /** Begins to prepare a share of the ComputeDomain's channel. */
    private static CompletableFuture<Outcome<Prepared>> begun(Node node, int number) {
        node.channels.give(DraSpecimens.DOMAIN, 5);
        return node.begin(node.owned("claim-" + number, DraSpecimens.DOMAIN, Optional.of(SHARES + number)));
    }

    /** The same, until it waits for the worker. */
    private static CompletableFuture<Outcome<Prepared>> queued(Node node, int number) throws InterruptedException {
        int waiting = node.worker.waiting();
        CompletableFuture<Outcome<Prepared>> answer = begun(node, number);
        Eventually.holds("on the worker", () -> node.worker.waiting() > waiting);
        return answer;
    }

    /** Keeps the worker busy until the latch opens. */
    private static CountDownLatch occupied(Node node) {
        var entered = new CountDownLatch(1);
        var leave = new CountDownLatch(1);
        var _ = node.worker.submit(() -> {
            entered.countDown();
            return leave.await(60, TimeUnit.SECONDS);
        });
        await(entered);
        return leave;
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
