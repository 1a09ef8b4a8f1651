package io.imexagent.nvml.jna;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.imexagent.nvml.ClusterUuid;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealthSummary;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.FabricState;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class StructDecodingTest {
    @Property
    void anyBytesOfTheRightNumberAreFabricInfo(@ForAll FabricInfoVersion version, @ForAll @Size(40) byte[] bytes) {
        int size = FabricInfoStruct.layout(version).bytes();
        byte[] answer = Arrays.copyOf(bytes, size);
        ByteBuffer expected = ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder());
        int start = version == FabricInfoVersion.V1 ? 0 : 4;

        FabricInfo info = FabricInfoStruct.decode(version, answer);

        assertThat(info.answeredBy()).isEqualTo(version);
        assertThat(info.clusterUuid().toBytes()).isEqualTo(Arrays.copyOfRange(answer, start, start + 16));
        assertThat(info.status().number()).isEqualTo(expected.getInt(start + 16));
        assertThat(info.cliqueId()).isEqualTo(Integer.toUnsignedLong(expected.getInt(start + 20)));
        assertThat(info.state().number()).isEqualTo(answer[start + 24] & 0xff);
        assertThat(info.health().map(FabricHealth::mask))
                .isEqualTo(version == FabricInfoVersion.V1 ? Optional.empty() : Optional.of(expected.getInt(32)));
        assertThat(info.healthSummary().map(FabricHealthSummary::number))
                .isEqualTo(version == FabricInfoVersion.V3 ? Optional.of(answer[36] & 0xff) : Optional.empty());
        assertThat(info).asString().isNotBlank();
    }

    @Property
    void anyOtherNumberOfBytesIsRefused(@ForAll FabricInfoVersion version, @ForAll @Size(max = 64) byte[] bytes) {
        StructLayout layout = FabricInfoStruct.layout(version);
        if (bytes.length == layout.bytes()) {
            assertThat(FabricInfoStruct.decode(version, bytes).answeredBy()).isEqualTo(version);
        } else {
            assertThatThrownBy(() -> FabricInfoStruct.decode(version, bytes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(layout.name() + " has " + layout.bytes() + " bytes, not " + bytes.length);
        }
    }

    @Property
    void anyBytesArePciInfo(@ForAll @Size(68) byte[] bytes) {
        ByteBuffer expected = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());

        PciInfo info = PciInfoStruct.decode(bytes);

        assertThat((info.deviceId() << 16) | info.vendorId()).isEqualTo(expected.getInt(28));
        assertThat(info.domain()).isEqualTo(Integer.toUnsignedLong(expected.getInt(16)));
        assertThat(info.busId()).doesNotContain("\0");
        assertThat(info.address()).matches("([0-9a-f]{4}|[0-9a-f]{8}):[0-9a-f]{2}:[0-9a-f]{2}\\.0");
    }

    @Property
    void anyBytesArePlatformInfo(@ForAll @Size(44) byte[] bytes) {
        PlatformInfo info = PlatformInfoStruct.decode(bytes);

        assertThat(info.slotNumber()).isEqualTo(bytes[36] & 0xff);
        assertThat(info.moduleId()).isEqualTo(bytes[40] & 0xff);
        info.infinibandGuid().ifPresent(guid -> assertThat(guid).matches("[0-9a-f]{32}"));
        info.chassisSerialNumber().ifPresent(serial -> assertThat(serial).matches("[!-~]{1,32}"));
    }

    @Test
    void aSerialNumberIsTextWhereItCanBe() {
        byte[] bytes = new byte[44];
        assertThat(PlatformInfoStruct.decode(bytes).chassisSerialNumber()).isEmpty();
        assertThat(PlatformInfoStruct.decode(bytes).infinibandGuid()).isEmpty();

        System.arraycopy("1820000000001".getBytes(StandardCharsets.US_ASCII), 0, bytes, 20, 13);
        assertThat(PlatformInfoStruct.decode(bytes).chassisSerialNumber()).contains("1820000000001");

        bytes[20] = (byte) 0xfe;
        assertThat(PlatformInfoStruct.decode(bytes).chassisSerialNumber()).contains("fe383230303030303030303031000000");
    }

    @Test
    void aTextWithoutEndIsAllOfItsBytes() {
        byte[] bytes = new byte[68];
        Arrays.fill(bytes, 36, 68, (byte) 'A');

        assertThat(PciInfoStruct.decode(bytes).busId()).isEqualTo("A".repeat(32));
    }

    @Test
    void aDomainOfMoreThanSixteenBitsKeepsAllOfThem() {
        byte[] bytes = new byte[68];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.nativeOrder())
                .putInt(16, 0x1_0008)
                .putInt(20, 0xc6);

        assertThat(PciInfoStruct.decode(bytes).address()).isEqualTo("00010008:c6:00.0");
    }

    @Test
    void aRequestCarriesItsVersionAndIsZeroElsewhere() {
        byte[] request = FabricInfoStruct.request(FabricInfoVersion.V3).array();
        assertThat(ByteBuffer.wrap(request).order(ByteOrder.nativeOrder()).getInt())
                .isEqualTo(0x03000028);
        assertThat(Arrays.copyOfRange(request, 4, 40)).containsOnly(0);
        assertThat(FabricInfoStruct.request(FabricInfoVersion.V1).array())
                .hasSize(28)
                .containsOnly(0);
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

        assertThat(FabricInfoStruct.decode(FabricInfoVersion.V3, bytes))
                .isEqualTo(new FabricInfo(
                        FabricState.Known.COMPLETED,
                        NvmlReturn.Known.SUCCESS,
                        new ClusterUuid(0, 1),
                        7,
                        Optional.of(new FabricHealth(0x11AA)),
                        Optional.of(FabricHealthSummary.Known.HEALTHY),
                        FabricInfoVersion.V3));
    }

    private static OptionalLong fieldValue(int type, long value) {
        byte[] bytes = new byte[40];
        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putInt(24, type).putLong(32, value);
        return FieldValueStruct.wholeNumber(StructBytes.of(FieldValueStruct.LAYOUT, bytes));
    }
}
