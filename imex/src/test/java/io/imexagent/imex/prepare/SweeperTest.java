package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SweeperTest {

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
    void aBegunClaimThatIsGoneIsRemovedWithItsSpec() throws Exception {
        ClaimRef gone = begun("gone");
        node.spec(gone, 239);

        node.sweeper.turn();

        assertThat(node.saved().entries()).isEmpty();
        assertThat(node.specs.list()).isEmpty();
    }

    @Test
    void aBegunClaimThatWasReplacedUnderItsNameIsRemoved() throws Exception {
        ClaimRef replaced = begun("a");
        node.claims.put(
                new ClaimRef(replaced.name(), DraSpecimens.ref("other").uid()),
                DraSpecimens.status(DraSpecimens.DOMAIN));

        node.sweeper.turn();

        assertThat(node.saved().entries()).isEmpty();
    }

    @Test
    void aBegunClaimThatIsThereStays() throws Exception {
        ClaimRef there = begun("a");
        node.claim("a");

        node.sweeper.turn();

        assertThat(node.saved(there)).contains(DraSpecimens.started(there));
    }

    @Test
    void aPreparedClaimIsNeverSwept() throws Exception {
        ClaimRef claim = node.claim("a");
        node.prepare(claim);
        node.claims.remove(claim);

        node.sweeper.turn();

        assertThat(node.saved(claim)).isPresent();
        assertThat(node.spec(claim)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiFailure.FailureKind.class,
            names = {"NO_RELATIONSHIP"},
            mode = EnumSource.Mode.EXCLUDE)
    void aFailureOfTheApiIsNoProofThatAClaimIsGone(ApiFailure.FailureKind kind) throws Exception {
        ClaimRef claim = begun("a");
        node.claims.breakFor(claim, FakeClaims.failure(kind, "why"));

        node.sweeper.turn();
        node.time.advance(Duration.ofHours(1));
        node.sweeper.turn();

        assertThat(node.saved(claim)).isPresent();
    }

    @Test
    void aMissingRelationshipCountsOnlyWhenTheEntryIsKnownForNinetySeconds() throws Exception {
        ClaimRef claim = begun("a");
        node.claims.breakFor(claim, FakeClaims.NO_RELATIONSHIP);

        assertThat(node.sweeper.turn()).as("comes back early").isEqualTo(Duration.ofSeconds(90));
        node.time.advance(Duration.ofSeconds(89));
        node.sweeper.turn();
        assertThat(node.saved(claim)).isPresent();
        node.time.advance(Duration.ofSeconds(1));

        assertThat(node.sweeper.turn()).isEqualTo(Sweeper.INTERVAL);
        assertThat(node.saved(claim)).isEmpty();
    }

    @Test
    void aBegunClaimWhoseNameNobodyRecordedIsRemovedOnceNoPrepareCanComeAnyMore() throws Exception {
        ClaimRef nameless = DraSpecimens.ref("nameless");
        node.write(new ClaimEntry.Started(nameless.uid(), Optional.empty(), DraSpecimens.decoded("{}")));
        node.spec(nameless, 239);

        assertThat(node.sweeper.turn()).as("comes back early").isEqualTo(Duration.ofSeconds(90));
        node.time.advance(Duration.ofSeconds(89));
        node.sweeper.turn();
        assertThat(node.saved(nameless)).isPresent();
        node.time.advance(Duration.ofSeconds(1));
        node.sweeper.turn();

        assertThat(node.saved().entries()).isEmpty();
        assertThat(node.specs.list()).isEmpty();
        assertThat(node.claims.reads()).as("there is no name to ask for").isZero();
    }

    @Test
    void abortedEntriesGoWhenTheyHaveDoneTheirWork() throws Exception {
        ClaimRef claim = begun("a");
        node.unprepare(claim);

        node.sweeper.turn();
        assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Aborted.class);
        node.time.jump(Duration.ofSeconds(91));
        node.sweeper.turn();

        assertThat(node.saved().entries()).isEmpty();
    }

    @Test
    void aClaimWhosePrepareIsUnderWayIsLeftAlone() throws Exception {
        ClaimRef claim = begun("a");
        var release = node.claims.hold();
        var answer = node.begin(claim);
        node.claims.awaitReads(1);
        node.claims.pass();

        node.sweeper.turn();

        assertThat(node.saved(claim)).isPresent();
        release.countDown();
        assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).message()).contains("does not exist");
    }

    @Test
    void aClaimThatWasPreparedWhileTheApiWasAskedStays() throws Exception {
        ClaimRef claim = begun("a");
        var release = node.claims.hold();
        var sweep = node.threads.submit(node.sweeper::turn);
        node.claims.awaitReads(1);
        node.claims.pass();
        node.write(DraSpecimens.completed(claim, 0));

        release.countDown();
        sweep.get(60, TimeUnit.SECONDS);

        assertThat(node.saved(claim)).contains(DraSpecimens.completed(claim, 0));
    }

    @Test
    void sweepsAtStartOnAThreadOfItsOwn() throws Exception {
        ClaimRef gone = begun("gone");
        try (var loop = node.sweeper) {
            loop.start();

            Eventually.holds("swept", () -> node.saved(gone).isEmpty());
            assertThat(node.sweeper.turn()).isEqualTo(Sweeper.INTERVAL);
        }
    }

    private ClaimRef begun(String name) throws Exception {
        ClaimRef ref = DraSpecimens.ref(name);
        node.write(DraSpecimens.started(ref));
        return ref;
    }
}
