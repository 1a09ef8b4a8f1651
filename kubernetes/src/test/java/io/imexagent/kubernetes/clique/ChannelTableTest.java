package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry.EntryState;
import io.imexagent.kubernetes.clique.ChannelTable.BindPlan;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChannelTableTest {

    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(8, 100);
    private static final DomainName A = domain("a", "team");
    private static final DomainName B = domain("b", "team");
    private static final DomainName C = domain("c", "other");

    @Test
    void theLowestFreeChannelIsGivenAndNeverChannelZero() {
        ChannelTable table =
                ChannelTable.of(List.of(entry(1, A, EntryState.ASSIGNED), entry(3, B, EntryState.RELEASING)));

        assertThat(table.bind(C, "node-2", LIMITS, List.of()))
                .isEqualTo(new BindPlan.TableChange(ChannelTable.of(List.of(
                        entry(1, A, EntryState.ASSIGNED),
                        new ChannelEntry(new ChannelId(2), C, "node-2", EntryState.ASSIGNED),
                        entry(3, B, EntryState.RELEASING)))));
    }

    @Test
    void aComputeDomainKeepsItsChannel() {
        ChannelTable table = ChannelTable.of(List.of(entry(5, A, EntryState.ASSIGNED)));

        assertThat(table.bind(A, "node-2", LIMITS, List.of())).isEqualTo(new BindPlan.AlreadyBound(new ChannelId(5)));
    }

    @Test
    void aChannelThatIsBeingReleasedIsTakenBackByWhoNeedsIt() {
        ChannelTable table = ChannelTable.of(List.of(entry(5, A, EntryState.RELEASING)));

        assertThat(table.bind(A, "node-2", LIMITS, List.of()))
                .isEqualTo(new BindPlan.TableChange(ChannelTable.of(List.of(entry(5, A, EntryState.ASSIGNED)))));
    }

    @Test
    void whatIsTakenIsNotGivenThoughItIsBeingReleased() {
        ChannelTable table = ChannelTable.of(IntStream.range(1, 8)
                .mapToObj(id -> entry(id, domain("d" + id, "team"), EntryState.RELEASING))
                .toList());

        assertThat(table.bind(A, "node-2", LIMITS, List.of())).isEqualTo(new BindPlan.TableFull(7));
    }

    @Test
    void aTableEndsAtItsLargestChannelWhateverTheDriverHas() {
        ChannelTable table = ChannelTable.of(IntStream.rangeClosed(1, ChannelTable.LARGEST)
                .mapToObj(id -> entry(id, domain("d" + id, "team"), EntryState.ASSIGNED))
                .toList());

        assertThat(table.bind(A, "node-2", new ChannelTable.Limits(2048, 1000), List.of()))
                .isEqualTo(new BindPlan.TableFull(255));
    }

    @Test
    void aNamespaceHasNoMoreThanItsShareAndKeepsWhatItHas() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, A, EntryState.ASSIGNED)));
        var one = new ChannelTable.Limits(8, 1);

        assertThat(table.bind(B, "node-2", one, List.of())).isEqualTo(new BindPlan.QuotaReached(1));
        assertThat(table.bind(A, "node-2", one, List.of())).isEqualTo(new BindPlan.AlreadyBound(new ChannelId(1)));
        assertThat(table.bind(C, "node-2", one, List.of())).isInstanceOf(BindPlan.TableChange.class);
    }

    @Test
    void whatNodesUseThoughTheTableLacksItIsNotGivenToAnother() {
        ChannelTable emptied = ChannelTable.EMPTY;

        assertThat(emptied.bind(C, "node-2", LIMITS, List.of(used(1, A), used(2, B))))
                .isEqualTo(new BindPlan.TableChange(ChannelTable.of(
                        List.of(new ChannelEntry(new ChannelId(3), C, "node-2", EntryState.ASSIGNED)))));
        assertThat(emptied.bind(C, "node-2", new ChannelTable.Limits(3, 100), List.of(used(1, A), used(2, B))))
                .isEqualTo(new BindPlan.TableFull(2));
    }

    @Test
    void aComputeDomainThatTheTableLacksGetsTheChannelThatItsContainersUseWhateverItsNamespaceHas() {
        var none = new ChannelTable.Limits(8, 0);

        assertThat(ChannelTable.EMPTY.bind(A, "node-2", none, List.of(used(5, A))))
                .isEqualTo(new BindPlan.TableChange(ChannelTable.of(
                        List.of(new ChannelEntry(new ChannelId(5), A, "node-2", EntryState.ASSIGNED)))));
    }

    @Test
    void whatIsUsedForAnotherIsGivenByNoEntryAndNoMarkOnItIsTakenBack() {
        for (EntryState state : EntryState.values()) {
            ChannelTable swapped = ChannelTable.of(List.of(entry(1, B, state), entry(2, A, state)));

            assertThat(swapped.bind(A, "node-2", LIMITS, List.of(used(2, B))))
                    .isEqualTo(new BindPlan.BindConflict(new ChannelTable.DoubleUse(entry(2, A, state), used(2, B))));
        }
    }

    @Test
    void aComputeDomainWhoseContainersUseAnotherChannelThanTheTableHasGetsNeither() {
        ChannelTable table = ChannelTable.of(List.of(entry(2, A, EntryState.ASSIGNED)));

        assertThat(table.bind(A, "node-2", LIMITS, List.of(used(1, A))))
                .isEqualTo(new BindPlan.BindConflict(
                        new ChannelTable.DoubleUse(entry(2, A, EntryState.ASSIGNED), used(1, A))));
    }

    @Test
    void aChannelThatItsContainersUseIsNotAddedWhereItIsAnothersByNow() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, B, EntryState.ASSIGNED)));

        assertThat(table.bind(A, "node-2", LIMITS, List.of(used(1, A))))
                .isEqualTo(new BindPlan.BindConflict(
                        new ChannelTable.DoubleUse(entry(1, B, EntryState.ASSIGNED), used(1, A))));
    }

    @Test
    void aTableThatLacksOrContradictsAUseWasDamaged() {
        ChannelTable table =
                ChannelTable.of(List.of(entry(1, A, EntryState.ASSIGNED), entry(2, B, EntryState.RELEASING)));

        assertThat(table.covers(List.of(used(1, A), used(2, B)))).isTrue();
        assertThat(table.covers(List.of(used(3, C)))).isFalse();
        assertThat(table.covers(List.of(used(2, A)))).isFalse();
    }

    @Test
    void aConflictNamesBothComputeDomainsAndTellsTwoOfOneNameByTheirUids() {
        var clique = new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1");
        var old = new DomainName(new ComputeDomainUid("old"), A.namespace(), A.name());

        assertThat(new ChannelTable.DoubleUse(entry(1, B, EntryState.ASSIGNED), used(1, A)).text(clique))
                .isEqualTo(
                        "node node-9 uses channel 1 of clique " + clique + " for ComputeDomain team/domain-a, but that"
                                + " channel belongs to ComputeDomain team/domain-b: pods of both can reach each other's memory;"
                                + " end the pods of team/domain-a on node-9 at once");
        assertThat(new ChannelTable.DoubleUse(entry(1, A, EntryState.ASSIGNED), used(1, old)).text(clique))
                .contains("for ComputeDomain team/domain-a (UID old), but that channel belongs to ComputeDomain"
                        + " team/domain-a (UID a):");
    }

    @Test
    void anEntryThatNobodyHoldsIsFreeAfterTwoSteps() {
        ChannelTable table =
                ChannelTable.of(List.of(entry(1, A, EntryState.ASSIGNED), entry(2, B, EntryState.ASSIGNED)));

        ChannelTable marked = table.settled(List.of(node("tray-2", hold(B))));

        assertThat(marked)
                .isEqualTo(
                        ChannelTable.of(List.of(entry(1, A, EntryState.RELEASING), entry(2, B, EntryState.ASSIGNED))));
        assertThat(marked.settled(List.of(node("tray-2", hold(B)))))
                .isEqualTo(ChannelTable.of(List.of(entry(2, B, EntryState.ASSIGNED))));
    }

    @Test
    void aMarkIsTakenBackWhereSomebodyHoldsTheEntryAfterAll() {
        ChannelTable marked = ChannelTable.of(List.of(entry(1, A, EntryState.RELEASING)));

        assertThat(marked.settled(List.of(node("tray-2", hold(A)))))
                .isEqualTo(ChannelTable.of(List.of(entry(1, A, EntryState.ASSIGNED))));
    }

    @Test
    void whatANodeUsesAndTheTableLacksIsAddedAgainBeforeAnythingIsFreed() {
        ChannelTable restored = ChannelTable.of(List.of(entry(2, B, EntryState.ASSIGNED)));

        assertThat(restored.settled(List.of(node("tray-2", use(A, 1)))))
                .isEqualTo(ChannelTable.of(List.of(
                        new ChannelEntry(new ChannelId(1), A, "tray-2", EntryState.ASSIGNED),
                        entry(2, B, EntryState.RELEASING))));
    }

    @Test
    void aChannelThatIsAnothersByNowStaysThatOnesAndIsNamed() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, B, EntryState.ASSIGNED)));
        List<Stored<NvlinkNode>> nodes = List.of(node("tray-1", use(B, 1)), node("tray-2", use(A, 1)));

        assertThat(table.settled(nodes)).isEqualTo(table);
        assertThat(table.conflicts(nodes))
                .containsExactly(new ChannelTable.DoubleUse(
                        entry(1, B, EntryState.ASSIGNED),
                        new ChannelEntry(new ChannelId(1), A, "tray-2", EntryState.ASSIGNED)));
    }

    /** The number that its containers use is free, and the next ComputeDomain's before long. */
    @Test
    void aNodeThatCameWithAnotherNumberOfItsComputeDomainIsAConflict() {
        ChannelTable table = ChannelTable.of(List.of(entry(7, A, EntryState.ASSIGNED)));

        assertThat(table.conflicts(List.of(node("tray-1", use(A, 7)), node("tray-2", use(A, 5)))))
                .containsExactly(new ChannelTable.DoubleUse(
                        entry(7, A, EntryState.ASSIGNED),
                        new ChannelEntry(new ChannelId(5), A, "tray-2", EntryState.ASSIGNED)));
    }

    @Test
    void findsTheEntryOfAComputeDomainByItsUidAlone() {
        ChannelTable table = ChannelTable.of(List.of(entry(4, A, EntryState.ASSIGNED)));

        assertThat(table.of(A.uid()).map(ChannelEntry::id)).contains(new ChannelId(4));
        assertThat(table.of(B.uid())).isEqualTo(Optional.empty());
    }

    @Test
    void aHoldOfChannelZeroKeepsNoEntry() {
        ChannelTable table = ChannelTable.of(List.of(entry(4, A, EntryState.ASSIGNED)));

        ChannelTable marked = table.settled(List.of(node("node-1", use(A, 0))));

        assertThat(marked.of(A.uid()).map(ChannelEntry::state)).contains(EntryState.RELEASING);
        assertThat(marked.settled(List.of(node("node-1", use(A, 0)))).entries()).isEmpty();
    }

    @Test
    void channelZeroBelongsToNobody() {
        assertThatThrownBy(() -> entry(0, A, EntryState.ASSIGNED)).isInstanceOf(IllegalArgumentException.class);
    }

    private static DomainName domain(String uid, String namespace) {
        return new DomainName(new ComputeDomainUid(uid), namespace, "domain-" + uid);
    }

    private static ChannelEntry entry(int id, DomainName domain, EntryState state) {
        return new ChannelEntry(new ChannelId(id), domain, "node-1", state);
    }

    private static ChannelEntry used(int id, DomainName domain) {
        return new ChannelEntry(new ChannelId(id), domain, "node-9", EntryState.ASSIGNED);
    }

    private static Stored<NvlinkNode> node(String name, Hold... holds) {
        return new Stored<>(
                name,
                "uid-" + name,
                "1",
                false,
                new NvlinkNode(
                        "session",
                        1,
                        new TreeSet<>(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        NvlinkNode.byDomain(List.of(holds)),
                        NodeStatus.NONE,
                        true));
    }

    private static Hold hold(DomainName domain) {
        return new Hold(domain, Optional.empty());
    }

    private static Hold use(DomainName domain, int channel) {
        return new Hold(domain, Optional.of(new ChannelId(channel)));
    }
}
