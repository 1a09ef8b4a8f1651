package io.imexagent.nvml.jna;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code nvmlGpuFabricInfo_t} and its versioned successors, of which each has the fields of the one before.
 *
 * @param version the number of the versioned struct; 0 for the first, which carries none
 */
record FabricInfoStruct(StructLayout layout, NvmlCall call, int version) {
    /** Of {@code nvmlDeviceGetGpuFabricInfo}; no health. */
    static final FabricInfoStruct V1 =
            new FabricInfoStruct(new StructLayout("nvmlGpuFabricInfo_t", 28, membership(0)), NvmlCall.FABRIC_INFO, 0);

    private static final Field VERSION = new Field("version", 0, 4);
    private static final Field HEALTH_MASK = new Field("healthMask", 32, 4);
    private static final Field HEALTH_SUMMARY = new Field("healthSummary", 36, 1);

    /** Of {@code nvmlDeviceGetGpuFabricInfoV}: adds the health mask. */
    static final FabricInfoStruct V2 = versioned("nvmlGpuFabricInfo_v2_t", 2, 36, HEALTH_MASK);

    static final FabricInfoStruct V3 = versioned("nvmlGpuFabricInfo_v3_t", 3, 40, HEALTH_MASK, HEALTH_SUMMARY);

    static final List<FabricInfoStruct> NEWEST_FIRST = List.of(V3, V2, V1);

    private static FabricInfoStruct versioned(String name, int version, int bytes, Field... health) {
        List<Field> fields = Stream.of(Stream.of(VERSION), membership(VERSION.bytes()).stream(), Stream.of(health))
                .flatMap(each -> each)
                .toList();
        return new FabricInfoStruct(new StructLayout(name, bytes, fields), NvmlCall.FABRIC_INFO_V, version);
    }

    private static List<Field> membership(int start) {
        return List.of(
                new Field("clusterUuid", start, 16),
                new Field("status", start + 16, 4),
                new Field("cliqueId", start + 20, 4),
                new Field("state", start + 24, 1));
    }

    /** Returns the struct to hand to the driver: zeros, and the version where the struct has one. */
    byte[] request() {
        return version == 0 ? layout.zero() : VERSION.with(layout.zero(), layout.versioned(version));
    }

    /** Decodes what a driver filled in; any bytes of the right number have a meaning. */
    FabricInfo decode(byte[] bytes) {
        byte[] struct = layout.of(bytes);
        List<Field> membership = membership(version == 0 ? 0 : VERSION.bytes());
        return new FabricInfo(
                Numbered.of(membership.get(3).unsignedByte(struct), FabricState.values()),
                Numbered.of(membership.get(1).signedInt(struct), NvmlReturn.values()),
                membership.get(0).uuid(struct),
                membership.get(2).unsignedInt(struct),
                version < 2 ? Optional.empty() : Optional.of(new FabricHealth(HEALTH_MASK.signedInt(struct))),
                version < 3
                        ? Optional.empty()
                        : Optional.of(Numbered.of(HEALTH_SUMMARY.unsignedByte(struct), HealthSummary.values())));
    }
}
