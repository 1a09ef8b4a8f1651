package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.jna.StructLayout.FabricInfoStruct;
import io.imexagent.nvml.jna.StructLayout.FieldValueStruct;
import io.imexagent.nvml.jna.StructLayout.PciInfoStruct;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class StructDecodingTest {
    @Provide
    Arbitrary<FabricInfoStruct> forms() {
        return Arbitraries.of(FabricInfoStruct.NEWEST_FIRST);
    }

    @Property
    void anyBytesOfTheRightNumberAreFabricInfo(@ForAll("forms") FabricInfoStruct form, @ForAll @Size(40) byte[] bytes) {
        byte[] answer = Arrays.copyOf(bytes, form.layout().bytes());
        ByteBuffer expected = ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder());
        boolean first = form.equals(FabricInfoStruct.V1);
        int start = first ? 0 : 4;

        FabricInfo info = form.decode(answer);

        assertThat(info.clusterUuid().toString().replace("-", ""))
                .isEqualTo(HexFormat.of().formatHex(answer, start, start + 16));
        assertThat(info.status().number()).isEqualTo(expected.getInt(start + 16));
        assertThat(info.cliqueId()).isEqualTo(Integer.toUnsignedLong(expected.getInt(start + 20)));
        assertThat(info.state().number()).isEqualTo(answer[start + 24] & 0xff);
        assertThat(info.health().map(FabricHealth::mask))
                .isEqualTo(first ? Optional.empty() : Optional.of(expected.getInt(32)));
        assertThat(info.healthSummary().map(Numbered::number))
                .isEqualTo(form.equals(FabricInfoStruct.V3) ? Optional.of(answer[36] & 0xffL) : Optional.empty());
        assertThat(info).asString().isNotBlank();
    }

    @Property
    void anyBytesAreAPciAddress(@ForAll @Size(68) byte[] bytes) {
        assertThat(pciAddress(bytes)).matches("([0-9a-f]{4}|[0-9a-f]{8}):[0-9a-f]{2}:[0-9a-f]{2}\\.0");
    }

    @Test
    void aLargerStructThanThatOfVersionFourIsDropped() {
        byte[] room = FabricInfoStruct.roomForV4();
        assertThat(room).hasSizeGreaterThanOrEqualTo(4 * FabricInfoStruct.V4.bytes());
        FabricInfoStruct.V4.field("numCliques").with(room, 1);
        assertThat(FabricInfoStruct.v4Within(room)).hasValueSatisfying(struct -> {
            assertThat(struct).hasSize(FabricInfoStruct.V4.bytes());
            assertThat(FabricInfoStruct.cliques(struct)).hasSize(1);
        });

        room[FabricInfoStruct.V4.bytes()] = 0;
        assertThat(FabricInfoStruct.v4Within(room)).isEmpty();
    }

    @Test
    void aDomainOfMoreThanSixteenBitsKeepsAllOfThem() {
        byte[] bytes = new byte[68];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.nativeOrder())
                .putInt(16, 0x1_0008)
                .putInt(20, 0xc6);

        assertThat(pciAddress(bytes)).isEqualTo("00010008:c6:00.0");
    }

    @Test
    void aRequestCarriesItsVersionAndIsZeroElsewhere() {
        byte[] request = FabricInfoStruct.V3.request();
        assertThat(ByteBuffer.wrap(request).order(ByteOrder.nativeOrder()).getInt())
                .isEqualTo(0x03000028);
        assertThat(Arrays.copyOfRange(request, 4, 40)).containsOnly(0);
        assertThat(FabricInfoStruct.V1.request()).hasSize(28).containsOnly(0);
    }

    @Test
    void aFieldValueIsReadInTheTypeThatItCameIn() {
        assertThat(fieldValue(1, 0xffff_ffff_8000_0001L)).hasValue(0x8000_0001L);
        assertThat(fieldValue(2, 5)).hasValue(5);
        assertThat(fieldValue(3, 1L << 40)).hasValue(1L << 40);
        assertThat(fieldValue(4, -7)).hasValue(-7);
        assertThat(fieldValue(5, -7)).hasValue(-7);
        assertThat(fieldValue(0, 5)).isEmpty();
        assertThat(fieldValue(99, 5)).isEmpty();
    }

    @Property
    void anyBytesOfVersion4AreAtMostSixtyFourCliques(@ForAll @Size(548) byte[] bytes) {
        ByteBuffer expected = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        long count = Math.min(64, Integer.toUnsignedLong(expected.getInt(532)));

        List<FabricInfo.Clique> cliques = FabricInfoStruct.cliques(bytes);

        assertThat(cliques).hasSize(Math.toIntExact(count));
        for (int index = 0; index < count; index++) {
            assertThat(cliques.get(index).type().number()).isEqualTo(bytes[20 + 8 * index] & 0xff);
            assertThat(cliques.get(index).id()).isEqualTo(Integer.toUnsignedLong(expected.getInt(24 + 8 * index)));
        }
    }

    @Test
    void decodesAHealthyAnswerOfAPartitionedFabric() {
        byte[] bytes = new byte[40];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.nativeOrder())
                .put(19, (byte) 1)
                .putInt(24, 7)
                .put(28, (byte) 3)
                .putInt(32, 0x11AA)
                .put(36, (byte) 1);

        assertThat(FabricInfoStruct.V3.decode(bytes))
                .isEqualTo(new FabricInfo(
                        Numbered.of(FabricState.COMPLETED),
                        Numbered.of(NvmlReturn.SUCCESS),
                        new UUID(0, 1),
                        7,
                        Optional.of(new FabricHealth(0x11AA)),
                        Optional.of(Numbered.of(HealthSummary.HEALTHY)),
                        List.of()));
    }

    private static String pciAddress(byte[] bytes) {
        return PciInfoStruct.address(bytes);
    }

    private static OptionalLong fieldValue(int type, long value) {
        byte[] bytes = new byte[40];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(24, type).putLong(32, value);
        return FieldValueStruct.wholeNumber(bytes);
    }
}
