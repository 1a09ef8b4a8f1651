/*
 * A stand-in for libnvidia-ml.so.1 without a driver behind it.
 *
 * It answers from a text file of "key=value" lines, which it reads anew at every call: the file that IMEX_FAKE_NVML
 * names, or fake-nvml.conf beside the library. Replace the file atomically. Keys:
 *
 *   driver_version, nvml_version     text
 *   fabric_version                   the newest struct version that the driver knows, 0 (none) to 4
 *   init_milliseconds                how long nvmlInitWithFlags takes; absent: 10, as long as the driver's
 *   return.FUNCTION                  the number that a function returns instead of working
 *   hang.FUNCTION                    present: the function does not return for as long as the line stands
 *   gpus                             how many there are; each has, after gpu.INDEX.:
 *     name, uuid                     text
 *     pci                            domain bus device, hexadecimal
 *     fabric                         state status cliqueId healthMask healthSummary, decimal; absent: NOT_SUPPORTED
 *     cliques                        type and id of each, decimal, at most 64; of version 4 alone
 *     cluster_uuid                   32 hexadecimal digits
 *     recovery_action                decimal; absent: the field is NOT_SUPPORTED
 *     memory_free                    bytes; absent: the function is NOT_SUPPORTED
 *     mig                            1: divided; absent: the function is NOT_SUPPORTED
 *     return.FUNCTION                as above, for this GPU
 *   event.N                          gpu type data, decimal; N counts from 1 on
 *
 * Like the driver's own, it has the driver open from its initialisation to its shutdown: nvidiactl beside the library, in
 * the place of /dev/nvidiactl. And one that was initialised once leaves an eventfd open when it is unloaded.
 *
 * Built with -DWITHOUT_FABRIC_V it lacks the symbol nvmlDeviceGetGpuFabricInfoV, as drivers before it do. Built with
 * -DHANG_ON_LOAD it is never done with being loaded, like one on a file system that does not answer; with
 * -DCRASH_ON_LOAD it ends the process that loads it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "nvml_abi.h"

enum {
    SUCCESS = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    INSUFFICIENT_SIZE = 7,
    DRIVER_NOT_LOADED = 9,
    TIMEOUT = 10,
    FUNCTION_NOT_FOUND = 13,
    GPU_IS_LOST = 15,
    LIB_RM_VERSION_MISMATCH = 18,
    INSUFFICIENT_RESOURCES = 23,
    ARGUMENT_VERSION_MISMATCH = 25,
    UNKNOWN = 999,

    NO_GPUS_FLAG = 1,
    INIT_MILLISECONDS = 10,
    RECOVERY_ACTION_FIELD = 230,
    VALUE_TYPE_UNSIGNED_INT = 1,
    MAX_GPUS = 64,
    TEXT = 512
};

struct nvmlDevice_st {
    int index;
};

struct nvmlEventSet_st {
    unsigned long long types[MAX_GPUS];
    int delivered;
};

static struct nvmlDevice_st devices[MAX_GPUS];
static int initialised;
static int left_open = -1;
static int control = -1;

/* Writes the path of the configuration; returns 0 where it cannot be told. */
static int configuration_path(char *path, size_t size) {
    const char *named = getenv("IMEX_FAKE_NVML");
    if (named) {
        return snprintf(path, size, "%s", named) < (int)size;
    }
    Dl_info self;
    if (!dladdr((void *)&configuration_path, &self)) {
        return 0;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int directory = slash ? (int)(slash - self.dli_fname) : 0;
    return snprintf(path, size, "%.*s/fake-nvml.conf", directory, self.dli_fname) < (int)size;
}

static FILE *open_configuration(void) {
    char path[PATH_MAX];
    return configuration_path(path, sizeof path) ? fopen(path, "r") : NULL;
}

/* Opens what stands for the driver's device; -1 where that cannot be. */
static int open_control(void) {
    Dl_info self;
    char path[PATH_MAX];
    if (!dladdr((void *)&open_control, &self)) {
        return -1;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int directory = slash ? (int)(slash - self.dli_fname) : 0;
    return snprintf(path, sizeof path, "%.*s/nvidiactl", directory, self.dli_fname) < (int)sizeof path
               ? open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0600)
               : -1;
}

/* Watches the directory of the configuration for a new file, so that a wait costs as little as the driver's; -1 if it
   cannot. */
static int watch_configuration(void) {
    char path[PATH_MAX];
    int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (watch < 0 || !configuration_path(path, sizeof path)) {
        return watch;
    }
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[slash == path] = '\0';
    }
    inotify_add_watch(watch, slash ? path : ".", IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_FROM);
    return watch;
}

