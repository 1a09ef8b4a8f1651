package io.imexagent.nvml;

import java.util.Optional;

/**
 * The place of a GPU in its rack ({@code nvmlPlatformInfo_v2_t}, Blackwell and later).
 *
 * @param infinibandGuid the GUID of the GPU in the fabric as 32 lower-case hexadecimal digits; empty when all zero
 * @param chassisSerialNumber the serial number of the chassis, at most 16 printable ASCII characters, or 32
 *     lower-case hexadecimal digits where the bytes are no such text; empty when all zero
 * @param slotNumber the slot in the chassis, switches counted, 0 to 255
 * @param trayIndex the compute tray in the chassis, switches not counted, 0 to 255
 * @param hostId the node in the slot, 0 to 255
 * @param peerType how the NVLink peers are connected, a number of the platform, 0 to 255
 * @param moduleId the GPU in the node, 0 to 255
 */
public record PlatformInfo(
        Optional<String> infinibandGuid,
        Optional<String> chassisSerialNumber,
        int slotNumber,
        int trayIndex,
        int hostId,
        int peerType,
        int moduleId) {}
