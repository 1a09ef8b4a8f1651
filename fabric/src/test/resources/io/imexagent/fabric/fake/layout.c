/* Prints size and the place of every field of the structs, one per line, as the C compiler has them. */
#include <stdio.h>

#include "cuda_abi.h"

#define STRUCT(type, name) printf("struct %s %zu\n", name, sizeof(type))
#define FIELD(type, name, field) printf("field %s %s %zu\n", name, #field, offsetof(type, field))

int main(void) {
    STRUCT(CUmemLocation, "MemLocation");
    FIELD(CUmemLocation, "MemLocation", type);
    FIELD(CUmemLocation, "MemLocation", id);

    STRUCT(CUmemAllocationProp, "MemAllocationProp");
    FIELD(CUmemAllocationProp, "MemAllocationProp", type);
    FIELD(CUmemAllocationProp, "MemAllocationProp", requestedHandleTypes);
    FIELD(CUmemAllocationProp, "MemAllocationProp", location);
    FIELD(CUmemAllocationProp, "MemAllocationProp", win32HandleMetaData);
    FIELD(CUmemAllocationProp, "MemAllocationProp", allocFlags);

    CUmemAllocationProp prop;
    printf("struct AllocFlags %zu\n", sizeof prop.allocFlags);
    char *flags = (char *)&prop.allocFlags;
    printf("field AllocFlags compressionType %td\n", (char *)&prop.allocFlags.compressionType - flags);
    printf("field AllocFlags gpuDirectRDMACapable %td\n", (char *)&prop.allocFlags.gpuDirectRDMACapable - flags);
    printf("field AllocFlags usage %td\n", (char *)&prop.allocFlags.usage - flags);
    printf("field AllocFlags reserved %td\n", (char *)&prop.allocFlags.reserved - flags);

    STRUCT(CUmemAccessDesc, "MemAccessDesc");
    FIELD(CUmemAccessDesc, "MemAccessDesc", location);
    FIELD(CUmemAccessDesc, "MemAccessDesc", flags);
    return 0;
}
