package io.imexagent.nvml.jna;

import io.imexagent.nvml.ClusterUuid;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealthSummary;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.FabricState;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.jna.StructLayout.Field;
import java.util.List;
import java.util.Optional;

/** {@code nvmlGpuFabricInfo_t} and its versioned successors, one table for each. */
final class FabricInfoStruct {
    /** Version 1, of {@code nvmlDeviceGetGpuFabricInfo}; it carries no version number. */
    static final class V1 {
        static final Field CLUSTER_UUID = new Field("clusterUuid", 0, 16);
        static final Field STATUS = new Field("status", 16, 4);
        static final Field CLIQUE_ID = new Field("cliqueId", 20, 4);
        static final Field STATE = new Field("state", 24, 1);
        static final StructLayout LAYOUT =
                new StructLayout("nvmlGpuFabricInfo_t", 28, List.of(CLUSTER_UUID, STATUS, CLIQUE_ID, STATE));

        private V1() {}
    }

    /** Version 2, of {@code nvmlDeviceGetGpuFabricInfoV}. */
    static final class V2 {
        static final Field VERSION = new Field("version", 0, 4);
        static final Field CLUSTER_UUID = new Field("clusterUuid", 4, 16);
        static final Field STATUS = new Field("status", 20, 4);
        static final Field CLIQUE_ID = new Field("cliqueId", 24, 4);
        static final Field STATE = new Field("state", 28, 1);
        static final Field HEALTH_MASK = new Field("healthMask", 32, 4);
        static final StructLayout LAYOUT = new StructLayout(
                "nvmlGpuFabricInfo_v2_t", 36, List.of(VERSION, CLUSTER_UUID, STATUS, CLIQUE_ID, STATE, HEALTH_MASK));

        private V2() {}
    }

    /** Version 3: version 2 and one byte more. */
    static final class V3 {
        static final Field HEALTH_SUMMARY = new Field("healthSummary", 36, 1);
        static final StructLayout LAYOUT = new StructLayout(
                "nvmlGpuFabricInfo_v3_t",
                40,
                List.of(
                        V2.VERSION,
                        V2.CLUSTER_UUID,
                        V2.STATUS,
                        V2.CLIQUE_ID,
                        V2.STATE,
                        V2.HEALTH_MASK,
                        HEALTH_SUMMARY));

        private V3() {}
    }

    private FabricInfoStruct() {}

    static StructLayout layout(FabricInfoVersion version) {
        return switch (version) {
            case V1 -> V1.LAYOUT;
            case V2 -> V2.LAYOUT;
            case V3 -> V3.LAYOUT;
        };
    }

    /** Returns the struct to hand to the driver: zeros, and the version where the struct has one. */
    static StructBytes request(FabricInfoVersion version) {
        return switch (version) {
            case V1 -> StructBytes.zero(V1.LAYOUT);
            case V2 -> StructBytes.zero(V2.LAYOUT).putInt(V2.VERSION, V2.LAYOUT.versioned(2));
            case V3 -> StructBytes.zero(V3.LAYOUT).putInt(V2.VERSION, V3.LAYOUT.versioned(3));
        };
    }

    /**
     * Decodes what a driver filled in; any bytes of the right number have a meaning.
     *
     * @throws IllegalArgumentException if they are not as many as the struct has
     */
    static FabricInfo decode(FabricInfoVersion version, byte[] bytes) {
        StructBytes struct = StructBytes.of(layout(version), bytes);
        return switch (version) {
            case V1 ->
                new FabricInfo(
                        FabricState.of(struct.unsignedByte(V1.STATE)),
                        NvmlReturn.of(struct.signedInt(V1.STATUS)),
                        ClusterUuid.of(struct.bytes(V1.CLUSTER_UUID)),
                        struct.unsignedInt(V1.CLIQUE_ID),
                        Optional.empty(),
                        Optional.empty(),
                        version);
            case V2 -> decodeVersioned(struct, version, Optional.empty());
            case V3 ->
                decodeVersioned(
                        struct, version, Optional.of(FabricHealthSummary.of(struct.unsignedByte(V3.HEALTH_SUMMARY))));
        };
    }

    private static FabricInfo decodeVersioned(
            StructBytes struct, FabricInfoVersion version, Optional<FabricHealthSummary> summary) {
        return new FabricInfo(
                FabricState.of(struct.unsignedByte(V2.STATE)),
                NvmlReturn.of(struct.signedInt(V2.STATUS)),
                ClusterUuid.of(struct.bytes(V2.CLUSTER_UUID)),
                struct.unsignedInt(V2.CLIQUE_ID),
                Optional.of(new FabricHealth(struct.signedInt(V2.HEALTH_MASK))),
                summary,
                version);
    }
}
