package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NodeSight;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChannelBinderTest {

    private static final CliqueId CLIQUE = NodeSpecimens.CLIQUE;
    private static final DomainName A = new DomainName(new ComputeDomainUid("uid-a"), "team", "a");
    private static final DomainName B = new DomainName(new ComputeDomainUid("uid-b"), "team", "b");
    private static final Ledger NONE = Ledger.empty(Optional.of(NodeSpecimens.BOOT));

    private final FakeFabric fabric = new FakeFabric();
    private volatile NodeInventory inventory = NodeSpecimens.healthy();
    private final NodeHolds holds = new NodeHolds(
            fabric,
            new NodeHolds.About(
                    NodeSpecimens.NAME, "session", () -> inventory, () -> NodeSight.NONE, () -> false, () -> true),
            new ManualClock(),
            () -> 0,
            () -> {});
    private ChannelTable.Limits limits = new ChannelTable.Limits(8, 8);
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
        assertThat(fabric.table(CLIQUE).entries().values()).containsExactly(entry(1, A, ChannelEntry.State.ASSIGNED));
    }

    @Test
    void takesTheChannelThatTheComputeDomainHas() throws Exception {
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(5, A, ChannelEntry.State.ASSIGNED))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(5);
        assertThat(fabric.calls()).containsExactly("replace node", "get clique");
    }

    @Test
    void writesOverAMark() throws Exception {
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(5, A, ChannelEntry.State.RELEASING))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(5);
        assertThat(fabric.table(CLIQUE).entries().values()).containsExactly(entry(5, A, ChannelEntry.State.ASSIGNED));
    }

    @Test
    void looksAgainWhereAnotherNodeWasFaster() throws Exception {
        fabric.beforeTable(() ->
                fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.State.ASSIGNED)))));

        assertThat(channel(binder.bind(A, CLIQUE))).isEqualTo(2);
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
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.State.ASSIGNED))));

        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNELS_EXHAUSTED);
    }

    @Test
    void aNodeWithFewerChannelsLimitsAll() throws Exception {
        fabric.table(CLIQUE, 2, ChannelTable.of(List.of(entry(1, B, ChannelEntry.State.ASSIGNED))));

        assertThat(refusal(binder.bind(A, CLIQUE))).isEqualTo(RefusalCode.CHANNELS_EXHAUSTED);
    }

    @Test
    void aNamespaceGetsNoMoreThanItMay() throws Exception {
        limits = new ChannelTable.Limits(8, 1);
        fabric.table(CLIQUE, 2048, ChannelTable.of(List.of(entry(1, B, ChannelEntry.State.ASSIGNED))));

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
                new CliqueState.Present(other()), NodeSpecimens.healthy().channelMajor());
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
        OwnChannels.Bound bound = binder.bind(A, CLIQUE).toOptional().orElseThrow();
        assertThat(binder.stands(bound)).isTrue();

        binder.ended();
        Eventually.holds("given back", () -> holds.written());
        assertThat(binder.stands(bound)).isFalse();
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
                new CliqueState.Present(other()), NodeSpecimens.healthy().channelMajor());
        holds.wake();
        return other();
    }

    private static CliqueId other() {
        return new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.7");
    }

    private static ChannelEntry entry(int id, DomainName domain, ChannelEntry.State state) {
        return new ChannelEntry(new ChannelId(id), domain, NodeSpecimens.NAME, state);
    }

    private static int channel(Outcome<OwnChannels.Bound> outcome) {
        return outcome.toOptional().orElseThrow().channel().number();
    }

    private static RefusalCode refusal(Outcome<OwnChannels.Bound> outcome) {
        return outcome.refusal().map(Refusal::code).orElseThrow();
    }
}
