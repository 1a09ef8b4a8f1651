package io.imexagent.kubernetes.clique;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.clique.ChannelEntry.State;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChannelTableTest {

    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(8, 100);
    private static final DomainName A = domain("a", "team");
    private static final DomainName B = domain("b", "team");
    private static final DomainName C = domain("c", "other");

    @Test
    void theLowestFreeChannelIsGivenAndNeverChannelZero() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, A, State.ASSIGNED), entry(3, B, State.RELEASING)));

        assertThat(table.bind(C, "node-2", LIMITS))
                .isEqualTo(new Binding.Change(ChannelTable.of(List.of(
                        entry(1, A, State.ASSIGNED),
                        new ChannelEntry(new ChannelId(2), C, "node-2", State.ASSIGNED),
                        entry(3, B, State.RELEASING)))));
    }

    @Test
    void aComputeDomainKeepsItsChannel() {
        ChannelTable table = ChannelTable.of(List.of(entry(5, A, State.ASSIGNED)));

        assertThat(table.bind(A, "node-2", LIMITS)).isEqualTo(new Binding.Bound(new ChannelId(5)));
    }

    @Test
    void aChannelThatIsBeingReleasedIsTakenBackByWhoNeedsIt() {
        ChannelTable table = ChannelTable.of(List.of(entry(5, A, State.RELEASING)));

        assertThat(table.bind(A, "node-2", LIMITS))
                .isEqualTo(new Binding.Change(ChannelTable.of(List.of(entry(5, A, State.ASSIGNED)))));
    }

    @Test
    void whatIsTakenIsNotGivenThoughItIsBeingReleased() {
        ChannelTable table = ChannelTable.of(IntStream.range(1, 8)
                .mapToObj(id -> entry(id, domain("d" + id, "team"), State.RELEASING))
                .toList());

        assertThat(table.bind(A, "node-2", LIMITS)).isEqualTo(new Binding.Full(7));
    }

    @Test
    void aTableEndsAtItsLargestChannelWhateverTheDriverHas() {
        ChannelTable table = ChannelTable.of(IntStream.rangeClosed(1, ChannelTable.LARGEST)
                .mapToObj(id -> entry(id, domain("d" + id, "team"), State.ASSIGNED))
                .toList());

        assertThat(table.bind(A, "node-2", new ChannelTable.Limits(2048, 1000))).isEqualTo(new Binding.Full(255));
    }

    @Test
    void aNamespaceHasNoMoreThanItsShareAndKeepsWhatItHas() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, A, State.ASSIGNED)));
        var one = new ChannelTable.Limits(8, 1);

        assertThat(table.bind(B, "node-2", one)).isEqualTo(new Binding.NamespaceFull(1));
        assertThat(table.bind(A, "node-2", one)).isEqualTo(new Binding.Bound(new ChannelId(1)));
        assertThat(table.bind(C, "node-2", one)).isInstanceOf(Binding.Change.class);
    }

    @Test
    void anEntryThatNobodyHoldsIsFreeAfterTwoSteps() {
        ChannelTable table = ChannelTable.of(List.of(entry(1, A, State.ASSIGNED), entry(2, B, State.ASSIGNED)));

        ChannelTable marked = table.settled(Set.of(B.uid()));

        assertThat(marked)
                .isEqualTo(ChannelTable.of(List.of(entry(1, A, State.RELEASING), entry(2, B, State.ASSIGNED))));
        assertThat(marked.settled(Set.of(B.uid()))).isEqualTo(ChannelTable.of(List.of(entry(2, B, State.ASSIGNED))));
    }

    @Test
    void aMarkIsTakenBackWhereSomebodyHoldsTheEntryAfterAll() {
        ChannelTable marked = ChannelTable.of(List.of(entry(1, A, State.RELEASING)));

        assertThat(marked.settled(Set.of(A.uid()))).isEqualTo(ChannelTable.of(List.of(entry(1, A, State.ASSIGNED))));
    }

    @Test
    void findsTheEntryOfAComputeDomainByItsUidAlone() {
        ChannelTable table = ChannelTable.of(List.of(entry(4, A, State.ASSIGNED)));

        assertThat(table.of(A.uid()).map(ChannelEntry::id)).contains(new ChannelId(4));
        assertThat(table.of(B.uid())).isEqualTo(Optional.empty());
    }

    @Test
    void channelZeroBelongsToNobody() {
        assertThatThrownBy(() -> entry(0, A, State.ASSIGNED)).isInstanceOf(IllegalArgumentException.class);
    }

    private static DomainName domain(String uid, String namespace) {
        return new DomainName(new ComputeDomainUid(uid), namespace, "domain-" + uid);
    }

    private static ChannelEntry entry(int id, DomainName domain, State state) {
        return new ChannelEntry(new ChannelId(id), domain, "node-1", state);
    }
}
