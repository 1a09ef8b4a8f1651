package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
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
import io.imexagent.kubernetes.clique.NodeStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChannelBinderTest {

    private static final CliqueId CLIQUE = NodeSpecimens.CLIQUE;
    private static final DomainName A = new DomainName(new ComputeDomainUid("uid-a"), "team", "a");
    private static final DomainName B = new DomainName(new ComputeDomainUid("uid-b"), "team", "b");
    private static final DomainName C = new DomainName(new ComputeDomainUid("uid-c"), "team", "c");
    private static final Ledger NONE = Ledger.empty(Optional.of(NodeSpecimens.BOOT));

    private final FakeFabric fabric = new FakeFabric();
    private volatile NodeInventory inventory = NodeSpecimens.healthy();
    private final HoldWriter holds = new HoldWriter(
            fabric,
            new HoldWriter.NodeSources(
                    NodeSpecimens.NAME,
                    "session",
                    () -> inventory,
                    () -> NodeStatus.NONE,
                    () -> false,
                    () -> true,
                    HoldWriter.DomainNameLookup.NONE),
            new ManualClock(),
            () -> 0,
            () -> {});
    private volatile ChannelTable.Limits limits = new ChannelTable.Limits(8, 8);
    private final ChannelBinder binder = new ChannelBinder(fabric, holds, NodeSpecimens.NAME, () -> limits, () -> 0);

    @BeforeEach
    void start() throws Exception {
        fabric.table(CLIQUE, 2048, ChannelTable.EMPTY);
        holds.start(NONE, false, Optional.of(NodeSpecimens.BOOT));
        Eventually.holds("written", () -> holds.written());
        fabric.forgetCalls();
    }

    @AfterEach
    void stop() {
        holds.close();
    }

    @Test
    void addsTheLowestFreeChannelWithThreeCallsAndHoldsItFirst() throws Exception {
        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(1);

        assertThat(fabric.calls()).containsExactly("replace node", "get clique", "replace clique");
        assertThat(fabric.table(CLIQUE).entries().values())
                .containsExactly(entry(1, A, ChannelEntry.EntryState.ASSIGNED));
    }

    @Test
    void takesTheChannelThatTheComputeDomainHas() throws Exception {
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(5, A, ChannelEntry.EntryState.ASSIGNED))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(5);
        assertThat(fabric.calls()).containsExactly("replace node", "get clique");
    }

    @Test
    void writesOverAMark() throws Exception {
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(5, A, ChannelEntry.EntryState.RELEASING))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(5);
        assertThat(fabric.table(CLIQUE).entries().values())
                .containsExactly(entry(5, A, ChannelEntry.EntryState.ASSIGNED));
    }

    @Test
    void looksAgainWhereAnotherNodeWasFaster() throws Exception {
        fabric.beforeTable(() ->
                fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED)))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(2);
    }

    @Test
    void aHundredComputeDomainsThatComeAtOnceAreBoundByTwoWritesWithoutAConflict() throws Exception {
        limits = new ChannelTable.Limits(128, 127);

        List<Integer> channels = crowd(100);

        assertThat(channels).containsExactlyInAnyOrderElementsOf(numbers(100));
        assertThat(tableCalls()).containsExactly("get clique", "replace clique", "replace clique");
    }

    @Test
    void whereAnOlderPolicyTakesOneEntryAtATimeACrowdIsBoundOneByOne() throws Exception {
        limits = new ChannelTable.Limits(128, 127);
        fabric.mostEntries(1);

        List<Integer> channels = crowd(20);

        assertThat(channels).containsExactlyInAnyOrderElementsOf(numbers(20));
        assertThat(tableCalls())
                .containsOnlyOnce("denied clique")
                .containsOnlyOnce("get clique")
                .hasSize(22);
    }

    @Test
    void oneWhoGivesUpCostsTheOthersNothing() throws Exception {
        limits = new ChannelTable.Limits(128, 127);
        var quitter = new AtomicReference<Thread>();
        holdFirstWriteUntil(() -> {
            Eventually.holds("all wait", () -> waiting(3));
            quitter.get().interrupt();
            Eventually.holds("it has given up", () -> waiting(2));
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> first = threads.submit(() -> channel(binder.bind(A, CLIQUE)));
            Eventually.holds("it is written", () -> tableCalls().contains("get clique"));
            Future<Integer> gone = threads.submit(() -> {
                quitter.set(Thread.currentThread());
                return channel(binder.bind(B, CLIQUE));
            });
            Eventually.holds("it waits", () -> waiting(2));
            Future<Integer> last = threads.submit(() -> channel(binder.bind(domain(3), CLIQUE)));

            assertThat(first.get()).isEqualTo(1);
            assertThat(last.get()).isEqualTo(2);
            assertThatThrownBy(gone::get).hasCauseInstanceOf(InterruptedException.class);
        }
        assertThat(fabric.table(CLIQUE).entries()).hasSize(2);
    }

    @Test
    void aCallThatFailsReachesAllWhoWaitedForItAndTheNextBindWorks() throws Exception {
        holdFirstWriteUntil(() -> {
            Eventually.holds("both wait", () -> waiting(2));
            fabric.fail(Optional.of(ApiFailure.FailureKind.SERVER_ERROR));
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Integer> one = threads.submit(() -> channel(binder.bind(A, CLIQUE)));
            Eventually.holds("it is written", () -> tableCalls().contains("get clique"));
            Future<Integer> other = threads.submit(() -> channel(binder.bind(B, CLIQUE)));

            assertThatThrownBy(one::get).hasCauseInstanceOf(ApiException.class);
            assertThatThrownBy(other::get).hasCauseInstanceOf(ApiException.class);
        }
        fabric.fail(Optional.empty());

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(1);
    }

    @Test
    void whileItWaitsARefusalSaysHowManyAreBeforeIt() throws Exception {
        limits = new ChannelTable.Limits(128, 127);
        var said = new CompletableFuture<Refusal>();
        var last = new AtomicReference<Thread>();
        holdFirstWriteUntil(() -> {
            Eventually.holds("both wait", () -> waiting(2));
            said.complete(binder.waiting(last.get()).orElseThrow());
        });
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var _ = threads.submit(() -> binder.bind(A, CLIQUE));
            Eventually.holds("it is written", () -> tableCalls().contains("get clique"));
            var _ = threads.submit(() -> {
                last.set(Thread.currentThread());
                return binder.bind(B, CLIQUE);
            });
        }

        assertThat(said.get().code()).isEqualTo(RefusalCode.CHANNEL_QUEUED);
        assertThat(said.get().message())
                .isEqualTo("the channel of ComputeDomain team/b is not in the table of clique " + CLIQUE
                        + " yet: 1 of this node's prepares came before it and waits too; the claim is retried");
        assertThat(binder.waiting(last.get())).as("once it is over").isEmpty();
    }

    @Test
    void aDefectIsNoSilenceAndTheNextBindWorks() throws Exception {
        fabric.beforeTable(() -> {
            throw new IllegalStateException("a defect");
        });
        assertThatThrownBy(() -> binder.bind(A, CLIQUE)).hasRootCauseMessage("a defect");

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(1);
    }

    @Test
    void aFurtherClaimOfAComputeDomainThatIsPreparedCostsNoCall() throws Exception {
        prepareA();
        fabric.forgetCalls();

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(1);
        assertThat(fabric.calls()).isEmpty();
    }

    @Test
    void whereNoneIsFreeTheClaimIsRefusedWithTheCount() throws Exception {
        limits = new ChannelTable.Limits(2, 8);
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));

        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNELS_EXHAUSTED);
    }

    @Test
    void aNodeWithFewerChannelsLimitsAll() throws Exception {
        fabric.table(CLIQUE, 2, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));

        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNELS_EXHAUSTED);
    }

    @Test
    void aNamespaceGetsNoMoreThanItMay() throws Exception {
        limits = new ChannelTable.Limits(8, 1);
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));

        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.NAMESPACE_CHANNELS_EXHAUSTED);
    }

    @Test
    void aCliqueWithoutATableIsWaitedFor() throws Exception {
        assertThat(refusal(binder.bind(A, elsewhere()))).isEqualTo(RefusalCode.CLIQUE_WITHOUT_TABLE);
    }

    @Test
    void nothingIsBoundWhileContainersUseChannelsOfACliqueThatTheNodeHasLeft() throws Exception {
        prepareA();
        inventory = NodeSpecimens.with(
                new CliqueState.KnownClique(other()), NodeSpecimens.healthy().channelMajor());
        holds.wake();
        Eventually.holds("moved", () -> !holds.left().isEmpty() && holds.written());

        assertThat(refusal(binder.bind(B, other()))).isEqualTo(RefusalCode.CLIQUE_LEFT);
        holds.follow(NONE);
        Eventually.holds("left", () -> holds.left().isEmpty() && holds.written());
        fabric.table(other(), 2048, ChannelTable.EMPTY);
        assertThat(channel(binder.bind(B, other()))).isEqualTo(1);
    }

    @Test
    void whatWasFoundUnderAHoldThatWasBrokenDoesNotStand() throws Exception {
        OwnChannels.BoundChannel bound = binder.bind(A, CLIQUE).toOptional().orElseThrow();
        assertThat(binder.stands(bound)).isTrue();

        binder.ended();
        Eventually.holds("given back", () -> holds.written());
        assertThat(binder.stands(bound)).isFalse();
    }

    /** The channels of so many ComputeDomains, of which all but the first come while that one is written. */
    private List<Integer> crowd(int count) throws Exception {
        holdFirstWriteUntil(() -> Eventually.holds("all wait", () -> waiting(count)));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> binds = new ArrayList<>();
            binds.add(threads.submit(() -> channel(binder.bind(domain(1), CLIQUE))));
            Eventually.holds("the first is written", () -> tableCalls().contains("get clique"));
            for (int number = 2; number <= count; number++) {
                DomainName domain = domain(number);
                binds.add(threads.submit(() -> channel(binder.bind(domain, CLIQUE))));
            }
            List<Integer> channels = new ArrayList<>();
            for (Future<Integer> bind : binds) {
                channels.add(bind.get());
            }
            return channels;
        }
    }

    private interface Happening {
        void happen() throws Exception;
    }

    private void holdFirstWriteUntil(Happening happening) {
        fabric.beforeTable(() -> {
            try {
                happening.happen();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    /** Whether so many wait for the table, and none for its hold. */
    private boolean waiting(int count) {
        return binder.waiting() == count;
    }

    private List<String> tableCalls() {
        return fabric.calls().stream().filter(call -> call.endsWith("clique")).toList();
    }

    private static List<Integer> numbers(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    private static DomainName domain(int number) {
        return new DomainName(new ComputeDomainUid("uid-" + number), "team", "d" + number);
    }

    @Test
    void whileTheTableGivesItsChannelToAnotherNoFurtherClaimOfTheComputeDomainGetsItAndOthersGoOn() throws Exception {
        prepareA();
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));
        assertThat(channel(binder.bind(C, CLIQUE))).as("a read of the table").isEqualTo(2);

        Refusal refusal = binder.bind(A, CLIQUE).refusal().orElseThrow();

        assertThat(refusal.code()).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        assertThat(refusal.message())
                .contains("uses channel 1 of clique " + CLIQUE + " for ComputeDomain team/a")
                .contains("belongs to ComputeDomain team/b", "end the pods of team/a on " + NodeSpecimens.NAME);
        assertThat(refusal(binder.bind(B, CLIQUE))).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        assertThat(channel(binder.bind(C, CLIQUE))).isEqualTo(2);
    }

    @Test
    void theNextClaimOfAComputeDomainInConflictSeesThatTheTableWasMended() throws Exception {
        prepareA();
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));
        assertThat(channel(binder.bind(C, CLIQUE))).isEqualTo(2);
        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        assertThat(holds.conflicts()).hasSize(1);

        fabric.fail(Optional.of(FailureKind.UNREACHABLE));
        assertThat(refusal(binder.bind(A, CLIQUE)))
                .as("what was found before stays")
                .isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        fabric.fail(Optional.empty());
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, A, ChannelEntry.EntryState.ASSIGNED))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(1);
        assertThat(holds.conflicts()).isEmpty();
    }

    @Test
    void aChannelThatWasFoundIsNotGivenWhereTheTableSpeaksAgainstItByThen() throws Exception {
        prepareA();
        OwnChannels.BoundChannel bound = binder.bind(A, CLIQUE).toOptional().orElseThrow();
        assertThat(binder.conflict(A, bound)).isEmpty();
        assertThat(binder.conflict(B, new OwnChannels.BoundChannel(bound.channel(), B.uid(), CLIQUE, 1)))
                .as("what the node uses for another")
                .isPresent();

        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));
        assertThat(channel(binder.bind(C, CLIQUE))).isEqualTo(2);

        assertThat(binder.conflict(A, bound).map(Refusal::code)).contains(RefusalCode.CHANNEL_CONFLICT);
    }

    /** Today's answer would be the node's own channel, and then half a minute of waiting for itself. */
    @Test
    void aNodeTakesNoNumberThatItUsesForAnotherThoughTheTableSaysThatItIsFree() throws Exception {
        prepareA();
        fabric.table(CLIQUE, 2048, ChannelTable.EMPTY);

        assertThat(channel(binder.bind(B, CLIQUE))).isEqualTo(2);
    }

    @Test
    void whatItsOwnContainersUseForAnotherANodeNeitherGivesNorAddsNorTakesBackFromItsMark() throws Exception {
        prepareA();
        for (var state : ChannelEntry.EntryState.values()) {
            fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, state))));
            fabric.forgetCalls();

            assertThat(refusal(binder.bind(B, CLIQUE))).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
            assertThat(fabric.calls()).doesNotContain("replace clique");
        }
    }

    @Test
    void beforeItAddsToATableThatLacksWhatItUsesANodeAsksWhatTheOthersUse() throws Exception {
        prepareA();
        fabric.node("node-b", FakeFabric.using(CLIQUE, C, 2));
        fabric.table(CLIQUE, 2048, ChannelTable.EMPTY);

        assertThat(channel(binder.bind(B, CLIQUE))).isEqualTo(3);
        assertThat(fabric.calls()).contains("list nodes");

        fabric.table(CLIQUE, 2048, ChannelTable.EMPTY);
        assertThat(channel(binder.bind(C, CLIQUE)))
                .as("the channel that its containers use elsewhere")
                .isEqualTo(2);
    }

    @Test
    void aChannelThatADamagedTableGivesIsNotTakenWhereAnotherNodeUsesItForAnother() throws Exception {
        prepareA();
        fabric.node("node-b", FakeFabric.using(CLIQUE, C, 2));
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(2, B, ChannelEntry.EntryState.ASSIGNED))));

        Refusal refusal = binder.bind(B, CLIQUE).refusal().orElseThrow();

        assertThat(refusal.code()).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        assertThat(refusal.message()).contains("node node-b uses channel 2", "team/c", "team/b");
    }

    @Test
    void whatNothingSpeaksAgainstIsBoundWithoutAskingTheOthers() throws Exception {
        prepareA();

        assertThat(channel(binder.bind(B, CLIQUE))).isEqualTo(2);
        assertThat(fabric.calls()).doesNotContain("list nodes");
    }

    /** A claim of before the restart says what is in use; whether the table still agrees, only a look tells. */
    @Test
    void theFirstFurtherClaimAfterAStartLooksIntoTheTable() throws Exception {
        try (HoldWriter again = new HoldWriter(
                fabric,
                new HoldWriter.NodeSources(
                        NodeSpecimens.NAME,
                        "again",
                        () -> inventory,
                        () -> NodeStatus.NONE,
                        () -> false,
                        () -> true,
                        HoldWriter.DomainNameLookup.NONE),
                new ManualClock(),
                () -> 0,
                () -> {})) {
            fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.EntryState.ASSIGNED))));
            again.start(
                    NONE.with(ClaimSpecimens.owning(
                            ClaimSpecimens.ref("one"), 1, A.uid().value())),
                    false,
                    Optional.of(NodeSpecimens.BOOT));
            var restarted = new ChannelBinder(fabric, again, NodeSpecimens.NAME, () -> limits, () -> 0);

            assertThat(refusal(restarted.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNEL_CONFLICT);
        }
    }

    @Test
    void aHundredClaimsAfterAStartShareAReadOfTheTableAndSayMeanwhileWhatTheyWaitFor() throws Exception {
        var answer = new CountDownLatch(1);
        try (HoldWriter again = new HoldWriter(
                        fabric,
                        new HoldWriter.NodeSources(
                                NodeSpecimens.NAME,
                                "again",
                                () -> inventory,
                                () -> NodeStatus.NONE,
                                () -> false,
                                () -> true,
                                HoldWriter.DomainNameLookup.NONE),
                        new ManualClock(),
                        () -> 0,
                        () -> {});
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, A, ChannelEntry.EntryState.ASSIGNED))));
            fabric.beforeRead(answer);
            again.start(
                    NONE.with(ClaimSpecimens.owning(
                            ClaimSpecimens.ref("one"), 1, A.uid().value())),
                    false,
                    Optional.of(NodeSpecimens.BOOT));
            var restarted = new ChannelBinder(fabric, again, NodeSpecimens.NAME, () -> limits, () -> 0);
            var prepares = new CopyOnWriteArrayList<Thread>();
            List<Future<Integer>> binds = new ArrayList<>();
            for (int claim = 0; claim < 100; claim++) {
                binds.add(threads.submit(() -> {
                    prepares.add(Thread.currentThread());
                    return channel(restarted.bind(A, CLIQUE));
                }));
            }

            Eventually.holds(
                    "all compare",
                    () -> prepares.size() == 100
                            && prepares.stream()
                                    .allMatch(prepare -> restarted
                                            .waiting(prepare)
                                            .filter(why -> why.message().contains("still reads the table of clique"))
                                            .isPresent()));
            answer.countDown();
            for (Future<Integer> bind : binds) {
                assertThat(bind.get()).isEqualTo(1);
            }
        } finally {
            answer.countDown();
        }
        assertThat(tableCalls()).containsExactly("get clique");
    }

    private void prepareA() throws Exception {
        binder.bind(A, CLIQUE);
        holds.follow(NONE.with(
                ClaimSpecimens.owning(ClaimSpecimens.ref("one"), 1, A.uid().value())));
        binder.ended();
        Eventually.holds("told", () -> holds.written());
    }

    private CliqueId elsewhere() {
        inventory = NodeSpecimens.with(
                new CliqueState.KnownClique(other()), NodeSpecimens.healthy().channelMajor());
        holds.wake();
        return other();
    }

    private static CliqueId other() {
        return new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    }

    private static ChannelEntry entry(int id, DomainName domain, ChannelEntry.EntryState state) {
        return new ChannelEntry(new ChannelId(id), domain, NodeSpecimens.NAME, state);
    }

    private static int channel(Outcome<OwnChannels.BoundChannel> outcome) {
        return outcome.toOptional().orElseThrow().channel().number();
    }

    private static RefusalCode refusal(Outcome<OwnChannels.BoundChannel> outcome) {
        return outcome.refusal().map(Refusal::code).orElseThrow();
    }
}
