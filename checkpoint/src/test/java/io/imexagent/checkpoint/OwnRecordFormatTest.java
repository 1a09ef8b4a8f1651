package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.files.FileSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnRecordFormatTest {

    private static final CheckpointFormat FORMAT = CheckpointFormat.own("rails.state", "imex-agent-rails");

    @TempDir
    Path folder;

    @Test
    void whatIsWrittenIsReadAgain() {
        assertThat(FORMAT.decode(FORMAT.encode(claims(), new EntryTexts())))
                .isEqualTo(new CheckpointFormat.Decoded.IntactCheckpoint(claims(), false));
        Ledger none = Ledger.empty(Optional.empty());
        assertThat(FORMAT.decode(FORMAT.encode(none, new EntryTexts())))
                .isEqualTo(new CheckpointFormat.Decoded.IntactCheckpoint(none, false));
    }

    @Test
    void theFirstLineSaysWhatItIs() {
        String text = new String(FORMAT.encode(claims(), new EntryTexts()), US_ASCII);

        assertThat(text).matches("(?s)imex-agent-rails 1 [0-9a-f]{64}\n\\{\"bootId\":.*\\}");
    }

    @Test
    void everyBentByteIsFoundAndNoneIsBelieved() {
        byte[] whole = FORMAT.encode(claims(), new EntryTexts());
        for (int at = 0; at < whole.length; at++) {
            byte[] bent = whole.clone();
            bent[at] ^= 1;
            assertThat(FORMAT.decode(bent)).isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
        }
    }

    @Test
    void everyTornFileIsFound() {
        byte[] whole = FORMAT.encode(claims(), new EntryTexts());
        for (int length = 0; length < whole.length; length++) {
            assertThat(FORMAT.decode(Arrays.copyOf(whole, length)))
                    .isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
        }
    }

    @Test
    void aFileOfANewerAgentIsNamedAsOne() {
        byte[] newer = new String(FORMAT.encode(claims(), new EntryTexts()), US_ASCII)
                .replaceFirst("rails 1", "rails 2")
                .getBytes(US_ASCII);

        assertThat(((CheckpointFormat.Decoded.BrokenCheckpoint) FORMAT.decode(newer)).reason())
                .contains("it has version \"2\", this agent knows 1");
    }

    @Test
    void theStoreKeepsTwoGenerationsAndMovesABrokenOneAside() throws IOException {
        var store = new FileCheckpointStore(folder, FORMAT, () -> LedgerSpecimens.TIME, FileSteps.ALL_PASS);
        store.save(claims());
        store.save(claims());
        assertThat(store.load()).isEqualTo(new LoadOutcome.LoadedCheckpoint(claims(), Optional.empty()));
        assertThat(store.file()).hasFileName("rails.state");

        Files.writeString(store.file(), "torn");
        assertThat(store.load()).isInstanceOfSatisfying(LoadOutcome.RecoveredFromBackup.class, backup -> {
            assertThat(backup.ledger()).isEqualTo(claims());
            assertThat(backup.movedAside().map(Path::getFileName).map(Path::toString))
                    .hasValueSatisfying(name -> assertThat(name).startsWith("rails.state.corrupt-"));
        });
    }

    @Test
    void aChannelHasNoPlaceInItAndARailNoneInTheOther() {
        var handed = new PreparedDevice.ReturnedDevice(List.of("r"), "p", "channel-0", List.of(), Optional.empty());
        Ledger channels = with(new PreparedDevice.Channel(new ChannelId(0), handed));

        assertThatThrownBy(() -> FORMAT.encode(channels, new EntryTexts())).hasMessageContaining("channel-0");
        assertThatThrownBy(() -> CheckpointFormat.PUBLIC_DRIVER.encode(claims(), new EntryTexts()))
                .hasMessageContaining("rail-0000-03-00-0");
    }

    private static Ledger with(PreparedDevice device) {
        return Ledger.empty(LedgerSpecimens.BOOT)
                .with(new ClaimEntry.Completed(
                        LedgerSpecimens.A1, Optional.empty(), status(), List.of(PreparedGroup.plain(List.of(device)))));
    }

    private static Ledger claims() {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("nics/fast"),
                "tray-1",
                "rail-0000-03-00-0",
                List.of("k8s.rdma.imexagent.io/claim=a1-rail-0000-03-00-0"),
                Optional.of("share"));
        return with(new PreparedDevice.Plain(handed))
                .with(new ClaimEntry.Started(new ClaimUid("b2"), ClaimName.parse("team", "begun"), status()))
                .with(new ClaimEntry.Aborted(
                        new ClaimUid("c3"), ClaimName.parse("team", "aborted"), status(), LedgerSpecimens.TIME));
    }

    private static ClaimStatus status() {
        return new ClaimStatus(
                Optional.of(new Allocation(
                        List.of(LedgerSpecimens.allocated(
                                "nics/fast", "rdma.imexagent.io", "tray-1", "rail-0000-03-00-0")),
                        List.of(),
                        Optional.empty(),
                        Optional.of(LedgerSpecimens.TIME))),
                List.of(),
                List.of());
    }
}
