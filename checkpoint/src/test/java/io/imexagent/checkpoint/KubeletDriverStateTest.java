package io.imexagent.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.KubeletDriverState.KubeletClaim;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KubeletDriverStateTest {

    private static final String DRIVER = "compute-domain.nvidia.com";

    /** The file of a kubelet 1.36.2 that had prepared a claim for each of two pods. */
    private static final Path RECORDED = Path.of("../e2e/src/test/resources/real-cluster/dra_manager_state.json");

    private static final ReturnedDevice HANDED = new ReturnedDevice(
            List.of("channel"),
            "node-1",
            "channel-0",
            List.of("k8s.compute-domain.nvidia.com/claim=uid-a-channel-0"),
            Optional.empty());

    @TempDir
    Path root;

    @Test
    void tellsNameAndDevicesOfEachClaim() throws IOException {
        Files.copy(RECORDED, root.resolve(KubeletClaims.FILE));

        assertThat(known().claims())
                .hasSize(2)
                .containsEntry(
                        new ClaimUid("9dce425e-9fad-46da-b41d-e59a2deeaad1"),
                        new KubeletClaim(
                                new ClaimName("default", "s1-channel-87cjj"),
                                List.of(new ReturnedDevice(
                                        List.of("channel"),
                                        "tb-node",
                                        "channel",
                                        List.of(
                                                "k8s.compute-domain.nvidia.com/claim=9dce425e-9fad-46da-b41d-e59a2deeaad1-channel-1"),
                                        Optional.of("337ccf7b-3c27-49de-83f6-dda6cea6f379")))));
    }

    @Test
    void aClaimThatWasNotAnsweredOrIsOfAnotherDriverHasNoDevices() throws IOException {
        KubeletStates.of(
                root,
                KubeletStates.asked("uid-a", "a", DRIVER),
                KubeletStates.asked("uid-b", "b", DRIVER).replace("[]", "null"),
                KubeletStates.entry("uid-c", "c", "gpu.nvidia.com", HANDED));

        assertThat(known().claims().values())
                .hasSize(3)
                .allMatch(told -> told.devices().isEmpty());
    }

    @Test
    void ofADeviceThatWasAnsweredAgainTheLastAnswerCounts() throws IOException {
        ReturnedDevice old = new ReturnedDevice(
                HANDED.requests(),
                HANDED.pool(),
                HANDED.device(),
                List.of("k8s.compute-domain.nvidia.com/claim=uid-a-channel-7"),
                Optional.empty());
        ReturnedDevice share = new ReturnedDevice(
                HANDED.requests(), HANDED.pool(), HANDED.device(), HANDED.cdiDeviceIds(), Optional.of("share-1"));
        KubeletStates.of(root, KubeletStates.entry("uid-a", "a", DRIVER, HANDED, old, share, HANDED));

        assertThat(known().claims().values())
                .singleElement()
                .satisfies(told -> assertThat(told.devices()).containsExactly(share, HANDED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PodUIDs", "DriverState", "Devices", "PoolName", "CDIDeviceIDs", "ClaimUID"})
    void aFieldByAnotherNameMakesTheWholeRecordUnknown(String field) throws IOException {
        KubeletStates.of(
                root, KubeletStates.entry("uid-a", "a", DRIVER, HANDED).replace("\"" + field + "\"", "\"Other\""));

        assertThat(unknown()).contains(root.resolve(KubeletClaims.FILE).toString(), "Other");
    }

    @Test
    void aUidThatIsThereTwiceOrNoneAndANameThatIsNoneAreUnknown() throws IOException {
        String entry = KubeletStates.entry("uid-a", "a", DRIVER, HANDED);
        KubeletStates.of(root, entry, entry);
        assertThat(unknown()).contains("twice");
        KubeletStates.of(root, entry.replace("\"uid-a\"", "\"../uid\""));
        assertThat(unknown()).contains("is no UID");
        KubeletStates.of(root, entry.replace("\"team\"", "\"Team/x\""));
        assertThat(unknown()).contains("no claim's");
    }

    @Test
    void aMissingRecordIsUnknown() {
        assertThat(unknown()).isEqualTo(root.resolve(KubeletClaims.FILE) + " is missing");
    }

    /** The public driver checks a file by writing again what it read. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theMarkOfATakeOverComesBackWithTheEntryInBothFormats(boolean own) {
        CheckpointFormat format = own ? CheckpointFormat.own("x.state", "x") : CheckpointFormat.PUBLIC_DRIVER;
        var bare = new ClaimStatus(Optional.empty(), List.of(), List.of());
        ClaimStatus marked = TakeOverMark.on(bare, DRIVER, List.of(HANDED), Instant.parse("2026-11-26T12:00:00Z"));
        PreparedDevice device =
                own ? new PreparedDevice.Plain(HANDED) : new PreparedDevice.Channel(new ChannelId(0), HANDED);
        List<PreparedGroup> groups =
                List.of(own ? PreparedGroup.plain(List.of(device)) : new PreparedGroup(List.of(device), "channel", ""));
        var name = Optional.of(new ClaimName("team", "a"));
        var entry = new ClaimEntry.Completed(new ClaimUid("uid-a"), name, marked, groups);
        Ledger ledger = Ledger.empty(Optional.empty()).with(entry);

        byte[] written = format.encode(ledger, new EntryTexts());

        assertThat(format.decode(written)).isEqualTo(new CheckpointFormat.Decoded.IntactCheckpoint(ledger, false));
        assertThat(TakeOverMark.isOn(entry)).isTrue();
        assertThat(TakeOverMark.isOn(new ClaimEntry.Completed(entry.uid(), name, bare, groups)))
                .isFalse();
    }

    private KubeletDriverState.KnownDriverState known() {
        return (KubeletDriverState.KnownDriverState) KubeletDriverState.read(root, DRIVER);
    }

    private String unknown() {
        return ((KubeletDriverState.UnknownDriverState) KubeletDriverState.read(root, DRIVER)).reason();
    }
}
