package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.Refused;
import io.imexagent.dra.claim.Specimens;
import io.imexagent.dra.claim.Waiting;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.kubernetes.ApiFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SweeperTest {

    private static final ApiFailure NO_RELATIONSHIP =
            FakeClaims.failure(ApiFailure.Kind.NO_RELATIONSHIP, "no relationship found between node and claim");

    @TempDir
    Path folder;

    @Test
    void aBegunClaimThatIsGoneIsRemovedWithItsSpec() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef gone = begun(node, "gone");
            node.spec(gone, 239);

            node.sweeper.sweep();

            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
        }
    }

    @Test
    void aBegunClaimThatWasReplacedUnderItsNameIsRemoved() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef replaced = begun(node, "a");
            node.claims.put(
                    new ClaimRef(replaced.name(), Specimens.ref("other").uid()), Specimens.status(Specimens.DOMAIN));

            node.sweeper.sweep();

            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void aBegunClaimThatIsThereStays() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef there = begun(node, "a");
            node.claim("a");

            node.sweeper.sweep();

            assertThat(node.saved(there)).contains(Specimens.started(there));
        }
    }

    @Test
    void aPreparedClaimIsNeverSwept() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = node.claim("a");
            node.prepare(claim);
            node.claims.remove(claim);

            node.sweeper.sweep();

            assertThat(node.saved(claim)).isPresent();
            assertThat(node.spec(claim)).isPresent();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiFailure.Kind.class,
            names = {"NO_RELATIONSHIP"},
            mode = EnumSource.Mode.EXCLUDE)
    void aFailureOfTheApiIsNoProofThatAClaimIsGone(ApiFailure.Kind kind) throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = begun(node, "a");
            node.claims.breakFor(claim, FakeClaims.failure(kind, "why"));

            node.sweeper.sweep();
            node.time.advance(Duration.ofHours(1));
            node.sweeper.sweep();

            assertThat(node.saved(claim)).isPresent();
        }
    }

    @Test
    void aMissingRelationshipCountsOnlyWhenTheEntryIsKnownForNinetySeconds() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = begun(node, "a");
            node.claims.breakFor(claim, NO_RELATIONSHIP);

            assertThat(node.sweeper.sweep()).as("comes back early").isEqualTo(Duration.ofSeconds(90));
            node.time.advance(Duration.ofSeconds(89));
            node.sweeper.sweep();
            assertThat(node.saved(claim)).isPresent();
            node.time.advance(Duration.ofSeconds(1));

            assertThat(node.sweeper.sweep()).isEqualTo(Sweeper.INTERVAL);
            assertThat(node.saved(claim)).isEmpty();
        }
    }

    @Test
    void aBegunClaimWhoseNameNobodyRecordedIsRemovedOnceNoPrepareCanComeAnyMore() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef nameless = Specimens.ref("nameless");
            write(node, new ClaimEntry.Started(nameless.uid(), Optional.empty(), Specimens.decoded("{}")));
            node.spec(nameless, 239);

            assertThat(node.sweeper.sweep()).as("comes back early").isEqualTo(Duration.ofSeconds(90));
            node.time.advance(Duration.ofSeconds(89));
            node.sweeper.sweep();
            assertThat(node.saved(nameless)).isPresent();
            node.time.advance(Duration.ofSeconds(1));
            node.sweeper.sweep();

            assertThat(node.saved().entries()).isEmpty();
            assertThat(node.specs.list()).isEmpty();
            assertThat(node.claims.reads()).as("there is no name to ask for").isZero();
        }
    }

    @Test
    void abortedEntriesGoWhenTheyHaveDoneTheirWork() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = begun(node, "a");
            node.unprepare(claim);

            node.sweeper.sweep();
            assertThat(node.saved(claim)).containsInstanceOf(ClaimEntry.Aborted.class);
            node.time.jump(Duration.ofSeconds(91));
            node.sweeper.sweep();

            assertThat(node.saved().entries()).isEmpty();
        }
    }

    @Test
    void aClaimWhosePrepareIsUnderWayIsLeftAlone() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = begun(node, "a");
            var release = node.claims.hold();
            var answer = node.begin(claim);
            node.claims.awaitReads(1);
            node.claims.pass();

            node.sweeper.sweep();

            assertThat(node.saved(claim)).isPresent();
            release.countDown();
            assertThat(Refused.of(answer.get(60, TimeUnit.SECONDS)).message()).contains("does not exist");
        }
    }

    @Test
    void aClaimThatWasPreparedWhileTheApiWasAskedStays() throws Exception {
        try (Node node = Node.in(folder).start()) {
            ClaimRef claim = begun(node, "a");
            var release = node.claims.hold();
            var sweep = node.threads.submit(node.sweeper::sweep);
            node.claims.awaitReads(1);
            node.claims.pass();
            write(node, Specimens.completed(claim, 0));

            release.countDown();
            sweep.get(60, TimeUnit.SECONDS);

            assertThat(node.saved(claim)).contains(Specimens.completed(claim, 0));
        }
    }

    @Test
    void sweepsAtStartOnAThreadOfItsOwn() throws Exception {
        try (Node node = Node.in(folder).start();
                Sweeper sweeper = node.sweeper) {
            ClaimRef gone = begun(node, "gone");

            sweeper.start();

            Waiting.eventually("swept", () -> node.saved(gone).isEmpty());
            assertThat(sweeper.sweep()).isEqualTo(Sweeper.INTERVAL);
        }
    }

    private static ClaimRef begun(Node node, String name) throws Exception {
        ClaimRef ref = Specimens.ref(name);
        write(node, Specimens.started(ref));
        return ref;
    }

    private static void write(Node node, ClaimEntry entry) throws Exception {
        var written = node.lane.submit(() -> node.prepared.locked(session -> {
            session.run(List.of(new Effect.RecordEntry(entry)));
            return true;
        }));
        assertThat(written.get(60, TimeUnit.SECONDS)).isTrue();
    }
}