/* Returns when the directory of the configuration changed, or after the time. */
static void await_change(int watch, long milliseconds) {
    char changes[4096];
    struct pollfd descriptor = {watch, POLLIN, 0};
    if (poll(&descriptor, 1, (int)milliseconds) > 0) {
        while (read(watch, changes, sizeof changes) > 0) {
        }
    }
}

static long now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

/* Looks a key up; returns 1 and its value, or 0. A missing file has no keys. */
static int lookup(const char *key, char *value) {
    FILE *file = open_configuration();
    if (!file) {
        return 0;
    }
    char line[TEXT];
    size_t length = strlen(key);
    int found = 0;
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') {
            line[strcspn(line, "\n")] = '\0';
            strcpy(value, line + length + 1);
            found = 1;
        }
    }
    fclose(file);
    return found;
}

static int lookup_gpu(nvmlDevice_t device, const char *key, char *value) {
    char full[TEXT];
    snprintf(full, sizeof full, "gpu.%d.%s", device->index, key);
    return lookup(full, value);
}

static int gpu_count(void) {
    char value[TEXT];
    return lookup("gpus", value) ? atoi(value) : 0;
}

static void sleep_milliseconds(long milliseconds) {
    struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    nanosleep(&time, NULL);
}

/* Hangs if the function is to hang; then returns what it is to return instead of working, or SUCCESS to go on. */
static nvmlReturn_t enter(const char *function) {
    char key[TEXT], value[TEXT];
    snprintf(key, sizeof key, "hang.%s", function);
    while (lookup(key, value)) {
        sleep_milliseconds(5);
    }
    if (!lookup("driver_version", value)) {
        return UNKNOWN; /* no configuration at all: say so loudly rather than play a host without GPUs */
    }
    snprintf(key, sizeof key, "return.%s", function);
    if (lookup(key, value)) {
        return atoi(value);
    }
    return initialised || strcmp(function, "nvmlInitWithFlags") == 0 ? SUCCESS : UNINITIALIZED;
}

static nvmlReturn_t enter_gpu(const char *function, nvmlDevice_t device) {
    char key[TEXT], value[TEXT];
    nvmlReturn_t result = enter(function);
    if (device < devices || device >= devices + MAX_GPUS || device->index >= gpu_count()) {
        return result == SUCCESS ? INVALID_ARGUMENT : result;
    }
    snprintf(key, sizeof key, "return.%s", function);
    return lookup_gpu(device, key, value) ? atoi(value) : result;
}

#define ENTER()                                   \
    do {                                          \
        nvmlReturn_t entered = enter(__func__);   \
        if (entered != SUCCESS) {                 \
            return entered;                       \
        }                                         \
    } while (0)

#define ENTER_GPU(device)                                   \
    do {                                                    \
        nvmlReturn_t entered = enter_gpu(__func__, device); \
        if (entered != SUCCESS) {                           \
            return entered;                                 \
        }                                                   \
    } while (0)

static nvmlReturn_t put_text(const char *text, char *out, unsigned int length) {
    if (strlen(text) + 1 > length) {
        return INSUFFICIENT_SIZE;
    }
    strcpy(out, text);
    return SUCCESS;
}

static void put_bytes(const char *hex, unsigned char *out, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned int byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        out[i] = (unsigned char)byte;
    }
}

nvmlReturn_t nvmlInitWithFlags(unsigned int flags) {
    ENTER();
    if (gpu_count() == 0 && !(flags & NO_GPUS_FLAG)) {
        return DRIVER_NOT_LOADED;
    }
    char value[TEXT];
    sleep_milliseconds(lookup("init_milliseconds", value) ? atol(value) : INIT_MILLISECONDS);
    if (left_open < 0) {
        left_open = eventfd(0, EFD_CLOEXEC);
    }
    for (int i = 0; i < MAX_GPUS; i++) {
        devices[i].index = i;
    }
    if (initialised++ == 0) {
        control = open_control();
    }
    return SUCCESS;
}

