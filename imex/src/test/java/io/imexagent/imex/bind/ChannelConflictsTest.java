package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelEntry.EntryState;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChannelConflictsTest {

    private static final CliqueId CLIQUE = new CliqueId("00000000-0000-0000-0000-000000000001.1");
    private static final DomainName A = new DomainName(new ComputeDomainUid("uid-a"), "team", "a");
    private static final DomainName B = new DomainName(new ComputeDomainUid("uid-b"), "team", "b");
    private static final List<Hold> USED = List.of(use(A));

    private final List<String> news = new ArrayList<>();
    private final ChannelConflicts conflicts = new ChannelConflicts("tray-1", new ChannelConflicts.ConflictListener() {
        @Override
        public void started(DoubleUse use, CliqueId clique) {
            news.add("begun");
        }

        @Override
        public void over(DoubleUse use) {
            news.add("over");
        }
    });

    @Test
    void aTableThatIsMissingEndsNoConflictAndOneThatIsThereDoes() {
        var _ = compare(Optional.of(table(B, EntryState.ASSIGNED)), USED);

        assertThat(compare(Optional.empty(), USED)).isFalse();
        assertThat(conflicts.taints()).hasSize(1);
        assertThat(conflicts.of(A.uid())).isPresent();

        assertThat(compare(Optional.of(ChannelTable.EMPTY), USED)).isTrue();
        assertThat(conflicts.taints()).isEmpty();
        assertThat(news).containsExactly("begun", "over");
    }

    @Test
    void whereTheTableIsMissingTheEndOfTheUseEndsAConflict() {
        var _ = compare(Optional.of(table(B, EntryState.ASSIGNED)), USED);

        assertThat(compare(Optional.empty(), List.of())).isTrue();

        assertThat(conflicts.taints()).isEmpty();
    }

    @Test
    void anotherNameAndAnotherStateOfTheEntryAreTheSameConflict() {
        var _ = compare(
                Optional.of(table(B, EntryState.ASSIGNED)), List.of(use(new DomainName(A.uid(), "team", "uid-a"))));

        assertThat(compare(Optional.of(table(B, EntryState.RELEASING)), USED)).isFalse();
        assertThat(compare(Optional.of(table(new DomainName(B.uid(), "team", "c"), EntryState.RELEASING)), USED))
                .isFalse();

        assertThat(news).containsExactly("begun");
        assertThat(conflicts.texts()).singleElement().asString().contains("team/a", "team/c");
    }

    @Test
    void theRestAfterAFailureCountsFromItsEnd() {
        long second = Duration.ofSeconds(1).toNanos();
        ChannelConflicts.TableReading reading = conflicts.begin(CLIQUE, USED, 0);

        var _ = conflicts.failed(reading, 10 * second);

        assertThat(conflicts.restFor(CLIQUE, 10 * second)).isEqualTo(Duration.ofSeconds(10));
        assertThat(conflicts.restFor(CLIQUE, 20 * second)).isZero();
    }

    private boolean compare(Optional<ChannelTable> table, List<Hold> held) {
        return conflicts.compare(conflicts.begin(CLIQUE, held, 0), table, held);
    }

    private static ChannelTable table(DomainName owner, EntryState state) {
        return ChannelTable.of(List.of(new ChannelEntry(new ChannelId(3), owner, "node-b", state)));
    }

    private static Hold use(DomainName domain) {
        return new Hold(domain, Optional.of(new ChannelId(3)));
    }
}
