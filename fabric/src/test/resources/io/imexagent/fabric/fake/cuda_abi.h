/* What cuda.h declares of the functions that this project calls, written down from its documentation. */
#ifndef CUDA_ABI_H
#define CUDA_ABI_H

#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;

typedef struct {
    char bytes[16];
} CUuuid;

typedef struct {
    int type;
    int id;
} CUmemLocation;

typedef struct {
    int type;
    int requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType;
        unsigned char gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

typedef struct {
    unsigned char data[64];
} CUmemFabricHandle;

_Static_assert(sizeof(CUmemAllocationProp) == 32, "measured with a driver");
_Static_assert(sizeof(CUmemAccessDesc) == 12, "cuda.h");

#endif