nvmlReturn_t nvmlShutdown(void) {
    ENTER();
    if (--initialised == 0 && control >= 0) {
        close(control);
        control = -1;
    }
    return SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result) {
    switch (result) {
        case NOT_SUPPORTED: return "Not Supported";
        case DRIVER_NOT_LOADED: return "Driver Not Loaded";
        case GPU_IS_LOST: return "GPU is lost";
        case INSUFFICIENT_RESOURCES: return "Insufficient Resources";
        case LIB_RM_VERSION_MISMATCH: return "Driver/library version mismatch";
        default: return "Unknown Error";
    }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) {
    char value[TEXT] = "";
    ENTER();
    lookup("driver_version", value);
    return put_text(value, version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
    char value[TEXT] = "";
    ENTER();
    lookup("nvml_version", value);
    return put_text(value, version, length);
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) {
    ENTER();
    *count = (unsigned int)gpu_count();
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    if (index >= (unsigned int)gpu_count() || index >= MAX_GPUS) {
        ENTER();
        return INVALID_ARGUMENT;
    }
    ENTER_GPU(&devices[index]);
    *device = &devices[index];
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
    char value[TEXT] = "";
    ENTER_GPU(device);
    lookup_gpu(device, "name", value);
    return put_text(value, name, length);
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
    char value[TEXT] = "";
    ENTER_GPU(device);
    lookup_gpu(device, "uuid", value);
    return put_text(value, uuid, length);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
    char value[TEXT] = "";
    ENTER_GPU(device);
    memset(pci, 0, sizeof *pci);
    lookup_gpu(device, "pci", value);
    sscanf(value, "%x %x %x", &pci->domain, &pci->bus, &pci->device);
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff,
             pci->device & 0xff);
    snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
    return SUCCESS;
}

static int knows_fabric_version(int version) {
    char value[TEXT];
    return lookup("fabric_version", value) && atoi(value) >= version;
}

