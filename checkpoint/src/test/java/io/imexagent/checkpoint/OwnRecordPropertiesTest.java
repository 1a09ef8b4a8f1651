package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** {@code rails.state} under arbitrary claims and arbitrary damage. */
class OwnRecordPropertiesTest {

    private static final CheckpointFormat FORMAT = CheckpointFormat.own("rails.state", "imex-agent-rails");

    @Property
    void everyLedgerComesBackAsItWasSaved(@ForAll("ledgers") Ledger ledger) {
        byte[] file = FORMAT.encode(ledger, new EntryTexts());

        assertThat(FORMAT.decode(file)).isEqualTo(new CheckpointFormat.Decoded.IntactCheckpoint(ledger, false));
        assertThat(FORMAT.encode(ledger, new EntryTexts())).isEqualTo(file);
    }

    @Property
    void theDecoderThrowsNothingOnArbitraryBytes(@ForAll @Size(max = 300) byte[] bytes) {
        assertThat(FORMAT.decode(bytes)).isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
    }

    @Property
    void noDamageIsBelieved(
            @ForAll("ledgers") Ledger ledger, @ForAll("bends") List<CheckpointPropertiesTest.Bend> bends) {
        byte[] file = FORMAT.encode(ledger, new EntryTexts());
        byte[] bent = CheckpointPropertiesTest.Bend.all(file, bends);

        var decoded = FORMAT.decode(bent);

        if (decoded instanceof CheckpointFormat.Decoded.IntactCheckpoint) {
            assertThat(bent).as("only what is as it was").isEqualTo(file);
        }
    }

    /** A wrong content under a right checksum, as another program could write it. */
    @Property
    void theDecoderThrowsNothingOnBentClaimsWithARightChecksum(
            @ForAll("ledgers") Ledger ledger, @ForAll("bends") List<CheckpointPropertiesTest.Bend> bends) {
        String file = new String(FORMAT.encode(ledger, new EntryTexts()), UTF_8);
        byte[] claims = file.substring(file.indexOf('\n') + 1).getBytes(UTF_8);

        var decoded = FORMAT.decode(summed(CheckpointPropertiesTest.Bend.all(claims, bends)));

        switch (decoded) {
            case CheckpointFormat.Decoded.BrokenCheckpoint broken ->
                assertThat(broken.reason()).isNotBlank();
            case CheckpointFormat.Decoded.IntactCheckpoint intact ->
                assertThat(FORMAT.decode(FORMAT.encode(intact.ledger(), new EntryTexts())))
                        .isEqualTo(decoded);
        }
    }

    @Provide
    Arbitrary<List<CheckpointPropertiesTest.Bend>> bends() {
        return new CheckpointPropertiesTest().bends();
    }

    @Provide
    Arbitrary<Ledger> ledgers() {
        Arbitrary<Optional<BootId>> boots =
                texts().filter(text -> !text.isBlank()).map(BootId::new).optional();
        return Combinators.combine(entry().list().ofMaxSize(4), boots).as((entries, boot) -> {
            Ledger ledger = Ledger.empty(boot);
            for (ClaimEntry entry : entries) {
                ledger = ledger.with(entry);
            }
            return ledger;
        });
    }

    private static Arbitrary<ClaimEntry> entry() {
        Arbitrary<ClaimUid> uids = Arbitraries.strings()
                .withCharRange('a', 'f')
                .withCharRange('0', '9')
                .ofMinLength(1)
                .ofMaxLength(40)
                .map(ClaimUid::new);
        Arbitrary<Optional<ClaimName>> names = Arbitraries.of("a", "a-b.c", "x1")
                .map(name -> new ClaimName("ns", name))
                .optional();
        Arbitrary<Instant> times =
                Arbitraries.longs().between(0, 253_402_300_799L).map(Instant::ofEpochSecond);
        return Combinators.combine(
                        uids,
                        names,
                        status(),
                        rail().list().ofMaxSize(3),
                        times,
                        Arbitraries.integers().between(0, 2))
                .as((uid, name, status, rails, time, state) -> switch (state) {
                    case 0 -> new ClaimEntry.Started(uid, name, status);
                    case 1 -> new ClaimEntry.Completed(uid, name, status, List.of(PreparedGroup.plain(rails)));
                    default -> new ClaimEntry.Aborted(uid, name, status, time);
                });
    }

    private static Arbitrary<PreparedDevice> rail() {
        return Combinators.combine(
                        texts().list().ofMaxSize(2),
                        texts(),
                        texts(),
                        texts().list().ofMaxSize(2),
                        texts().optional())
                .as((requests, pool, device, cdi, share) -> new PreparedDevice.Plain(
                        new PreparedDevice.ReturnedDevice(requests, pool, device, cdi, share)));
    }

    private static Arbitrary<ClaimStatus> status() {
        Arbitrary<Allocation> allocations = texts().map(text -> new Allocation(
                List.of(LedgerSpecimens.allocated(text, "rdma.imexagent.io", text, "rail-0000-03-00-0")),
                List.of(),
                Optional.empty(),
                Optional.empty()));
        return allocations.optional().map(allocation -> new ClaimStatus(allocation, List.of(), List.of()));
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.oneOf(
                Arbitraries.of("", "a", "<&>", "\u2028\u2029", "\"\\/", "\0\b\f\n\r\t\u001f", "é€\uD83D\uDE00"),
                Arbitraries.strings()
                        .all()
                        .ofMaxLength(12)
                        .filter(text -> text.chars().noneMatch(c -> Character.isSurrogate((char) c))));
    }

    private static byte[] summed(byte[] content) {
        try {
            String sum = HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(content));
            byte[] line = ("imex-agent-rails 1 " + sum + "\n").getBytes(US_ASCII);
            byte[] file = new byte[line.length + content.length];
            System.arraycopy(line, 0, file, 0, line.length);
            System.arraycopy(content, 0, file, line.length, content.length);
            return file;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
