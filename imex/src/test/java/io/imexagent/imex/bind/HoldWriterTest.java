package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldWriterTest {

    private static final DomainName A = new DomainName(new ComputeDomainUid("uid-a"), "team", "a");
    private static final DomainName B = new DomainName(new ComputeDomainUid("uid-b"), "other", "b");
    private static final Ledger NONE = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
    private static final Ledger WITH_A = NONE.with(
            ClaimSpecimens.owning(ClaimSpecimens.ref("one"), 3, A.uid().value()));

    private final FakeFabric fabric = new FakeFabric();
    private final ManualClock clock = new ManualClock();
    private volatile NodeStatus sight = NodeStatus.NONE;
    private volatile boolean nodeMissing;
    private volatile boolean granted = true;
    private volatile HoldWriter.DomainNameLookup names = HoldWriter.DomainNameLookup.NONE;
    private volatile NodeInventory inventory = NodeSpecimens.healthy();
    private final AtomicInteger taintsChanged = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private HoldWriter holds = holds("first");

    @AfterEach
    void stop() {
        holds.close();
    }

    @Test
    void saysWhatItsClaimsUseBeforeAnythingElse() throws Exception {
        start(WITH_A, false);

        Optional<Long> since = holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);

        NvlinkNode said = content();
        assertThat(hold(said).channel()).contains(new ChannelId(3));
        assertThat(said.cliques()).containsExactly(NodeSpecimens.CLIQUE);
        assertThat(said.session()).isEqualTo("first");
        assertThat(holds.heldSince(A.uid(), NodeSpecimens.CLIQUE)).isEqualTo(since);
        assertThat(fabric.calls()).startsWith("get node", "create node");
    }

    @Test
    void holdsWhatIsBeingPreparedAndGivesItBackWhereNoClaimCameOfIt() throws Exception {
        start(NONE, false);
        holds.begin(A);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        assertThat(content().holds()).containsKey(A.uid());

        holds.end();
        Eventually.holds("given back", () -> content().holds().isEmpty());
        assertThat(holds.heldSince(A.uid(), NodeSpecimens.CLIQUE)).isEmpty();
    }

    @Test
    void whatAClaimCameToUseStaysHeldUntilTheClaimEndsWhateverTheServerDoes() throws Exception {
        start(NONE, false);
        holds.begin(A);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        holds.follow(WITH_A);
        holds.end();
        Eventually.holds("its channel is told", () -> hold(content()).channel().isPresent());
        assertThat(hold(content()).domain()).isEqualTo(A);

        fabric.fail(Optional.of(FailureKind.UNREACHABLE));
        holds.follow(NONE);
        Eventually.holds("it could not be told", () -> holds.failure().isPresent());
        assertThat(content().holds()).containsKey(A.uid());
        fabric.fail(Optional.empty());
        holds.wake();
        Eventually.holds("given back later", () -> content().holds().isEmpty());
    }

    /** After a restart without the object, nobody knows what the ComputeDomain is called. */
    @Test
    void theNameThatAPrepareBringsTakesThePlaceOfAGuessedOne() throws Exception {
        start(WITH_A, false);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        assertThat(hold(content()).domain().name()).isEqualTo(A.uid().value());

        holds.begin(A);
        holds.follow(WITH_A);
        holds.end();

        Eventually.holds("named", () -> hold(content()).domain().equals(A));
        holds.follow(WITH_A);
        Eventually.holds("written", holds::written);
    }

    @Test
    void aClaimThatChangesNothingWakesNobody() throws Exception {
        start(NONE, false);
        holds.begin(A);
        holds.follow(WITH_A);
        holds.end();
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        AtomicInteger before = new AtomicInteger();
        Eventually.holds("at rest", () -> holds.written() && before.getAndSet(looks.get()) == looks.get());

        holds.begin(A);
        holds.follow(WITH_A);
        holds.end();
        Thread.sleep(200);
        assertThat(looks.get()).isEqualTo(before.get());

        holds.follow(NONE);
        Eventually.holds("given back", () -> content().holds().isEmpty());
    }

    @Test
    void aClaimOfWhatCouldNotBeWrittenTriesAtOnce() throws Exception {
        fabric.failForAnHour();
        start(WITH_A, false);
        Eventually.holds("it could not be told", () -> holds.failure().isPresent());
        fabric.fail(Optional.empty());

        holds.begin(A);

        Eventually.holds("written", () -> holds.written());
    }

    @Test
    void aClusterThatDoesNotLetNodesWriteTheirObjectsIsAskedForNothingElse() throws Exception {
        granted = false;
        start(NONE, false);
        holds.wake();
        granted = true;
        clock.advance(Duration.ofMinutes(11));
        holds.wake();

        Eventually.holds("written", () -> holds.written());
        assertThat(fabric.calls()).containsExactly("get node", "create node");
    }

    @Test
    void whoWaitsIsToldWhyItCannotBeWritten() {
        fabric.fail(Optional.of(FailureKind.FORBIDDEN));
        start(NONE, false);
        holds.begin(A);

        assertThatThrownBy(() -> holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("FORBIDDEN");
    }

    @Test
    void whoWaitsForAHoldInACliqueThatTheNodeHasLeftIsToldSo() throws Exception {
        start(NONE, false);
        Eventually.holds("at rest", () -> holds.written());
        var elsewhere = new CliqueId("3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.5");
        holds.begin(A);

        assertThat(holds.awaitHeld(A.uid(), elsewhere)).isEmpty();
        assertThat(holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE)).isPresent();
    }

    @Test
    void anObjectThatSomebodyDeletedIsMadeAnew() throws Exception {
        start(WITH_A, false);
        Optional<Long> since = holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);

        fabric.remove(NodeSpecimens.NAME);

        Eventually.holds("made anew", () -> fabric.content(NodeSpecimens.NAME).isPresent());
        Eventually.holds(
                "held anew",
                () -> holds.heldSince(A.uid(), NodeSpecimens.CLIQUE)
                        .filter(now -> !since.equals(Optional.of(now)))
                        .isPresent());
    }

    @Test
    void aServerThatDropsFieldsLetsNothingCount() throws Exception {
        fabric.prune(said -> new NvlinkNode(
                said.session(),
                0,
                said.cliques(),
                said.boot(),
                said.channels(),
                said.holds(),
                said.status(),
                said.guarded()));
        start(NONE, false);
        holds.begin(A);
        fabric.forgetCalls();
        Eventually.holds(
                "it is told",
                () -> holds.failure()
                        .filter(failure -> failure.message().contains("CustomResourceDefinition"))
                        .isPresent());

        assertThat(holds.heldSince(A.uid(), NodeSpecimens.CLIQUE)).isEmpty();
    }

    @Test
    void withoutACheckpointWhatTheObjectHoldsIsKeptAndCountedAlsoByTheNextProcess() throws Exception {
        start(WITH_A, false);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        holds.close();

        holds = holds("second");
        start(NONE, true);
        Eventually.holds("marked", () -> content().holds().values().stream().anyMatch(Hold::kept));
        assertThat(holds.kept()).isEqualTo(1);
        holds.close();

        holds = holds("third");
        start(NONE, false);
        Eventually.holds("written", () -> content().session().equals("third"));
        assertThat(hold(content()).kept()).isTrue();
    }

    @Test
    void whatPeopleAreToldIsWrittenAtMostAllFifteenSeconds() throws Exception {
        start(NONE, false);
        Eventually.holds("written", () -> holds.written());
        sight = gpus(1);
        clock.advance(Duration.ofSeconds(16));
        holds.wake();
        Eventually.holds("told", () -> content().status().gpus() == 1);

        sight = gpus(2);
        holds.wake();
        sight = gpus(3);
        clock.advance(Duration.ofSeconds(16));
        holds.wake();
        Eventually.holds("told", () -> content().status().gpus() == 3);
    }

    @Test
    void whatChangesAllTheTimeIsWrittenEveryTwoMinutes() throws Exception {
        start(NONE, false);
        Eventually.holds("written", () -> holds.written());
        for (int change = 1; change <= 5; change++) {
            int gpus = change;
            sight = gpus(gpus);
            clock.advance(Duration.ofSeconds(16));
            holds.wake();
            Eventually.holds("told", () -> content().status().gpus() == gpus);
        }

        sight = gpus(6);
        clock.advance(Duration.ofSeconds(110));
        // A write of another kind shows that it was looked at.
        holds.follow(WITH_A);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        assertThat(content().status().gpus()).isEqualTo(5);
        clock.advance(Duration.ofSeconds(11));
        holds.wake();
        Eventually.holds("told", () -> content().status().gpus() == 6);

        sight = gpus(7);
        clock.advance(Duration.ofSeconds(241));
        holds.wake();
        Eventually.holds("told", () -> content().status().gpus() == 7);
        sight = gpus(8);
        clock.advance(Duration.ofSeconds(16));
        holds.wake();
        Eventually.holds(
                "told again after a quiet time", () -> content().status().gpus() == 8);
    }

    @Test
    void whoHoldsWhileItsNodeIsMissingGivesASignOfLifeEachMinute() throws Exception {
        start(WITH_A, false);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        Eventually.holds("at rest", () -> holds.written());
        nodeMissing = true;
        long before = content().write();

        clock.advance(Duration.ofSeconds(241));
        holds.wake();
        Eventually.holds("the Node to be missed, and the object written again", () -> {
            holds.wake();
            return content().write() > before;
        });
        Eventually.holds("at rest", () -> holds.written());
        long again = content().write();
        clock.advance(Duration.ofSeconds(61));
        holds.wake();
        Eventually.holds("written again", () -> content().write() > again);
    }

    /** Whose container could reach another workload's memory now is evicted, and nobody else is. */
    @Test
    void aChannelThatIsAnothersInTheCliqueThatTheNodeCameToTaintsTheDevicesUntilItsClaimHasEnded() throws Exception {
        var there = new CliqueId("3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.5");
        fabric.table(there, 2048, table(3, B));
        start(WITH_A, false);
        Eventually.holds("at rest", () -> holds.written());
        assertThat(holds.taints()).isEmpty();

        inventory = NodeSpecimens.with(new CliqueState.KnownClique(there));
        holds.wake();

        Eventually.holds("tainted", () -> taintsChanged.get() == 1);
        assertThat(holds.taints())
                .containsExactly(new DeviceTaint(
                        "imexagent.io/channel-conflict", "channel-3", DeviceTaint.TaintEffect.NO_EXECUTE));
        holds.follow(NONE);
        Eventually.holds("not tainted", () -> taintsChanged.get() == 2);
        assertThat(holds.taints()).isEmpty();
    }

    @Test
    void aChannelThatIsNobodysInTheCliqueThatTheNodeCameToTaintsNothing() throws Exception {
        var there = new CliqueId("3f2a8b1c-00d4-4e5f-9a6b-7c8d9e0f1a2b.5");
        fabric.table(there, 2048, ChannelTable.EMPTY);
        start(WITH_A, false);
        Eventually.holds("at rest", () -> holds.written());

        inventory = NodeSpecimens.with(new CliqueState.KnownClique(there));
        holds.wake();

        Eventually.holds("looked", () -> fabric.calls().contains("get clique"));
        Eventually.holds("at rest", () -> holds.written());
        assertThat(holds.taints()).isEmpty();
    }

    @Test
    void aConflictInItsOwnCliqueIsFoundAtTheStartAndEndsWithTheLastClaim() throws Exception {
        fabric.table(NodeSpecimens.CLIQUE, 2048, table(3, B));
        start(WITH_A, false);

        Eventually.holds("tainted", () -> taintsChanged.get() == 1);
        assertThat(holds.taints())
                .containsExactly(new DeviceTaint(
                        "imexagent.io/channel-conflict", "channel-3", DeviceTaint.TaintEffect.NO_EXECUTE));
        assertThat(holds.conflicts()).singleElement().asString().contains("channel 3", "other/b", "end the pods of");

        fabric.fail(Optional.of(FailureKind.UNREACHABLE));
        holds.follow(NONE);
        assertThat(holds.taints()).isEmpty();
        assertThat(holds.conflicts()).isEmpty();
        assertThat(taintsChanged).hasValue(2);
    }

    @Test
    void whatIsHeldIsComparedWithTheTableEachMinuteAndAReadThatFailsChangesNothing() throws Exception {
        fabric.table(NodeSpecimens.CLIQUE, 2048, table(3, A));
        start(WITH_A, false);
        Eventually.holds("compared", () -> fabric.calls().contains("get clique"));
        assertThat(holds.conflicts()).isEmpty();

        fabric.table(NodeSpecimens.CLIQUE, 2048, table(4, A));
        awaitAMinuteLater("another number of the same ComputeDomain", 1);
        fabric.fail(Optional.of(FailureKind.UNREACHABLE));
        clock.advance(Duration.ofSeconds(61));
        fabric.forgetCalls();
        Eventually.holds("read in vain", () -> {
            holds.wake();
            return fabric.calls().contains("get clique");
        });
        assertThat(holds.conflicts()).hasSize(1);
        fabric.fail(Optional.empty());
        fabric.table(NodeSpecimens.CLIQUE, 2048, table(3, A));
        awaitAMinuteLater("mended", 0);
        Eventually.holds("both changes reported", () -> taintsChanged.get() == 2);
    }

    /** The API server that takes no write of the object may still say whose the channels are. */
    @Test
    void aNodeThatCannotWriteItsObjectComparesAllTheSame() throws Exception {
        fabric.table(NodeSpecimens.CLIQUE, 2048, table(3, B));
        fabric.prune(said -> new NvlinkNode(
                "", 0, said.cliques(), said.boot(), said.channels(), said.holds(), said.status(), said.guarded()));

        start(WITH_A, false);

        Eventually.holds("found", () -> holds.conflicts().size() == 1);
        assertThat(holds.failure()).isPresent();
    }

    @Test
    void anEntryThatIsMissingAndATableThatIsMissingContradictNothing() throws Exception {
        start(WITH_A, false);
        Eventually.holds("looked", () -> fabric.calls().contains("get clique"));
        assertThat(holds.conflicts()).isEmpty();

        fabric.table(NodeSpecimens.CLIQUE, 2048, table(4, B));
        fabric.forgetCalls();
        clock.advance(Duration.ofSeconds(61));
        holds.wake();
        Eventually.holds("looked again", () -> fabric.calls().contains("get clique"));
        assertThat(holds.conflicts()).isEmpty();
    }

    @Test
    void aComputeDomainOfWhichOnlyTheUidIsKnownIsAskedForOnceAndHeldUnderItsName() throws Exception {
        var asked = new AtomicInteger();
        names = (namespace, domain) -> {
            asked.incrementAndGet();
            return Optional.of(new DomainName(domain, namespace, "found"));
        };
        start(WITH_A, false);

        Eventually.holds(
                "named",
                () -> fabric.content(NodeSpecimens.NAME)
                        .filter(said -> hold(said).domain().name().equals("found"))
                        .isPresent());
        holds.follow(WITH_A);
        Eventually.holds("at rest", () -> holds.written());
        assertThat(asked).hasValue(1);
        assertThat(hold(content()).channel()).contains(new ChannelId(3));
    }

    @Test
    void whileNamesAreLookedForHoldsAreWritten() throws Exception {
        var asked = new AtomicInteger();
        var answer = new CountDownLatch(1);
        names = (namespace, domain) -> {
            asked.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return Optional.of(new DomainName(domain, namespace, "found"));
        };
        start(WITH_A, false);
        Eventually.holds("asked", () -> asked.get() == 1);

        holds.begin(B);
        assertThat(holds.awaitHeld(B.uid(), NodeSpecimens.CLIQUE)).isPresent();

        answer.countDown();
        Eventually.holds("named", () -> hold(content()).domain().name().equals("found"));
        holds.end();
        Eventually.holds("at rest", () -> !content().holds().containsKey(B.uid()) && holds.written());
        assertThat(hold(content()).domain().name()).isEqualTo("found");
        assertThat(asked).hasValue(1);
    }

    @Test
    void aSearchForANameThatFailedRestsAMinute() throws Exception {
        var asked = new AtomicInteger();
        names = (namespace, domain) -> {
            if (asked.incrementAndGet() == 1) {
                throw new ApiException(new ApiFailure(FailureKind.UNREACHABLE, "as the test wants", Optional.empty()));
            }
            return Optional.of(new DomainName(domain, namespace, "found"));
        };
        start(WITH_A, false);
        Eventually.holds("asked", () -> asked.get() == 1);
        for (int turn = 0; turn < 5; turn++) {
            int before = looks.get();
            holds.wake();
            Eventually.holds("another turn", () -> looks.get() > before);
        }
        assertThat(asked).hasValue(1);

        Eventually.holds("named", () -> {
            clock.advance(Duration.ofSeconds(61));
            holds.wake();
            return hold(content()).domain().name().equals("found");
        });
        assertThat(asked).hasValue(2);
    }

    /** A read of the table that hangs keeps nobody waiting for a hold that was written. */
    @Test
    void whoWaitsForAHoldDoesNotWaitForTheTable() throws Exception {
        var answer = new CountDownLatch(1);
        fabric.beforeRead(answer);
        start(WITH_A, false);

        assertThat(holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE)).isPresent();

        answer.countDown();
        Eventually.holds("compared", () -> fabric.calls().contains("get clique"));
    }

    /** What the server asks for: comparisons, which come sooner, are no reason to write sooner. */
    @Test
    void aComparisonThatIsDueDoesNotShortenTheRestOfTheWrite() throws Exception {
        fabric.table(NodeSpecimens.CLIQUE, 2048, table(3, A));
        start(WITH_A, false);
        Eventually.holds("compared", () -> fabric.calls().contains("get clique") && holds.written());
        fabric.failForAnHour();
        clock.advance(ChannelConflicts.AGAIN.minusMillis(300));
        holds.begin(B);
        Eventually.holds("it could not be told", () -> holds.failure().isPresent());
        fabric.forgetCalls();

        // The comparison comes by its own time, without anybody's word.
        clock.advance(Duration.ofSeconds(1));
        Eventually.holds("compared again", () -> fabric.calls().contains("get clique"));
        assertThat(fabric.calls()).containsOnly("get clique");
    }

    private void awaitAMinuteLater(String what, int conflicts) throws Exception {
        clock.advance(Duration.ofSeconds(61));
        Eventually.holds(what, () -> {
            holds.wake();
            return holds.conflicts().size() == conflicts;
        });
    }

    private static ChannelTable table(int channel, DomainName domain) {
        return ChannelTable.of(
                List.of(new ChannelEntry(new ChannelId(channel), domain, "node-b", ChannelEntry.EntryState.ASSIGNED)));
    }

    private void start(Ledger ledger, boolean blind) {
        holds.start(ledger, blind, Optional.of(NodeSpecimens.BOOT));
    }

    private HoldWriter holds(String session) {
        return new HoldWriter(
                fabric,
                new HoldWriter.NodeSources(
                        NodeSpecimens.NAME,
                        session,
                        () -> inventory,
                        () -> {
                            looks.incrementAndGet();
                            return sight;
                        },
                        () -> nodeMissing,
                        () -> granted,
                        (namespace, domain) -> names.of(namespace, domain)),
                clock,
                () -> 0,
                taintsChanged::incrementAndGet);
    }

    private NvlinkNode content() {
        return fabric.content(NodeSpecimens.NAME).orElseThrow();
    }

    private static Hold hold(NvlinkNode said) {
        return Optional.ofNullable(said.holds().get(A.uid())).orElseThrow();
    }

    private static NodeStatus gpus(int count) {
        return new NodeStatus(
                Optional.empty(),
                Optional.empty(),
                count,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
