package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileStep;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FileCheckpointStoreTest {

    /** One of the two generations. */
    private enum Which {
        CURRENT,
        BACKUP
    }

    @TempDir
    Path parent;

    private FileCheckpointStore open() {
        return new FileCheckpointStore(
                directory(), CheckpointFormat.PUBLIC_DRIVER, () -> LedgerSpecimens.TIME, FileSteps.ALL_PASS);
    }

    private Optional<byte[]> content(Which which) throws IOException {
        return Files.exists(path(which)) ? Optional.of(Files.readAllBytes(path(which))) : Optional.empty();
    }

    private void put(Which which, Optional<byte[]> content) throws IOException {
        Files.createDirectories(directory());
        if (content.isPresent()) {
            Files.write(path(which), content.get());
        } else {
            Files.deleteIfExists(path(which));
        }
    }

    private Path directory() {
        return parent.resolve("plugin");
    }

    private Path path(Which which) {
        return directory().resolve(which == Which.CURRENT ? "checkpoint.json" : "checkpoint.json.bak");
    }

    @Test
    void findsNothingAtFirst() throws IOException {
        assertThat(open().load()).isEqualTo(new LoadOutcome.NoCheckpoint());
    }

    @Test
    void findsWhatWasSavedLast() throws IOException {
        FileCheckpointStore store = open();
        store.save(LedgerSpecimens.oneClaim());
        store.save(LedgerSpecimens.twoClaims());

        assertThat(store.load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    @Test
    void keepsACopyOfItsOwn() throws IOException {
        open().save(LedgerSpecimens.twoClaims());

        assertThat(content(Which.CURRENT)).hasValueSatisfying(is(LedgerSpecimens.twoClaims()));
        assertThat(content(Which.BACKUP)).hasValueSatisfying(is(LedgerSpecimens.twoClaims()));
        assertThat(Files.getAttribute(path(Which.BACKUP), "unix:ino"))
                .as("what damages one file leaves the other alone")
                .isNotEqualTo(Files.getAttribute(path(Which.CURRENT), "unix:ino"));
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

        assertThat(open().load()).isInstanceOfSatisfying(LoadOutcome.LoadedCheckpoint.class, outcome -> {
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
            assertThat(outcome.ledger()).isEqualTo(LedgerSpecimens.twoClaims());
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
            assertThat(outcome.ledger()).isEqualTo(LedgerSpecimens.twoClaims());
            assertThat(outcome.reason()).contains("checkpoint.json is missing");
            assertThat(outcome.movedAside()).isEmpty();
        });

        open().save(LedgerSpecimens.oneClaim());
        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.oneClaim()));
        assertThat(content(Which.BACKUP)).hasValueSatisfying(is(LedgerSpecimens.oneClaim()));
    }

    @Test
    void trustsNoGenerationWhereBothAreBroken() throws IOException {
        put(Which.CURRENT, Optional.of("{}".getBytes(UTF_8)));
        put(Which.BACKUP, Optional.of("torn".getBytes(UTF_8)));

        LoadOutcome outcome = open().load();

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        LoadOutcome.UnreadableCheckpoint.class,
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
        assertThat(open().load()).isInstanceOf(LoadOutcome.UnreadableCheckpoint.class);

        assertThat(open().setAside()).hasSize(1);

        assertThat(open().load()).isEqualTo(new LoadOutcome.NoCheckpoint());
    }

    @Test
    void isUnreadableWhereOnlyABrokenBackupIsLeft() throws IOException {
        put(Which.BACKUP, Optional.of("{}".getBytes(UTF_8)));

        assertThat(open().load())
                .isInstanceOfSatisfying(
                        LoadOutcome.UnreadableCheckpoint.class,
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

    @Test
    void savesWithOneFlushOfTheFileAndOneOfTheDirectory() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        var steps = new ArrayList<FileStep>();

        watched(steps).save(LedgerSpecimens.twoClaims());

        assertThat(steps)
                .containsExactly(
                        FileStep.CREATE_TEMPORARY,
                        FileStep.WRITE,
                        FileStep.RENAME,
                        FileStep.CREATE_TEMPORARY,
                        FileStep.WRITE,
                        FileStep.FLUSH,
                        FileStep.RENAME,
                        FileStep.FLUSH_DIRECTORY);
        assertThat(names()).containsExactly("checkpoint.json", "checkpoint.json.bak");
    }

    @Test
    void letsNobodyElseReadTheCheckpoint() throws IOException {
        open().save(LedgerSpecimens.oneClaim());

        assertThat(Files.getPosixFilePermissions(path(Which.CURRENT)))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @ParameterizedTest
    @EnumSource(names = {"CREATE_TEMPORARY", "WRITE", "FLUSH", "RENAME"})
    void keepsTheOldGenerationWholeWhereAStepFails(FileStep failing) throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());

        assertThatThrownBy(() -> failingAt(failing).save(LedgerSpecimens.ledger("started")))
                .isInstanceOf(FileFault.class)
                .hasMessageMatching("cannot write \\Q" + path(Which.CURRENT) + "\\E(\\.bak)?"
                        + ": No space left on device; free space there, the claim is retried");

        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
        assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(content(Which.BACKUP).orElseThrow()))
                .isInstanceOf(CheckpointFormat.Decoded.IntactCheckpoint.class);
        assertThat(names()).containsExactly("checkpoint.json", "checkpoint.json.bak");
    }

    @Test
    void savesTheNextTimeAfterAFailure() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        assertThatThrownBy(() -> failingAt(FileStep.FLUSH_DIRECTORY).save(LedgerSpecimens.twoClaims()))
                .isInstanceOf(FileFault.class);

        open().save(LedgerSpecimens.twoClaims());

        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    /** What stands on the disk before each step is what a crash at that step leaves. */
    @Test
    void findsOldOrNewGenerationAfterACrashAtEveryStep() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        var crashes = new ArrayList<LoadOutcome>();
        var store = new FileCheckpointStore(
                directory(), CheckpointFormat.PUBLIC_DRIVER, () -> LedgerSpecimens.TIME, (step, path) -> {
                    Path copy = Files.createTempDirectory(parent, "crash");
                    for (String name : names()) {
                        Files.copy(directory().resolve(name), copy.resolve(name));
                    }
                    crashes.add(new FileCheckpointStore(
                                    copy,
                                    CheckpointFormat.PUBLIC_DRIVER,
                                    () -> LedgerSpecimens.TIME,
                                    FileSteps.ALL_PASS)
                            .load());
                });

        store.save(LedgerSpecimens.ledger("started"));

        assertThat(crashes)
                .hasSize(8)
                .containsOnly(loaded(LedgerSpecimens.twoClaims()), loaded(LedgerSpecimens.ledger("started")))
                .contains(loaded(LedgerSpecimens.twoClaims()), loaded(LedgerSpecimens.ledger("started")));
    }

    @Test
    void sweepsTheTemporariesOfACrash() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        Files.writeString(directory().resolve(".checkpoint.json.0.tmp"), "ha");
        Files.createLink(directory().resolve(".checkpoint.json.bak.0.tmp"), path(Which.CURRENT));

        open().load();

        assertThat(names()).containsExactly("checkpoint.json", "checkpoint.json.bak");
    }

    @Test
    void namesWhatItMovesAsideAfterTheClockAndKeepsTheLastFive() throws IOException {
        for (int time = 0; time < 8; time++) {
            put(Which.CURRENT, Optional.of(new byte[] {(byte) time}));
            int seconds = time;
            new FileCheckpointStore(
                            directory(),
                            CheckpointFormat.PUBLIC_DRIVER,
                            () -> LedgerSpecimens.TIME.plusSeconds(seconds),
                            FileSteps.ALL_PASS)
                    .setAside();
        }

        assertThat(names())
                .containsExactly(
                        "checkpoint.json.corrupt-20261121T054652.000Z",
                        "checkpoint.json.corrupt-20261121T054653.000Z",
                        "checkpoint.json.corrupt-20261121T054654.000Z",
                        "checkpoint.json.corrupt-20261121T054655.000Z",
                        "checkpoint.json.corrupt-20261121T054656.000Z");
    }

    @Test
    void overwritesNothingThatWasMovedAsideAtTheSameTime() throws IOException {
        put(Which.CURRENT, Optional.of(new byte[] {1}));
        put(Which.BACKUP, Optional.of(new byte[] {2}));

        List<Path> moved = open().setAside();

        assertThat(moved)
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allSatisfy(path -> assertThat(path).exists());
    }

    @Test
    void saysHowOldTheBackupIs() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        Files.delete(path(Which.CURRENT));

        assertThat(open().load())
                .isInstanceOfSatisfying(
                        LoadOutcome.RecoveredFromBackup.class,
                        outcome -> assertThat(outcome.reason())
                                .matches(".*checkpoint.json is missing; the backup of \\d{4}-.*Z is used"));
    }

    @Test
    void throwsWhereTheFileCannotBeReadAtAll() throws IOException {
        Files.createDirectories(path(Which.CURRENT));

        assertThatThrownBy(() -> open().load())
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("cannot read " + path(Which.CURRENT));
        assertThat(path(Which.CURRENT)).isDirectory();
    }

    @Test
    void throwsWhereABrokenFileCannotBeMovedAside() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        put(Which.CURRENT, Optional.of(new byte[0]));

        assertThatThrownBy(() -> failingAt(FileStep.RENAME).load())
                .isInstanceOf(FileFault.class)
                .hasMessageContaining("cannot rename " + path(Which.CURRENT));
        assertThat(open().load()).isInstanceOf(LoadOutcome.RecoveredFromBackup.class);
    }

    @Test
    void hasNoRoomForAFurtherClaimOnceTheFileIsAThirtySecondOfTheHeap() throws IOException {
        assertThat(withHeap(32).full()).isEmpty();
        open().save(LedgerSpecimens.oneClaim());
        long size = Files.size(path(Which.CURRENT));

        assertThat(withHeap(32 * size + 32).full()).isEmpty();
        assertThat(withHeap(32 * size).full())
                .hasValue(path(Which.CURRENT) + " has " + size + " bytes, there is no room for another claim");
    }

    @Test
    void savesWhatHasNoRoomAllTheSame() throws IOException {
        FileCheckpointStore small = withHeap(1);

        small.save(LedgerSpecimens.oneClaim());
        small.save(LedgerSpecimens.twoClaims());

        assertThat(open().load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
    }

    /** It may well be whole, and its backup older: nothing is moved, and nothing served without it. */
    @Test
    void throwsWhereTheFileIsTooLargeForTheHeap() throws IOException {
        open().save(LedgerSpecimens.oneClaim());
        open().save(LedgerSpecimens.twoClaims());
        long size = Files.size(path(Which.CURRENT));

        assertThat(withHeap(16 * size).load()).isEqualTo(loaded(LedgerSpecimens.twoClaims()));
        assertThatThrownBy(() -> withHeap(16 * size - 16).load())
                .isInstanceOf(IOException.class)
                .hasMessageContaining(path(Which.CURRENT) + " has more than the " + (size - 1) + " bytes")
                .hasMessageContaining("IMEX_AGENT_JVM_OPTIONS=-Xmx");
        assertThat(names()).containsExactly("checkpoint.json", "checkpoint.json.bak");
    }

    private FileCheckpointStore withHeap(long bytes) {
        return new FileCheckpointStore(
                directory(), CheckpointFormat.PUBLIC_DRIVER, () -> LedgerSpecimens.TIME, FileSteps.ALL_PASS, bytes);
    }

    private FileCheckpointStore watched(List<FileStep> steps) {
        return new FileCheckpointStore(
                directory(),
                CheckpointFormat.PUBLIC_DRIVER,
                () -> LedgerSpecimens.TIME,
                (step, path) -> steps.add(step));
    }

    private FileCheckpointStore failingAt(FileStep failing) {
        return new FileCheckpointStore(
                directory(), CheckpointFormat.PUBLIC_DRIVER, () -> LedgerSpecimens.TIME, (step, path) -> {
                    if (step == failing) {
                        throw new FileSystemException(path.toString(), null, "No space left on device");
                    }
                });
    }

    private List<String> names() throws IOException {
        try (Stream<Path> entries = Files.list(directory())) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    private static LoadOutcome loaded(Ledger ledger) {
        return new LoadOutcome.LoadedCheckpoint(ledger, Optional.empty());
    }

    private static Consumer<byte[]> is(Ledger ledger) {
        return content ->
                assertThat(content).isEqualTo(CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts()));
    }
}
