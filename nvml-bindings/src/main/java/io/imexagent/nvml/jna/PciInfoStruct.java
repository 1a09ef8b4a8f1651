package io.imexagent.nvml.jna;

import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.HexFormat;
import java.util.List;

/** {@code nvmlPciInfo_t}, as {@code nvmlDeviceGetPciInfo_v3} fills it. */
final class PciInfoStruct {
    static final Field BUS_ID_LEGACY = new Field("busIdLegacy", 0, 16);
    static final Field DOMAIN = new Field("domain", 16, 4);
    static final Field BUS = new Field("bus", 20, 4);
    static final Field DEVICE = new Field("device", 24, 4);
    static final Field PCI_DEVICE_ID = new Field("pciDeviceId", 28, 4);
    static final Field PCI_SUB_SYSTEM_ID = new Field("pciSubSystemId", 32, 4);
    static final Field BUS_ID = new Field("busId", 36, 32);
    static final StructLayout LAYOUT = new StructLayout(
            "nvmlPciInfo_t", 68, List.of(BUS_ID_LEGACY, DOMAIN, BUS, DEVICE, PCI_DEVICE_ID, PCI_SUB_SYSTEM_ID, BUS_ID));

    private PciInfoStruct() {}

    /** Returns the address as the kernel writes it, of the function 0. */
    static String address(byte[] struct) {
        HexFormat hex = HexFormat.of();
        String domain = hex.toHexDigits(DOMAIN.unsignedInt(struct), 8);
        return (domain.startsWith("0000") ? domain.substring(4) : domain)
                + ":" + hex.toHexDigits(BUS.unsignedInt(struct), 2)
                + ":" + hex.toHexDigits(DEVICE.unsignedInt(struct), 2) + ".0";
    }
}
