package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.KubeletStates;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClaimConfirmerTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration QUARTER = Duration.ofMinutes(15);

    @TempDir
    Path folder;

    private Node node;

    @BeforeEach
    void start() throws Exception {
        node = Node.in(folder).start();
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void aClaimThatWasAbsentThreeTimesOverHalfAnHourIsUnprepared() throws Exception {
        ClaimRef claim = prepared();
        List<Integer> sizes = new ArrayList<>();
        node.prepared.onChange(ledger -> sizes.add(ledger.entries().size()));
        node.claims.remove(claim);

        assertThat(node.confirmer.turn()).isEqualTo(QUARTER);
        assertThat(after(QUARTER)).isEqualTo(QUARTER);
        assertThat(node.saved(claim)).isPresent();
        assertThat(after(QUARTER)).isEqualTo(HOUR);

        assertThat(node.saved().entries()).isEmpty();
        assertThat(node.specs.list()).isEmpty();
        assertThat(sizes).as("who listens to the ledger hears of it").containsExactly(0);
        assertThat(node.endedAsGone).hasValue(1);
    }

    @Test
    void aClaimThatWasReplacedUnderItsNameIsGone() throws Exception {
        ClaimRef claim = prepared();
        node.claims.put(
                new ClaimRef(claim.name(), DraSpecimens.ref("other").uid()), DraSpecimens.status(DraSpecimens.DOMAIN));

        halfAnHour();

        assertThat(node.saved().entries()).isEmpty();
    }

    @Test
    void aClaimThatNothingOnTheNodeLeadsToIsGone() throws Exception {
        ClaimRef claim = prepared();
        node.claims.breakFor(claim, FakeClaims.NO_RELATIONSHIP);

        halfAnHour();

        assertThat(node.saved().entries()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiFailure.FailureKind.class,
            names = {"NO_RELATIONSHIP"},
            mode = EnumSource.Mode.EXCLUDE)
    void aFailureOfTheApiNeitherCountsNorMakesVoidWhatWasSeen(ApiFailure.FailureKind kind) throws Exception {
        ClaimRef claim = prepared();
        node.claims.breakFor(claim, FakeClaims.failure(kind, "why"));
        halfAnHour();
        assertThat(node.saved(claim)).isPresent();
        node.claims.mend(claim);
        node.claims.remove(claim);

        after(HOUR);
        after(QUARTER);
        node.claims.breakFor(claim, FakeClaims.failure(kind, "why"));
        after(QUARTER);
        assertThat(node.saved(claim)).isPresent();
        node.claims.mend(claim);
        after(QUARTER);

        assertThat(node.saved(claim)).isEmpty();
    }

    @Test
    void aClaimThatExistsAgainIsConfirmed() throws Exception {
        ClaimRef claim = absentTwice();
        node.claim("a");

        assertThat(after(QUARTER)).isEqualTo(HOUR);
        node.claims.remove(claim);
        after(HOUR);
        after(QUARTER);

        assertThat(node.saved(claim)).isPresent();
    }

    @Test
    void aClaimThatTheKubeletHasIsLeftToIt() throws Exception {
        ClaimRef claim = prepared();
        KubeletStates.write(node.kubelet, claim.uid().value());
        int reads = node.claims.reads();
        node.claims.remove(claim);

        halfAnHour();

        assertThat(node.saved(claim)).isPresent();
        assertThat(node.claims.reads()).as("nobody is asked").isEqualTo(reads);
    }

    @Test
    void aClaimThatTheKubeletDoesNotHaveIsEndedAsIfItHadNoRecord() throws Exception {
        ClaimRef claim = prepared();
        KubeletStates.write(node.kubelet, "another");
        node.claims.remove(claim);

        halfAnHour();

        assertThat(node.saved(claim)).isEmpty();
    }

    @Test
    void whileTheKubeletsRecordCannotBeReadNothingIsEnded() throws Exception {
        ClaimRef claim = prepared();
        Files.createDirectories(node.kubelet);
        Files.writeString(node.kubelet.resolve(KubeletClaims.FILE), "{}");
        node.claims.remove(claim);

        assertThat(node.confirmer.turn()).isEqualTo(HOUR);
        after(HOUR);
        after(HOUR);

        assertThat(node.saved(claim)).isPresent();
    }

    @Test
    void aClaimThatTheKubeletPreparesAgainIsItsOwn() throws Exception {
        ClaimRef claim = absentTwice();

        node.prepare(claim);
        after(QUARTER);
        after(QUARTER);
        assertThat(node.saved(claim)).isPresent();
        after(QUARTER);

        assertThat(node.saved(claim)).isEmpty();
    }

    @Test
    void aPrepareThatComesWhileTheApiIsAskedMakesVoidWhatWasSeen() throws Exception {
        ClaimRef claim = absentTwice();
        node.time.advance(QUARTER);
        // The worker is busy, so that the third sighting is there before the prepare, and the end after it.
        var busy = new CountDownLatch(1);
        var held = node.worker.submit(() -> {
            busy.await();
            return true;
        });
        var turn = node.threads.submit(node.confirmer::turn);
        Eventually.holds("the end waits for the worker", () -> node.worker.waiting() == 1);
        var answer = node.begin(claim);

        busy.countDown();
        turn.get();

        assertThat(held.get()).isTrue();
        assertThat(answer.get()).isNotNull();
        assertThat(node.saved(claim)).isPresent();
    }

    @Test
    void aClaimWithoutANameIsLeftToPeople() throws Exception {
        ClaimEntry.Completed named = DraSpecimens.completed(DraSpecimens.ref("a"), 0);
        var nameless = new ClaimEntry.Completed(named.uid(), Optional.empty(), named.status(), named.groups());
        node.write(nameless);

        halfAnHour();

        assertThat(node.saved().entries()).containsKey(named.uid());
        assertThat(node.claims.reads()).isZero();
    }

    @Test
    void looksSoonAfterAKubeletHasComeAndOnlyOnceForManyOfThem() throws Exception {
        prepared();
        node.confirmer.turn();
        int reads = node.claims.reads();

        assertThat(node.confirmer.turn()).isGreaterThan(Duration.ofMinutes(59));
        node.confirmer.kubeletCame();
        assertThat(node.confirmer.turn()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1));
        node.time.advance(Duration.ofSeconds(30));
        node.confirmer.kubeletCame();
        assertThat(node.confirmer.turn()).isLessThan(Duration.ofSeconds(31));
        assertThat(node.claims.reads()).isEqualTo(reads);
        node.time.advance(Duration.ofSeconds(31));

        assertThat(node.confirmer.turn()).isEqualTo(HOUR);
        assertThat(node.claims.reads()).isEqualTo(reads + 1);
    }

    private ClaimRef prepared() throws Exception {
        ClaimRef claim = node.claim("a");
        assertThat(node.prepare(claim).refusal()).isEmpty();
        return claim;
    }

    private ClaimRef absentTwice() throws Exception {
        ClaimRef claim = prepared();
        node.claims.remove(claim);
        node.confirmer.turn();
        after(QUARTER);
        return claim;
    }

    private Duration after(Duration pause) throws Exception {
        node.time.advance(pause);
        return node.confirmer.turn();
    }

    private void halfAnHour() throws Exception {
        node.confirmer.turn();
        after(QUARTER);
        after(QUARTER);
    }
}
