package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What every store of checkpoints does. */
abstract class CheckpointStoreContract {

    /** Which of the two. */
    enum Which {
        CURRENT,
        BACKUP
    }

    /** A store over the same content as the last one: the next life of the process. */
    abstract CheckpointStore open();

    /** The content of a generation. */
    abstract Optional<byte[]> content(Which which) throws IOException;

    /** Puts content in the place of a generation; empty removes it. */
    abstract void put(Which which, Optional<byte[]> content) throws IOException;

    @Test
    void findsNothingAtFirst() throws IOException {
        assertThat(open().load()).isEqualTo(new LoadOutcome.Fresh());
    }

    @Test
    void findsWhatWasSavedLast() throws IOException {
        CheckpointStore store = open();
        store.save(LedgerSpecimens.oneClaim());
        store.save(LedgerSpecimens.twoClaims());

        assertThat(store.load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    @Test
    void keepsTheGenerationBefore() throws IOException {
        CheckpointStore store = open();
        store.save(LedgerSpecimens.oneClaim());
        assertThat(content(Which.BACKUP)).isEmpty();

        store.save(LedgerSpecimens.twoClaims());

        assertThat(content(Which.CURRENT)).hasValueSatisfying(is(LedgerSpecimens.twoClaims()));
        assertThat(content(Which.BACKUP)).hasValueSatisfying(is(LedgerSpecimens.oneClaim()));
    }

    @Test
    void savesWithoutHavingLoaded() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());

        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    @Test
    void adoptsACheckpointFromBeforeV2AndSaysSo() throws IOException {
        put(Which.CURRENT, Optional.of(LedgerSpecimens.resource("v1-only.json")));

        assertThat(open().load()).isInstanceOfSatisfying(LoadOutcome.Loaded.class, outcome -> {
            assertThat(outcome.ledger().completed()).hasSize(1);
            assertThat(outcome.note())
                    .hasValueSatisfying(note -> assertThat(note).contains("before format V2"));
        });
    }

    @Test
    void usesTheBackupWhereTheCheckpointIsTorn() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        byte[] whole = content(Which.CURRENT).orElseThrow();
        put(Which.CURRENT, Optional.of(Arrays.copyOf(whole, whole.length / 2)));

        assertThat(open().load()).isInstanceOfSatisfying(LoadOutcome.RecoveredFromBackup.class, outcome -> {
            assertThat(outcome.ledger()).isEqualTo(LedgerSpecimens.oneClaim());
            assertThat(outcome.reason()).contains("checkpoint.json is no whole checkpoint: ");
            assertThat(outcome.movedAside()).isPresent();
        });
        assertThat(content(Which.CURRENT)).isEmpty();
    }

    @Test
    void usesTheBackupUntilTheNextSave() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        put(Which.CURRENT, Optional.of(new byte[0]));

        open().load();
        assertThat(open().load()).isInstanceOfSatisfying(LoadOutcome.RecoveredFromBackup.class, outcome -> {
            assertThat(outcome.ledger()).isEqualTo(LedgerSpecimens.oneClaim());
            assertThat(outcome.reason()).contains("checkpoint.json is missing");
            assertThat(outcome.movedAside()).isEmpty();
        });

        open().save(LedgerSpecimens.twoClaims());
        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
        assertThat(content(Which.BACKUP)).hasValueSatisfying(is(LedgerSpecimens.oneClaim()));
    }

    @Test
    void trustsNoGenerationWhereBothAreBroken() throws IOException {
        put(Which.CURRENT, Optional.of("{}".getBytes(UTF_8)));
        put(Which.BACKUP, Optional.of("torn".getBytes(UTF_8)));

        LoadOutcome outcome = open().load();

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        LoadOutcome.Unreadable.class,
                        unreadable -> assertThat(unreadable.reasons())
                                .hasSize(2)
                                .satisfiesExactly(
                                        reason -> assertThat(reason)
                                                .contains("checkpoint.json is no whole checkpoint: it has no"),
                                        reason -> assertThat(reason)
                                                .contains("checkpoint.json.bak is no whole checkpoint: ")));
    }

    @Test
    void staysUnreadableUntilItIsSetAside() throws IOException {
        put(Which.CURRENT, Optional.of("{}".getBytes(UTF_8)));
        open().load();
        assertThat(open().load()).isInstanceOf(LoadOutcome.Unreadable.class);

        assertThat(open().setAside()).hasSize(1);

        assertThat(open().load()).isEqualTo(new LoadOutcome.Fresh());
    }

    @Test
    void isUnreadableWhereOnlyABrokenBackupIsLeft() throws IOException {
        put(Which.BACKUP, Optional.of("{}".getBytes(UTF_8)));

        assertThat(open().load())
                .isInstanceOfSatisfying(
                        LoadOutcome.Unreadable.class,
                        unreadable -> assertThat(unreadable.reasons()).hasSize(1));
    }

    @Test
    void setsNothingAsideThatIsWhole() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());

        assertThat(open().setAside()).isEmpty();
        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    @Test
    void needsNoBackupWhereTheCheckpointIsWhole() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        put(Which.BACKUP, Optional.of("torn".getBytes(UTF_8)));

        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.oneClaim()));
    }

    @Test
    void cutsTimesToSecondsAsTheFileDoes() throws IOException {
        var entry = new ClaimEntry.Aborted(
                LedgerSpecimens.A1,
                LedgerSpecimens.name("one"),
                LedgerSpecimens.everyField(),
                LedgerSpecimens.TIME.plusNanos(7));

        open().save(Ledger.empty(LedgerSpecimens.BOOT).with(entry));

        assertThat(open().load())
                .isEqualTo(loaded(Ledger.empty(LedgerSpecimens.BOOT)
                        .with(new ClaimEntry.Aborted(
                                LedgerSpecimens.A1,
                                LedgerSpecimens.name("one"),
                                LedgerSpecimens.everyField(),
                                LedgerSpecimens.TIME))));
    }

    static LoadOutcome loaded(Ledger ledger) {
        return new LoadOutcome.Loaded(ledger, Optional.empty());
    }

    private static Consumer<byte[]> is(Ledger ledger) {
        return content -> assertThat(content).isEqualTo(CheckpointFormat.PUBLIC_DRIVER.encode(ledger));
    }
}
