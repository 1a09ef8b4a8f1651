package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointFormatTest {

    static Stream<String> goldenNames() {
        return LedgerSpecimens.ledgers().keySet().stream();
    }

    @ParameterizedTest
    @MethodSource("goldenNames")
    void writesTheGoldenFileByteForByte(String name) throws IOException {
        assertThat(text(CheckpointFormat.PUBLIC_DRIVER.encode(LedgerSpecimens.ledger(name), new EntryTexts())))
                .isEqualTo(text(LedgerSpecimens.golden(name)));
    }

    @ParameterizedTest
    @MethodSource("goldenNames")
    void readsTheGoldenFile(String name) throws IOException {
        assertThat(intact(LedgerSpecimens.golden(name))).isEqualTo(LedgerSpecimens.ledger(name));
    }

    @ParameterizedTest
    @ValueSource(strings = {"data", "parameters", "opaque", "devices"})
    void aClaimMayBeCalledAsAField(String uid) {
        var status = new ClaimStatus(Optional.empty(), List.of(), List.of());
        Ledger ledger = Ledger.empty(Optional.of(new BootId("boot")))
                .with(new ClaimEntry.Started(new ClaimUid(uid), Optional.empty(), status));

        assertThat(intact(CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts())))
                .isEqualTo(ledger);
    }

    @Test
    void bringsTheCapturedCheckpointBackByteForByteThroughTheDomain() throws IOException {
        byte[] captured = LedgerSpecimens.resource("captured-checkpoint.json");

        Ledger ledger = intact(captured);

        assertThat(ledger.completed()).hasSize(1);
        assertThat(ledger.bootId()).hasToString("Optional[f87f843e-96a2-4457-b9f7-a77c468fcaff]");
        ClaimEntry.Completed entry = ledger.completed().getFirst();
        assertThat(entry.name()).hasToString("Optional[default/imex-channel-injection-imex-channel-0-j8kfx]");
        assertThat(entry.devices())
                .singleElement()
                .isInstanceOfSatisfying(
                        PreparedDevice.Channel.class,
                        channel -> assertThat(channel.returned().cdiDeviceIds())
                                .containsExactly(
                                        "k8s.compute-domain.nvidia.com/claim=7f3c0156-3566-44cf-a6f8-8acd6bcbbf17"
                                                + "-channel-0"));
        assertThat(text(CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts())))
                .isEqualTo(text(captured));
    }

    /** Recorded from a public driver 0.5 in host-managed mode at a kubelet 1.36.2. */
    @ParameterizedTest
    @ValueSource(strings = {"completed", "without-clique", "started", "aborted"})
    void bringsWhatThePublicDriverRecordedBackByteForByte(String name) throws IOException {
        byte[] recorded = LedgerSpecimens.resource("public-driver-0.5/" + name + ".json");

        assertThat(text(CheckpointFormat.PUBLIC_DRIVER.encode(intact(recorded), new EntryTexts())))
                .isEqualTo(text(recorded));
    }

    @Test
    void readsAClaimThatThePublicDriverPreparedWithoutACdiDevice() throws IOException {
        assertThat(intact(LedgerSpecimens.resource("public-driver-0.5/without-clique.json"))
                        .completed()
                        .getFirst()
                        .devices())
                .singleElement()
                .isInstanceOf(PreparedDevice.Channel.class)
                .returns(false, PreparedDevice::reachesContainers);
    }

    @Test
    void adoptsACheckpointFromBeforeV2AsCompletedClaimsWithoutNames() throws IOException {
        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(LedgerSpecimens.resource("v1-only.json"));

        assertThat(decoded).isInstanceOfSatisfying(CheckpointFormat.Decoded.IntactCheckpoint.class, intact -> {
            assertThat(intact.beforeV2()).isTrue();
            assertThat(intact.ledger()).isEqualTo(LedgerSpecimens.ledger("completed-without-name"));
        });
    }

    @Test
    void skipsFieldsOfANewerDriver() throws IOException {
        Ledger ledger = intact(LedgerSpecimens.resource("unknown-fields.json"));

        assertThat(ledger.entry(LedgerSpecimens.A1)).get().isInstanceOf(ClaimEntry.Started.class);
    }

    @Test
    void readsADaemonOfADriverManagedNode() throws IOException {
        assertThat(intact(LedgerSpecimens.golden("daemon"))
                        .completed()
                        .getFirst()
                        .devices())
                .singleElement()
                .isInstanceOf(PreparedDevice.Daemon.class);
    }

    @Test
    void cutsTimesToSeconds() {
        var at = Instant.parse("2026-11-21T05:46:49.987654321Z");
        var entry = new ClaimEntry.Aborted(LedgerSpecimens.A1, Optional.empty(), LedgerSpecimens.everyField(), at);

        Ledger ledger = intact(CheckpointFormat.PUBLIC_DRIVER.encode(
                Ledger.empty(Optional.empty()).with(entry), new EntryTexts()));

        assertThat(ledger.entry(LedgerSpecimens.A1))
                .contains(new ClaimEntry.Aborted(
                        LedgerSpecimens.A1, Optional.empty(), LedgerSpecimens.everyField(), LedgerSpecimens.TIME));
    }

    @Test
    void repeatsCompletedClaimsAloneInV1() {
        String document = text(CheckpointFormat.PUBLIC_DRIVER.encode(LedgerSpecimens.twoClaims(), new EntryTexts()));
        String v1 = document.substring(document.indexOf("\"v1\":"), document.indexOf(",\"v2\":"));

        assertThat(v1).contains("\"a1\"", "\"b2\"").doesNotContain("\"c3\"", "\"name\":\"one\"");
    }

    @Test
    void isBrokenWhereASingleByteOfTheCapturedFileIsBent() throws IOException {
        byte[] captured = LedgerSpecimens.resource("captured-checkpoint.json");
        for (int at = 0; at < captured.length; at++) {
            for (int bit = 0; bit < 8; bit++) {
                byte[] bent = captured.clone();
                bent[at] ^= (byte) (1 << bit);
                assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(bent))
                        .as("bit %d of byte %d", bit, at)
                        .isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
            }
        }
    }

    @Test
    void isBrokenWhereAnyByteBecomesWhiteSpaceOrAnotherDigit() throws IOException {
        byte[] captured = LedgerSpecimens.resource("captured-checkpoint.json");
        for (int at = 0; at < captured.length; at++) {
            for (byte other : " \n0123456789\"{}[],:".getBytes(UTF_8)) {
                byte[] bent = captured.clone();
                bent[at] = other;
                assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(bent))
                        .as("byte %d becomes %d", at, other)
                        .isInstanceOf(
                                other == captured[at]
                                        ? CheckpointFormat.Decoded.IntactCheckpoint.class
                                        : CheckpointFormat.Decoded.BrokenCheckpoint.class);
            }
        }
    }

    @Test
    void isBrokenAtEveryLengthThatIsTooShort() throws IOException {
        byte[] captured = LedgerSpecimens.resource("captured-checkpoint.json");
        for (int length = 0; length < captured.length; length++) {
            assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(Arrays.copyOf(captured, length)))
                    .as("length %d", length)
                    .isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
        }
    }

    @Test
    void isBrokenWhereSomethingFollows() throws IOException {
        byte[] captured = LedgerSpecimens.resource("captured-checkpoint.json");

        assertThat(reason(text(captured) + "{}")).contains("nothing may follow");
        assertThat(reason(text(captured) + "\n")).contains("checksum");
        assertThat(reason(text(captured) + "\0")).isNotBlank();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    {}                                                 | it has no checksum
                    []                                                 | must be an object
                    null                                               | must be an object
                    {"checksum":1}                                     | neither a v1 nor a v2 part
                    {"checksum":1,"v1":{},"v3":{}}                     | v3: no part of a checkpoint has that name
                    {"checksum":1,"checksum":1,"v1":{}}                | checksum: stands there twice
                    {"checksum":1,"v1":{},"v1":{}}                     | v1: stands there twice
                    {"v2":{"checksum":1},"checksum":1,"v1":{}}         | in compact form
                    {"checksum":1,"v1":{},"v2":{}}                     | v2: it has no checksum
                    {"checksum":1,"v1":{}, "v2":{"checksum":1}}        | in compact form
                    {"checksum":-1,"v1":{}}                            | checksum: must be a whole number from 0 to 4294967295
                    {"checksum":4294967296,"v1":{}}                    | checksum: must be a whole number
                    {"checksum":99999999999999999999,"v1":{}}          | checksum: must be a whole number
                    {"checksum":1.0,"v1":{}}                           | checksum: must be a whole number
                    {"checksum":"1","v1":{}}                           | checksum: must be a whole number
                    {"checksum":1,"v1":{}}                             | the outer checksum is 1, but its content has
                    {"checksum":1,"v1":{},"v2":{"checksum":1}}         | the checksum of v2 is 1, but its content has
                    """)
    void saysWhatIsWrongWithAForeignFile(String document, String reason) {
        assertThat(reason(document)).contains(reason);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    {"a/b":{"checkpointState":"PrepareStarted","status":{}}} | v2.preparedClaims.a/b: that is no claim's UID
                    {"a":{"checkpointState":"Other","status":{}}}            | v2.preparedClaims.a.checkpointState: "Other" must be PrepareStarted
                    {"a":{"status":{}}}                                      | v2.preparedClaims.a: field "checkpointState" is missing
                    {"a":{"checkpointState":"PrepareStarted","status":[]}}   | v2.preparedClaims.a.status: must be an object
                    {"a":{"checkpointState":"PrepareStarted"},"a":{"checkpointState":"PrepareStarted"}} | v2.preparedClaims.a: stands there twice
                    {"a":{"checkpointState":"PrepareStarted","name":"N","namespace":"ns"}} | v2.preparedClaims.a: "ns"/"N" is no name of a claim
                    {"a":{"checkpointState":"PrepareAborted","abortedAt":"soon"}} | v2.preparedClaims.a.abortedAt: "soon" is no time
                    {"a":{"checkpointState":"PrepareCompleted","preparedDevices":[{"devices":[{"channel":null,"daemon":null}]}]}} | preparedDevices[0].devices[0]: must hold either a channel or a daemon
                    {"a":{"checkpointState":"PrepareCompleted","preparedDevices":[{"devices":[{"channel":{"info":{"id":-1}}}]}]}} | preparedDevices[0].devices[0].channel.info.id: must be a whole number
                    """)
    void saysWhereAWellSummedFileIsNotUnderstood(String claims, String reason) {
        assertThat(reason(LedgerSpecimens.summed(claims))).contains(reason);
    }

    @Test
    void countsAnAbortedClaimOfUnknownTimeAsLongOver() {
        Ledger ledger = intact(LedgerSpecimens.summed("{\"a\":{\"checkpointState\":\"PrepareAborted\",\"status\":{}}}")
                .getBytes(UTF_8));

        assertThat(ledger.entry(new ClaimUid("a")))
                .get()
                .isInstanceOfSatisfying(
                        ClaimEntry.Aborted.class,
                        aborted -> assertThat(aborted.at()).isEqualTo(Instant.EPOCH));
    }

    @Test
    void readsNullWhereGoWritesItForAnEmptyList() {
        Ledger ledger = intact(LedgerSpecimens.summed(
                        "{\"a\":{\"checkpointState\":\"PrepareCompleted\",\"status\":{},\"preparedDevices\":[{\"devices\":"
                                + "null,\"configState\":{\"Type\":\"\",\"ComputeDomain\":\"\"}}],\"abortedAt\":null}}")
                .getBytes(UTF_8));

        assertThat(ledger.completed().getFirst().groups()).hasSize(1);
    }

    private static String reason(String document) {
        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(document.getBytes(UTF_8));
        assertThat(decoded).isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
        return ((CheckpointFormat.Decoded.BrokenCheckpoint) decoded).reason();
    }

    private static Ledger intact(byte[] document) {
        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(document);
        assertThat(decoded).isInstanceOf(CheckpointFormat.Decoded.IntactCheckpoint.class);
        return ((CheckpointFormat.Decoded.IntactCheckpoint) decoded).ledger();
    }

    private static String text(byte[] document) {
        return new String(document, UTF_8);
    }
}
