package io.imexagent.agent.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.check.CheckResult.Status;
import io.imexagent.checkpoint.CheckpointCodec;
import io.imexagent.checkpoint.ModeFile;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.ledger.ServingMode;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointChecksTest {

    private static final String UID = "6f4a0f1e-6c3c-4a8e-9b1f-3f0f3f5b8d11";
    private static final PreparedDevice.Handed HANDED = new PreparedDevice.Handed(
            List.of("channel"), "node-1", "channel-0", List.of("vendor/class=device"), Optional.empty());

    @TempDir
    private Path folder;

    @Test
    void isContentWithoutACheckpoint() {
        assertThat(run(Isolation.NONE))
                .singleElement()
                .returns("checkpoint", CheckResult::id)
                .returns(Status.OK, CheckResult::status);
    }

    @Test
    void countsTheClaimsThatAreThere() throws IOException {
        write("checkpoint.json", channel(0));

        assertThat(result("checkpoint", Isolation.NONE).message()).endsWith("holds 1 claims");
        assertThat(result("mode", Isolation.NONE).status()).isEqualTo(Status.OK);
    }

    @Test
    void warnsOfABrokenCheckpointThatHasABackup() throws IOException {
        Files.writeString(folder.resolve("checkpoint.json"), "{\"checksum\":");
        write("checkpoint.json.bak", channel(0));

        assertThat(result("checkpoint", Isolation.NONE).status()).isEqualTo(Status.WARNING);
        assertThat(result("mode", Isolation.NONE).status()).isEqualTo(Status.OK);
    }

    @Test
    void failsWhereNeitherCheckpointNorBackupCanBeRead() throws IOException {
        Files.writeString(folder.resolve("checkpoint.json"), "{\"checksum\":");
        Files.writeString(folder.resolve("checkpoint.json.bak"), "");

        assertThat(result("checkpoint", Isolation.NONE).status()).isEqualTo(Status.FAILURE);
    }

    @Test
    void failsWhereTheSystemDoesNotLetItBeRead() throws IOException {
        Files.createDirectory(folder.resolve("checkpoint.json"));

        assertThat(result("checkpoint", Isolation.NONE).message()).contains("cannot be read");
    }

    @Test
    void failsWhereClaimsArePreparedUnderAnotherMode() throws IOException {
        write("checkpoint.json", channel(7));

        CheckResult result = result("mode", Isolation.NONE);

        assertThat(result.status()).isEqualTo(Status.FAILURE);
        assertThat(result.message()).contains("IMEXChannel").contains("isolation None");
    }

    @Test
    void failsWhereDaemonsOfTheDriverManagedModeArePrepared() throws IOException {
        write("checkpoint.json", new PreparedDevice.Daemon(HANDED));

        assertThat(result("mode", Isolation.NONE).message()).contains("driver-managed");
    }

    @Test
    void believesTheRecordedModeMoreThanTheClaims() throws IOException {
        write("checkpoint.json", channel(0));
        new ModeFile(folder).write(ServingMode.DRIVER_MANAGED);

        assertThat(result("mode", Isolation.NONE).status()).isEqualTo(Status.FAILURE);
    }

    @Test
    void letsTheModeChangeWhereNoClaimIsPrepared() throws IOException {
        Files.write(folder.resolve("checkpoint.json"), CheckpointCodec.encode(Ledger.empty(Optional.empty())));
        new ModeFile(folder).write(ServingMode.DRIVER_MANAGED);

        assertThat(result("mode", Isolation.NONE).status()).isEqualTo(Status.OK);
    }

    @Test
    void warnsOfAModeThatCannotBeUnderstood() throws IOException {
        write("checkpoint.json", channel(0));
        Files.writeString(folder.resolve("mode.json"), "{}");

        assertThat(result("mode", Isolation.NONE).status()).isEqualTo(Status.WARNING);
    }

    private static PreparedDevice channel(int number) {
        return new PreparedDevice.Channel(new ChannelId(number), HANDED);
    }

    private void write(String name, PreparedDevice device) throws IOException {
        var group = new PreparedGroup(List.of(device), "channel", "domain");
        var entry = new ClaimEntry.Completed(
                ClaimUid.parse(UID).orElseThrow(),
                Optional.empty(),
                new ClaimStatus(Optional.empty(), List.of(), List.of()),
                List.of(group));
        Files.write(
                folder.resolve(name),
                CheckpointCodec.encode(Ledger.empty(Optional.empty()).with(entry)));
    }

    private CheckResult result(String id, Isolation isolation) {
        return run(isolation).stream()
                .filter(result -> result.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private List<CheckResult> run(Isolation isolation) {
        return new CheckpointChecks(folder.resolve("checkpoint.json"), new ModeFile(folder), Optional.of(isolation))
                .run();
    }
}