/* Fills a version 3 struct, of which the others are parts. */
static nvmlReturn_t read_fabric(nvmlDevice_t device, nvmlGpuFabricInfo_v3_t *info) {
    char value[TEXT];
    unsigned int state = 0, summary = 0;
    if (!lookup_gpu(device, "fabric", value)) {
        return NOT_SUPPORTED;
    }
    sscanf(value, "%u %d %u %u %u", &state, &info->status, &info->cliqueId, &info->healthMask, &summary);
    info->state = (unsigned char)state;
    info->healthSummary = (unsigned char)summary;
    if (lookup_gpu(device, "cluster_uuid", value)) {
        put_bytes(value, info->clusterUuid, sizeof info->clusterUuid);
    }
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *out) {
    nvmlGpuFabricInfo_v3_t info = {0};
    ENTER_GPU(device);
    if (!knows_fabric_version(1)) {
        return FUNCTION_NOT_FOUND;
    }
    nvmlReturn_t result = read_fabric(device, &info);
    if (result == SUCCESS) {
        memcpy(out->clusterUuid, info.clusterUuid, sizeof out->clusterUuid);
        out->status = info.status;
        out->cliqueId = info.cliqueId;
        out->state = info.state;
    }
    return result;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo_v4(nvmlDevice_t device, nvmlGpuFabricInfo_v4_t *out) {
    nvmlGpuFabricInfo_v3_t info = {0};
    char value[TEXT];
    ENTER_GPU(device);
    if (!knows_fabric_version(4)) {
        return FUNCTION_NOT_FOUND;
    }
    nvmlReturn_t result = read_fabric(device, &info);
    if (result == SUCCESS) {
        memset(out, 0, sizeof *out);
        memcpy(out->clusterUuid, info.clusterUuid, sizeof out->clusterUuid);
        out->status = info.status;
        out->state = info.state;
        out->healthMask = info.healthMask;
        out->healthSummary = info.healthSummary;
        if (!lookup_gpu(device, "cliques", value)) {
            value[0] = 0;
        }
        char *rest = value;
        for (char *end = rest; out->numCliques < 64; rest = end) {
            nvmlGpuFabricClique_v1_t *clique = &out->cliques[out->numCliques];
            clique->type = (unsigned char)strtoul(rest, &end, 10);
            if (end == rest) {
                break;
            }
            clique->id = (unsigned int)strtoul(end, &end, 10);
            out->numCliques++;
        }
    }
    return result;
}

#ifdef HANG_ON_LOAD
__attribute__((constructor)) static void hang_on_load(void) {
    for (;;) {
        struct timespec second = {1, 0};
        nanosleep(&second, NULL);
    }
}
#endif

#ifdef CRASH_ON_LOAD
__attribute__((constructor)) static void crash_on_load(void) {
    abort();
}
#endif

#ifndef WITHOUT_FABRIC_V
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void *out) {
    nvmlGpuFabricInfo_v3_t info = {0};
    size_t size;
    ENTER_GPU(device);
    info.version = *(unsigned int *)out;
    if (info.version == NVML_STRUCT_VERSION(nvmlGpuFabricInfo_v3_t, 3) && knows_fabric_version(3)) {
        size = sizeof(nvmlGpuFabricInfo_v3_t);
    } else if (info.version == NVML_STRUCT_VERSION(nvmlGpuFabricInfo_v2_t, 2) && knows_fabric_version(2)) {
        size = sizeof(nvmlGpuFabricInfo_v2_t);
    } else {
        return ARGUMENT_VERSION_MISMATCH;
    }
    nvmlReturn_t result = read_fabric(device, &info);
    if (result == SUCCESS) {
        memcpy(out, &info, size); /* version 2 is the beginning of version 3 */
    }
    return result;
}
#endif

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
    char value[TEXT];
    ENTER_GPU(device);
    if (!lookup_gpu(device, "memory_free", value)) {
        return NOT_SUPPORTED;
    }
    memory->free = strtoull(value, NULL, 10);
    memory->total = memory->free + (1ULL << 30);
    memory->used = 1ULL << 30;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) {
    char value[TEXT];
    ENTER_GPU(device);
    if (!lookup_gpu(device, "mig", value)) {
        return NOT_SUPPORTED;
    }
    *current = (unsigned int)strtoul(value, NULL, 10);
    *pending = *current;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
    char value[TEXT];
    ENTER_GPU(device);
    for (int i = 0; i < count; i++) {
        if (values[i].fieldId != RECOVERY_ACTION_FIELD) {
            values[i].nvmlReturn = INVALID_ARGUMENT;
        } else if (!lookup_gpu(device, "recovery_action", value)) {
            values[i].nvmlReturn = NOT_SUPPORTED;
        } else {
            values[i].nvmlReturn = SUCCESS;
            values[i].valueType = VALUE_TYPE_UNSIGNED_INT;
            values[i].value.uiVal = (unsigned int)strtoul(value, NULL, 10);
        }
    }
    return SUCCESS;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) {
    char key[TEXT], value[TEXT];
    ENTER();
    *set = calloc(1, sizeof **set);
    do { /* events from before the set are not its business */
        snprintf(key, sizeof key, "event.%d", ++(*set)->delivered);
    } while (lookup(key, value));
    (*set)->delivered--;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
    ENTER_GPU(device);
    set->types[device->index] |= types;
    return SUCCESS;
}

/* Takes the next event that was registered for; returns 0 when there is none. */
static int next_event(nvmlEventSet_t set, nvmlEventData_t *out) {
    char key[TEXT], value[TEXT];
    for (;;) {
        unsigned int gpu = 0;
        unsigned long long type = 0, data = 0;
        snprintf(key, sizeof key, "event.%d", set->delivered + 1);
        if (!lookup(key, value)) {
            return 0;
        }
        set->delivered++;
        sscanf(value, "%u %llu %llu", &gpu, &type, &data);
        if (gpu < MAX_GPUS && (set->types[gpu] & type)) {
            nvmlEventData_t event = {&devices[gpu], type, data, 0xffffffffU, 0xffffffffU};
            *out = event;
            return 1;
        }
    }
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *event, unsigned int milliseconds) {
    ENTER();
    int watch = watch_configuration();
    long until = now_milliseconds() + (long)milliseconds;
    nvmlReturn_t result = SUCCESS;
    while (!next_event(set, event)) {
        long left = until - now_milliseconds();
        if (left <= 0) {
            result = TIMEOUT;
            break;
        }
        await_change(watch, left);
    }
    close(watch);
    return result;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    ENTER();
    free(set);
    return SUCCESS;
}
