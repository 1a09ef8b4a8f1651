package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.Allocation;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.DeviceConfig;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

class CheckpointPropertiesTest {

    @Property
    void everyLedgerComesBackAsItWasSaved(@ForAll("ledgers") Ledger ledger) {
        byte[] document = CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts());

        assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(document))
                .isEqualTo(new CheckpointFormat.Decoded.IntactCheckpoint(ledger, false));
        assertThat(CheckpointFormat.PUBLIC_DRIVER.encode(ledger, new EntryTexts()))
                .isEqualTo(document);
    }

    @Property
    void theDecoderThrowsNothingOnArbitraryBytes(@ForAll @Size(max = 300) byte[] bytes) {
        assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(bytes))
                .isInstanceOf(CheckpointFormat.Decoded.BrokenCheckpoint.class);
    }

    @Property
    void theDecoderThrowsNothingOnABentCheckpoint(@ForAll("golden") String name, @ForAll("bends") List<Bend> bends)
            throws IOException {
        byte[] golden = LedgerSpecimens.golden(name);
        byte[] bent = Bend.all(golden, bends);

        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(bent);

        if (decoded instanceof CheckpointFormat.Decoded.IntactCheckpoint) {
            assertThat(decoded).isEqualTo(CheckpointFormat.PUBLIC_DRIVER.decode(golden));
        }
    }

    @Property
    void theDecoderThrowsNothingOnBentClaimsWithRightChecksums(
            @ForAll("golden") String name, @ForAll("bends") List<Bend> bends) throws IOException {
        String golden = new String(LedgerSpecimens.golden(name), UTF_8);
        int from = golden.lastIndexOf("\"preparedClaims\":");
        String claims = from < 0 ? "{}" : golden.substring(from + 17, golden.lastIndexOf('}') - 1);
        String bent = new String(Bend.all(claims.getBytes(UTF_8), bends), UTF_8);

        var decoded = CheckpointFormat.PUBLIC_DRIVER.decode(
                LedgerSpecimens.summed(bent).getBytes(UTF_8));

        switch (decoded) {
            case CheckpointFormat.Decoded.BrokenCheckpoint broken ->
                assertThat(broken.reason()).isNotBlank();
            case CheckpointFormat.Decoded.IntactCheckpoint intact ->
                assertThat(CheckpointFormat.PUBLIC_DRIVER.decode(
                                CheckpointFormat.PUBLIC_DRIVER.encode(intact.ledger(), new EntryTexts())))
                        .isEqualTo(decoded);
        }
    }

    @Property
    void theStatusReaderThrowsNothingUnforeseen(@ForAll("bends") List<Bend> bends) {
        byte[] json = LedgerSpecimens.json(LedgerSpecimens.everyField()).getBytes(UTF_8);
        try {
            ClaimStatus status = ClaimStatusJson.status(JsonValue.read(Bend.all(json, bends), "status"));
            assertThat(ClaimStatusJson.read(LedgerSpecimens.json(status))).isEqualTo(status);
        } catch (MalformedJsonException e) {
            assertThat(e.reason()).startsWith("status");
        }
    }

    @Provide
    Arbitrary<String> golden() {
        return Arbitraries.of(LedgerSpecimens.ledgers().keySet());
    }

    @Provide
    Arbitrary<List<Bend>> bends() {
        Arbitrary<Byte> bytes = Arbitraries.oneOf(
                Arbitraries.bytes(),
                Arbitraries.of("{}[],:\"\\0123456789 nulltrue"
                        .chars()
                        .mapToObj(c -> (byte) c)
                        .toList()));
        return Combinators.combine(Arbitraries.integers().between(0, 1 << 20), bytes)
                .as(Bend::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(5);
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
                .withChars('-')
                .ofMinLength(1)
                .ofMaxLength(40)
                .filter(text -> !text.startsWith("-"))
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
                        group().list().ofMaxSize(2),
                        times,
                        Arbitraries.integers().between(0, 2))
                .as((uid, name, status, groups, time, state) -> switch (state) {
                    case 0 -> new ClaimEntry.Started(uid, name, status);
                    case 1 -> new ClaimEntry.Completed(uid, name, status, groups);
                    default -> new ClaimEntry.Aborted(uid, name, status, time);
                });
    }

    private static Arbitrary<PreparedGroup> group() {
        Arbitrary<PreparedDevice.ReturnedDevice> handed = Combinators.combine(
                        texts().list().ofMaxSize(2),
                        texts(),
                        texts(),
                        texts().list().ofMaxSize(2),
                        texts().optional())
                .as(PreparedDevice.ReturnedDevice::new);
        Arbitrary<PreparedDevice> devices = Arbitraries.oneOf(
                Combinators.combine(Arbitraries.integers().between(0, ChannelId.LARGEST), handed)
                        .as((id, device) -> new PreparedDevice.Channel(new ChannelId(id), device)),
                handed.map(PreparedDevice.Daemon::new));
        return Combinators.combine(devices.list().ofMaxSize(2), texts(), texts())
                .as(PreparedGroup::new);
    }

    private static Arbitrary<ClaimStatus> status() {
        Arbitrary<JsonText> values = texts().map(text -> new JsonText("{\"k\":" + quoted(text) + ",\"n\":1.0e+2}"));
        Arbitrary<DeviceConfig> configs = Combinators.combine(
                        Arbitraries.of(DeviceConfig.Source.class),
                        texts().list().ofMaxSize(2),
                        values.optional())
                .as((source, requests, value) ->
                        new DeviceConfig(source, requests, value.map(json -> new DeviceConfig.Opaque("d", json))));
        Arbitrary<Allocation> allocations = Combinators.combine(
                        texts(), configs.list().ofMaxSize(2))
                .as((text, config) -> new Allocation(
                        List.of(LedgerSpecimens.allocated(text, "d", text, "v")),
                        config,
                        Optional.empty(),
                        Optional.empty()));
        return Combinators.combine(allocations.optional(), texts().list().ofMaxSize(2))
                .as((allocation, users) -> new ClaimStatus(
                        allocation,
                        users.stream()
                                .map(user -> new ClaimStatus.ConsumerReference("", "pods", user, user))
                                .toList(),
                        List.of()));
    }

    private static String quoted(String text) {
        return new String(new GoJson().text(text).toBytes(), UTF_8);
    }

    private static Arbitrary<String> texts() {
        return Arbitraries.oneOf(
                Arbitraries.of(
                        "", "a", "<&>", "\u2028\u2029", "\"\\/", "\0\b\f\n\r\t\u001f", "é€\uD83D\uDE00", "\uFFFD"),
                Arbitraries.strings()
                        .all()
                        .ofMaxLength(12)
                        .filter(text -> text.chars().noneMatch(c -> Character.isSurrogate((char) c))));
    }

    record Bend(int at, byte to) {

        static byte[] all(byte[] content, List<Bend> bends) {
            byte[] bent = content.clone();
            for (Bend bend : bends) {
                bent[bend.at % bent.length] = bend.to;
            }
            return bent;
        }
    }
}
