/* Prints size, version and the place of every field of the structs, one per line, as the C compiler has them. */
#include <stddef.h>
#include <stdio.h>

#include "nvml_abi.h"

#define STRUCT(type) printf("struct %s %zu\n", #type, sizeof(type))
#define FIELD(type, field) \
    printf("field %s %s %zu %zu\n", #type, #field, offsetof(type, field), sizeof(((type *)0)->field))
#define VERSION(type, number) printf("version %s %d %u\n", #type, number, NVML_STRUCT_VERSION(type, number))

int main(void) {
    STRUCT(nvmlPciInfo_t);
    FIELD(nvmlPciInfo_t, busIdLegacy);
    FIELD(nvmlPciInfo_t, domain);
    FIELD(nvmlPciInfo_t, bus);
    FIELD(nvmlPciInfo_t, device);
    FIELD(nvmlPciInfo_t, pciDeviceId);
    FIELD(nvmlPciInfo_t, pciSubSystemId);
    FIELD(nvmlPciInfo_t, busId);

    STRUCT(nvmlGpuFabricInfo_t);
    FIELD(nvmlGpuFabricInfo_t, clusterUuid);
    FIELD(nvmlGpuFabricInfo_t, status);
    FIELD(nvmlGpuFabricInfo_t, cliqueId);
    FIELD(nvmlGpuFabricInfo_t, state);

    STRUCT(nvmlGpuFabricInfo_v2_t);
    VERSION(nvmlGpuFabricInfo_v2_t, 2);
    FIELD(nvmlGpuFabricInfo_v2_t, version);
    FIELD(nvmlGpuFabricInfo_v2_t, clusterUuid);
    FIELD(nvmlGpuFabricInfo_v2_t, status);
    FIELD(nvmlGpuFabricInfo_v2_t, cliqueId);
    FIELD(nvmlGpuFabricInfo_v2_t, state);
    FIELD(nvmlGpuFabricInfo_v2_t, healthMask);

    STRUCT(nvmlGpuFabricInfo_v3_t);
    VERSION(nvmlGpuFabricInfo_v3_t, 3);
    FIELD(nvmlGpuFabricInfo_v3_t, version);
    FIELD(nvmlGpuFabricInfo_v3_t, clusterUuid);
    FIELD(nvmlGpuFabricInfo_v3_t, status);
    FIELD(nvmlGpuFabricInfo_v3_t, cliqueId);
    FIELD(nvmlGpuFabricInfo_v3_t, state);
    FIELD(nvmlGpuFabricInfo_v3_t, healthMask);
    FIELD(nvmlGpuFabricInfo_v3_t, healthSummary);

    STRUCT(nvmlGpuFabricClique_v1_t);
    FIELD(nvmlGpuFabricClique_v1_t, type);
    FIELD(nvmlGpuFabricClique_v1_t, id);

    STRUCT(nvmlGpuFabricInfo_v4_t);
    FIELD(nvmlGpuFabricInfo_v4_t, clusterUuid);
    FIELD(nvmlGpuFabricInfo_v4_t, status);
    FIELD(nvmlGpuFabricInfo_v4_t, cliques);
    FIELD(nvmlGpuFabricInfo_v4_t, numCliques);
    FIELD(nvmlGpuFabricInfo_v4_t, state);
    FIELD(nvmlGpuFabricInfo_v4_t, healthMask);
    FIELD(nvmlGpuFabricInfo_v4_t, healthSummary);

    STRUCT(nvmlEventData_t);
    FIELD(nvmlEventData_t, device);
    FIELD(nvmlEventData_t, eventType);
    FIELD(nvmlEventData_t, eventData);
    FIELD(nvmlEventData_t, gpuInstanceId);
    FIELD(nvmlEventData_t, computeInstanceId);

    STRUCT(nvmlFieldValue_t);
    FIELD(nvmlFieldValue_t, fieldId);
    FIELD(nvmlFieldValue_t, scopeId);
    FIELD(nvmlFieldValue_t, timestamp);
    FIELD(nvmlFieldValue_t, latencyUsec);
    FIELD(nvmlFieldValue_t, valueType);
    FIELD(nvmlFieldValue_t, nvmlReturn);
    FIELD(nvmlFieldValue_t, value);

    STRUCT(nvmlMemory_t);
    FIELD(nvmlMemory_t, total);
    FIELD(nvmlMemory_t, free);
    FIELD(nvmlMemory_t, used);
    return 0;
}
