package io.imexagent.nvml.jna;

import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** {@code nvmlPlatformInfo_v2_t}, as {@code nvmlDeviceGetPlatformInfo} fills it. */
final class PlatformInfoStruct {
    static final Field VERSION = new Field("version", 0, 4);
    static final Field IB_GUID = new Field("ibGuid", 4, 16);
    static final Field CHASSIS_SERIAL_NUMBER = new Field("chassisSerialNumber", 20, 16);
    static final Field SLOT_NUMBER = new Field("slotNumber", 36, 1);
    static final Field TRAY_INDEX = new Field("trayIndex", 37, 1);
    static final Field HOST_ID = new Field("hostId", 38, 1);
    static final Field PEER_TYPE = new Field("peerType", 39, 1);
    static final Field MODULE_ID = new Field("moduleId", 40, 1);
    static final StructLayout LAYOUT = new StructLayout(
            "nvmlPlatformInfo_v2_t",
            44,
            List.of(VERSION, IB_GUID, CHASSIS_SERIAL_NUMBER, SLOT_NUMBER, TRAY_INDEX, HOST_ID, PEER_TYPE, MODULE_ID));

    private PlatformInfoStruct() {}

    static StructBytes request() {
        return StructBytes.zero(LAYOUT).putInt(VERSION, LAYOUT.versioned(2));
    }

    static PlatformInfo decode(byte[] bytes) {
        StructBytes struct = StructBytes.of(LAYOUT, bytes);
        return new PlatformInfo(
                unlessZero(struct.bytes(IB_GUID)).map(HexFormat.of()::formatHex),
                unlessZero(struct.bytes(CHASSIS_SERIAL_NUMBER)).map(PlatformInfoStruct::serialNumber),
                struct.unsignedByte(SLOT_NUMBER),
                struct.unsignedByte(TRAY_INDEX),
                struct.unsignedByte(HOST_ID),
                struct.unsignedByte(PEER_TYPE),
                struct.unsignedByte(MODULE_ID));
    }

    private static Optional<byte[]> unlessZero(byte[] bytes) {
        for (byte single : bytes) {
            if (single != 0) {
                return Optional.of(bytes);
            }
        }
        return Optional.empty();
    }

    private static String serialNumber(byte[] bytes) {
        String text = StructBytes.text(bytes);
        boolean readable = !text.isEmpty() && text.chars().allMatch(each -> each > ' ' && each < 0x7f);
        return readable ? text : HexFormat.of().formatHex(bytes);
    }
}
