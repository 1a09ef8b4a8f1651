package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.Device.Taint;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.specimen.ClaimSpecimens;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.Kind;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeHoldsTest {

    private static final DomainName A = new DomainName(new ComputeDomainUid("uid-a"), "team", "a");
    private static final Ledger NONE = Ledger.empty(Optional.of(NodeSpecimens.BOOT));
    private static final Ledger WITH_A = NONE.with(
            ClaimSpecimens.owning(ClaimSpecimens.ref("one"), 3, A.uid().value()));

    private final FakeFabric fabric = new FakeFabric();
    private final ManualClock clock = new ManualClock();
    private volatile NodeSight sight = NodeSight.NONE;
    private volatile boolean nodeMissing;
    private volatile boolean granted = true;
    private volatile NodeInventory inventory = NodeSpecimens.healthy();
    private final AtomicInteger taintsChanged = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private NodeHolds holds = holds("first");

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
        assertThat(fabric.calls()).containsExactly("get node", "create node");
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

        fabric.fail(Optional.of(Kind.UNREACHABLE));
        holds.follow(NONE);
        Eventually.holds("it could not be told", () -> holds.failure().isPresent());
        assertThat(content().holds()).containsKey(A.uid());
        fabric.fail(Optional.empty());
        holds.wake();
        Eventually.holds("given back later", () -> content().holds().isEmpty());
    }

    @Test
    void aClaimThatChangesNothingWakesNobody() throws Exception {
        start(WITH_A, false);
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
        holds.wake();

        Eventually.holds("written", () -> holds.written());
        assertThat(fabric.calls()).containsExactly("get node", "create node");
    }

    @Test
    void whoWaitsIsToldWhyItCannotBeWritten() {
        fabric.fail(Optional.of(Kind.FORBIDDEN));
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
                said.sight(),
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
        Eventually.holds("told", () -> content().sight().gpus() == 1);

        sight = gpus(2);
        holds.wake();
        sight = gpus(3);
        clock.advance(Duration.ofSeconds(16));
        holds.wake();
        Eventually.holds("told", () -> content().sight().gpus() == 3);
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
            Eventually.holds("told", () -> content().sight().gpus() == gpus);
        }

        sight = gpus(6);
        clock.advance(Duration.ofSeconds(110));
        // A write of another kind shows that it was looked at.
        holds.follow(WITH_A);
        holds.awaitHeld(A.uid(), NodeSpecimens.CLIQUE);
        assertThat(content().sight().gpus()).isEqualTo(5);
        clock.advance(Duration.ofSeconds(11));
        holds.wake();
        Eventually.holds("told", () -> content().sight().gpus() == 6);

        sight = gpus(7);
        clock.advance(Duration.ofSeconds(241));
        holds.wake();
        Eventually.holds("told", () -> content().sight().gpus() == 7);
        sight = gpus(8);
        clock.advance(Duration.ofSeconds(16));
        holds.wake();
        Eventually.holds(
                "told again after a quiet time", () -> content().sight().gpus() == 8);
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
        var other = new DomainName(new ComputeDomainUid("uid-b"), "other", "b");
        fabric.table(
                there,
                2048,
                ChannelTable.of(
                        List.of(new ChannelEntry(new ChannelId(3), other, "node-b", ChannelEntry.State.ASSIGNED))));
        start(WITH_A, false);
        Eventually.holds("at rest", () -> holds.written());
        assertThat(holds.taints()).isEmpty();

        inventory = NodeSpecimens.with(new CliqueState.Present(there));
        holds.wake();

        Eventually.holds("tainted", () -> taintsChanged.get() == 1);
        assertThat(holds.taints())
                .containsExactly(new Taint("imexagent.io/channel-conflict", "channel-3", Taint.Effect.NO_EXECUTE));
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

        inventory = NodeSpecimens.with(new CliqueState.Present(there));
        holds.wake();

        Eventually.holds("looked", () -> fabric.calls().contains("get clique"));
        Eventually.holds("at rest", () -> holds.written());
        assertThat(holds.taints()).isEmpty();
    }

    private void start(Ledger ledger, boolean blind) {
        holds.start(ledger, blind, Optional.of(NodeSpecimens.BOOT));
    }

    private NodeHolds holds(String session) {
        return new NodeHolds(
                fabric,
                new NodeHolds.About(
                        NodeSpecimens.NAME,
                        session,
                        () -> inventory,
                        () -> {
                            looks.incrementAndGet();
                            return sight;
                        },
                        () -> nodeMissing,
                        () -> granted),
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

    private static NodeSight gpus(int count) {
        return new NodeSight(
                Optional.empty(),
                Optional.empty(),
                count,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }
}
