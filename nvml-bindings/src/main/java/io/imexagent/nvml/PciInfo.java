package io.imexagent.nvml;

import java.util.HexFormat;

/**
 * Where a GPU is on the PCI bus, and what it is there ({@code nvmlPciInfo_t}).
 *
 * @param domain the PCI domain, 0 to 2³² − 1; Grace hosts have one for each GPU
 * @param bus the bus, unsigned 32 bits in NVML, 0 to 255 on any real machine
 * @param device the device on the bus, 0 to 31 on any real machine
 * @param vendorId the vendor, 0 to 0xffff; 0x10de is NVIDIA
 * @param deviceId the device of the vendor, 0 to 0xffff; 0x2941 is a GB200
 * @param subSystemId subsystem device and vendor as NVML packs them (device in the upper 16 bits), 0 to 2³² − 1
 * @param busId NVML's own text of the address, such as {@code 00000008:06:00.0}
 */
public record PciInfo(long domain, long bus, long device, int vendorId, int deviceId, long subSystemId, String busId) {
    /**
     * Returns the address as the kernel writes it in {@code /sys/bus/pci/devices}, such as {@code 0008:06:00.0}.
     *
     * <p>The function is 0: the GPU is function 0 of its device, others are its audio or USB controllers.
     */
    public String address() {
        HexFormat hex = HexFormat.of();
        String wideDomain = hex.toHexDigits(domain, 8);
        String shortDomain = wideDomain.startsWith("0000") ? wideDomain.substring(4) : wideDomain;
        return shortDomain + ":" + hex.toHexDigits(bus, 2) + ":" + hex.toHexDigits(device, 2) + ".0";
    }
}
