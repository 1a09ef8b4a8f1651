package io.imexagent.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerTest {

    private static final BootId BOOT = new BootId("boot-1");
    private static final Ledger EMPTY = Ledger.empty(Optional.of(BOOT));
    private static final ClaimStatus STATUS = new ClaimStatus(Optional.empty(), List.of(), List.of());
    private static final ClaimEntry.Completed COMPLETED =
            completed("uid-a", new PreparedDevice.Channel(new ChannelId(0), handed("channel-0")));
    private static final ClaimEntry.Started STARTED =
            new ClaimEntry.Started(new ClaimUid("uid-b"), Optional.of(new ClaimName("team", "b")), STATUS);
    private static final ClaimEntry.Aborted ABORTED = new ClaimEntry.Aborted(
            new ClaimUid("uid-c"), Optional.empty(), STATUS, Instant.parse("2026-01-01T12:00:00Z"));

    private static ClaimEntry.Completed completed(String uid, PreparedDevice device) {
        return new ClaimEntry.Completed(
                new ClaimUid(uid),
                Optional.of(new ClaimName("team", "a")),
                STATUS,
                List.of(new PreparedGroup(List.of(device), "", "")));
    }

    private static PreparedDevice.ReturnedDevice handed(String device) {
        return new PreparedDevice.ReturnedDevice(
                List.of("request"), "node-a", device, List.of("k=v"), Optional.empty());
    }

    @Test
    void aChangeMakesANewLedgerAndLeavesTheOld() {
        Ledger changed = EMPTY.with(COMPLETED);

        assertThat(EMPTY.entries()).isEmpty();
        assertThat(changed.entry(COMPLETED.uid())).contains(COMPLETED);
        assertThat(changed.without(COMPLETED.uid())).isEqualTo(EMPTY);
        assertThat(changed.entries()).hasSize(1);
    }

    @Test
    void aNewEntryTakesThePlaceOfTheOld() {
        var started = new ClaimEntry.Started(COMPLETED.uid(), COMPLETED.name(), COMPLETED.status());

        assertThat(EMPTY.with(started).with(COMPLETED).entries().values()).containsExactly(COMPLETED);
    }

    @Test
    void forgettingAnUnknownClaimChangesNothing() {
        assertThat(EMPTY.with(COMPLETED).without(new ClaimUid("unknown"))).isEqualTo(EMPTY.with(COMPLETED));
    }

    @Test
    void changesOfEntriesKeepTheBootAndAChangeOfTheBootKeepsTheEntries() {
        Optional<BootId> next = Optional.of(new BootId("boot-2"));

        assertThat(EMPTY.with(COMPLETED).without(COMPLETED.uid()).bootId()).contains(BOOT);
        assertThat(EMPTY.with(COMPLETED).at(next))
                .isEqualTo(new Ledger(EMPTY.with(COMPLETED).entries(), next));
    }

    @Test
    void onlyCompletedClaimsHoldAChannel() {
        Ledger ledger = EMPTY.with(STARTED).with(ABORTED).with(COMPLETED);

        assertThat(ledger.completed()).containsExactly(COMPLETED);
        assertThat(ledger.holdersOf(new ChannelId(0))).containsExactly(COMPLETED);
        assertThat(ledger.holdersOf(new ChannelId(1))).isEmpty();
    }

    @Test
    void aDaemonHoldsNoChannel() {
        ClaimEntry.Completed daemon = completed("uid-d", new PreparedDevice.Daemon(handed("daemon-0")));

        assertThat(EMPTY.with(daemon).holdersOf(new ChannelId(0))).isEmpty();
    }

    @Test
    void entriesStandInTheOrderOfTheirUids() {
        assertThat(EMPTY.with(ABORTED).with(STARTED).with(COMPLETED).entries().keySet())
                .containsExactly(COMPLETED.uid(), STARTED.uid(), ABORTED.uid());
    }

    @Test
    void keepsItsEntriesWhateverBecomesOfTheMapItWasMadeFrom() {
        var entries = new TreeMap<ClaimUid, ClaimEntry>(Map.of(COMPLETED.uid(), COMPLETED));
        var ledger = new Ledger(entries, Optional.empty());

        entries.clear();

        assertThat(ledger.completed()).containsExactly(COMPLETED);
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> ledger.entries().clear());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n"})
    void aBootIdIsNotBlank(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> new BootId(text));
    }

    @Test
    void aBootIdPrintsItself() {
        assertThat(new BootId("8d8b5c6e-1f7a")).hasToString("8d8b5c6e-1f7a");
    }
}
