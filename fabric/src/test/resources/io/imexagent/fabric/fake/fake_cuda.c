/*
 * A stand-in for libcuda.so.1 without a driver behind it: what real-driver.md measured of one, and what is known of imports
 * between nodes. What was never measured is drawn at random, so that nothing can come to depend on it.
 *
 * It answers from a text file of "key=value" lines, which it reads again at every call: the file that IMEX_FAKE_CUDA names,
 * or fake-cuda.conf beside the library. Replace the file atomically. A process is on the node that IMEX_FAKE_CUDA_NODE
 * names, "node0" if it names none. Of each key, "NODE.key" goes before "key":
 *
 *   domain                  folder that all nodes share: the allocations, imports.log and calls.log; absent: domain, beside
 *                           the library
 *   dev                     folder in the place of /dev, with nvidia-uvm and nvidia-caps-imex-channels/channelN; absent: /dev.
 *                           IMEX_FAKE_CUDA_DEV goes before it. A channel's number is the minor of its node, or of a plain
 *                           file the number in its name
 *   channel_count           ImexChannelCount; absent: 2048
 *   driver_version          as cuDriverGetVersion gives it; absent: 13000
 *   gpus                    how many there are; each has, after gpu.INDEX.:
 *     uuid                  32 hexadecimal digits
 *     fabric                0: no fabric handles; absent: 1
 *     compute_mode          absent: 0
 *     bytes                 the memory of the GPU; absent: no limit
 *   return.FUNCTION         the number that a function returns instead of working
 *   hang.FUNCTION           present: the function never returns; of a node's daemon too, see below
 *   crash.FUNCTION          present: the function ends the process by a signal
 *   domain_id               which domain the node's nvidia-imex belongs to; absent: one for all
 *   daemon                  up, down or hung; absent: up
 *   clique                  absent: 0
 *   import_milliseconds     how long an import from another node takes; absent: 2
 *   isolation               broken: imports ask for no channel
 *
 * imports.log has a line for each import, "import NODE PID CHANNEL - EXPORTER GPU HANDLE RESULT", where GPU is the exporter's,
 * and one for each access that a GPU gets to imported memory, "access NODE PID - GPU EXPORTER GPU HANDLE RESULT"; calls.log
 * one for each call, "NODE PID FUNCTION".
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cuda_abi.h"

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    DEVICE_UNAVAILABLE = 46,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_PERMITTED = 800,
    NOT_SUPPORTED = 801,
    UNKNOWN = 999,

    GRANULARITY = 2 << 20,
    PINNED = 1,
    FABRIC = 8,
    DEVICE_LOCATION = 1,
    READ_WRITE = 3,
    COMPUTE_MODE = 20,
    FABRIC_SUPPORTED = 128,
    PROHIBITED = 2,
    MOST = 256,
    HANDLE = 64,
    TEXT = 512
};

/* An allocation that this process has created or imported. */
struct memory {
    int used;
    int imported;
    int file;  /* open, with a shared lock: someone uses the memory */
    int owner; /* open, with an exclusive lock: its exporter has it; -1 of an imported one */
    char name[2 * HANDLE + 1];
    char exporter[TEXT];
    int gpu; /* the exporter's */
    size_t bytes;
};

struct mapping {
    CUdeviceptr address;
    size_t bytes;
    int memory; /* its number in memories, -1: nothing is mapped */
    int accessible;
};

static int initialised;
static int context;
static struct memory memories[MOST];
static struct mapping mappings[MOST];

/* A copy to a GPU that has not arrived yet; it never does where its memory is unmapped first, which a real GPU calls Xid 31. */
static struct {
    CUdeviceptr to;
    size_t count;
    unsigned char bytes[TEXT];
} pending;
static CUdeviceptr next_address = 0x700000000000ULL;

/* ---- configuration ---- */

static void beside(char *path, const char *name) {
    Dl_info self;
    if (!dladdr((void *)&beside, &self)) {
        abort();
    }
    const char *slash = strrchr(self.dli_fname, '/');
    snprintf(path, PATH_MAX, "%.*s/%s", slash ? (int)(slash - self.dli_fname) : 0, self.dli_fname, name);
}

static const char *node(void) {
    const char *named = getenv("IMEX_FAKE_CUDA_NODE");
    return named ? named : "node0";
}

static int find(const char *key, char *value) {
    char path[PATH_MAX];
    const char *named = getenv("IMEX_FAKE_CUDA");
    if (named) {
        snprintf(path, sizeof path, "%s", named);
    } else {
        beside(path, "fake-cuda.conf");
    }
    FILE *file = fopen(path, "re");
    if (!file) {
        return 0;
    }
    char line[2 * TEXT];
    size_t length = strlen(key);
    int found = 0;
    while (fgets(line, sizeof line, file)) {
        if (!strncmp(line, key, length) && line[length] == '=') {
            line[strcspn(line, "\n")] = 0;
            snprintf(value, TEXT, "%s", line + length + 1);
            found = 1;
        }
    }
    fclose(file);
    return found;
}

/* The value of a key of a node; 0 where it has none. */
static int lookup_of(const char *of, const char *key, char *value) {
    char own[TEXT];
    snprintf(own, sizeof own, "%s.%s", of, key);
    return find(own, value) || find(key, value);
}

static int lookup(const char *key, char *value) {
    return lookup_of(node(), key, value);
}

static long number(const char *key, long otherwise) {
    char value[TEXT];
    return lookup(key, value) ? strtol(value, NULL, 10) : otherwise;
}

static long gpu_number(int gpu, const char *key, long otherwise) {
    char whole[TEXT];
    snprintf(whole, sizeof whole, "gpu.%d.%s", gpu, key);
    return number(whole, otherwise);
}

static int is(const char *of, const char *key, const char *wanted) {
    char value[TEXT];
    return lookup_of(of, key, value) && !strcmp(value, wanted);
}

static void domain(char *path) {
    char value[TEXT];
    if (lookup("domain", value)) {
        snprintf(path, PATH_MAX, "%s", value);
    } else {
        beside(path, "domain");
    }
}

static void record(const char *log, const char *line) {
    char folder[PATH_MAX];
    char path[PATH_MAX + TEXT];
    domain(folder);
    snprintf(path, sizeof path, "%s/%s", folder, log);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, line, strlen(line)) < 0) {
        abort();
    }
    close(file);
}

static _Noreturn void hang(void) {
    for (;;) {
        pause();
    }
}

static int draw(int count) {
    unsigned drawn;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) {
        abort();
    }
    return (int)(drawn % (unsigned)count);
}

/* Enters a function: returns what it is to return at once, or 0 where it is to work. */
static CUresult enter(const char *function) {
    char key[TEXT];
    char value[TEXT];
    char line[2 * TEXT];
    snprintf(line, sizeof line, "%s %d %s\n", node(), (int)getpid(), function);
    record("calls.log", line);
    snprintf(key, sizeof key, "crash.%s", function);
    if (lookup(key, value)) {
        abort();
    }
    snprintf(key, sizeof key, "hang.%s", function);
    if (lookup(key, value)) {
        hang();
    }
    snprintf(key, sizeof key, "return.%s", function);
    if (lookup(key, value)) {
        return (int)strtol(value, NULL, 10);
    }
    return initialised || !strcmp(function, "cuInit") ? SUCCESS : NOT_INITIALIZED;
}

#define ENTER()                            \
    do {                                   \
        CUresult entered = enter(__func__); \
        if (entered) {                     \
            return entered;                \
        }                                  \
    } while (0)

#define REQUIRE(condition)        \
    do {                          \
        if (!(condition)) {       \
            return INVALID_VALUE; \
        }                         \
    } while (0)

/* ---- channels ---- */

/* The number of a channel's node, or -1 where this process cannot use it. */
static long channel_of(const char *folder, const char *name) {
    char path[2 * PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strncmp(name, "channel", 7) || stat(path, &status) || access(path, R_OK | W_OK)) {
        return -1;
    }
    long channel = S_ISCHR(status.st_mode) ? (long)minor(status.st_rdev) : strtol(name + 7, NULL, 10);
    return channel < number("channel_count", 2048) ? channel : -1;
}

static void dev(char *path, const char *name) {
    char value[TEXT];
    const char *own = getenv("IMEX_FAKE_CUDA_DEV");
    snprintf(path, PATH_MAX, "%s/%s", own ? own : lookup("dev", value) ? value : "/dev", name);
}

/* The channel of this process: that of its first allocation or import, for as long as it runs. */
static long chosen = -1;

/*
 * Whether this process may use a channel; with -1, the one that it allocates on is looked for: the first by name, so that
 * channel1000 comes before channel256. Returns it, or -1.
 */
static long channel(long wanted) {
    char folder[PATH_MAX];
    char first[NAME_MAX + 1] = "";
    if (chosen >= 0) {
        return wanted < 0 || wanted == chosen ? chosen : -1;
    }
    dev(folder, "nvidia-caps-imex-channels");
    DIR *nodes = opendir(folder);
    long channel = -1;
    if (!nodes) {
        return -1;
    }
    for (struct dirent *entry = readdir(nodes); entry; entry = readdir(nodes)) {
        long found = channel_of(folder, entry->d_name);
        if (found >= 0 && (wanted < 0 || found == wanted) && (!*first || strcmp(entry->d_name, first) < 0)) {
            channel = found;
            snprintf(first, sizeof first, "%s", entry->d_name);
        }
    }
    closedir(nodes);
    return channel;
}

/* ---- allocations: DOMAIN/HANDLE has a line "NODE GPU CHANNEL BYTES" and, from byte 4096 on, what is in the memory ---- */

static int open_allocation(const char *name, const char *suffix, int flags) {
    char folder[PATH_MAX];
    char path[PATH_MAX + TEXT];
    domain(folder);
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    return open(path, flags | O_CLOEXEC, 0666);
}

static int read_allocation(int file, char *exporter, int *gpu, long *channel, size_t *bytes) {
    char line[TEXT] = "";
    return pread(file, line, sizeof line - 1, 0) > 0 && sscanf(line, "%511s %d %ld %zu", exporter, gpu, channel, bytes) == 4;
}

/* Whether someone has a lock on the file of an allocation. */
static int locked(int file) {
    if (!flock(file, LOCK_EX | LOCK_NB)) {
        flock(file, LOCK_UN);
        return 0;
    }
    return 1;
}

/* The bytes that allocations of a GPU of this node take. */
static size_t used(int gpu) {
    char folder[PATH_MAX];
    domain(folder);
    DIR *all = opendir(folder);
    size_t sum = 0;
    for (struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
        char exporter[TEXT];
        int of;
        long channel;
        size_t bytes;
        if (strlen(entry->d_name) != 2 * HANDLE) {
            continue;
        }
        int file = open_allocation(entry->d_name, "", O_RDONLY);
        if (file >= 0) {
            if (read_allocation(file, exporter, &of, &channel, &bytes) && of == gpu && !strcmp(exporter, node()) &&
                locked(file)) {
                sum += bytes;
            }
            close(file);
        }
    }
    if (all) {
        closedir(all);
    }
    return sum;
}

static int free_memory_slot(void) {
    for (int at = 1; at < MOST; at++) {
        if (!memories[at].used) {
            return at;
        }
    }
    abort();
}

static struct memory *memory_of(CUmemGenericAllocationHandle handle) {
    return handle > 0 && handle < MOST && memories[handle].used ? &memories[handle] : NULL;
}

/* ---- devices ---- */

static int is_gpu(int gpu) {
    return gpu >= 0 && gpu < number("gpus", 0);
}

static int is_valid(const CUmemAllocationProp *prop) {
    static const CUmemAllocationProp empty;
    return prop && prop->type == PINNED && prop->requestedHandleTypes == FABRIC && prop->location.type == DEVICE_LOCATION &&
           is_gpu(prop->location.id) && !prop->win32HandleMetaData &&
           !memcmp(&prop->allocFlags, &empty.allocFlags, sizeof empty.allocFlags);
}

CUresult cuInit(unsigned int flags) {
    ENTER();
    REQUIRE(flags == 0);
    char path[PATH_MAX];
    dev(path, "nvidia-uvm");
    if (access(path, F_OK)) {
        return UNKNOWN;
    }
    if (number("gpus", 0) == 0) {
        return NO_DEVICE;
    }
    initialised = 1;
    return SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    ENTER();
    REQUIRE(version);
    *version = (int)number("driver_version", 13000);
    return SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **name) {
    static const struct {
        int code;
        const char *name;
    } names[] = {{SUCCESS, "CUDA_SUCCESS"},
                 {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
                 {DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                 {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                 {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
                 {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
                 {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
                 {NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED"},
                 {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
                 {802, "CUDA_ERROR_SYSTEM_NOT_READY"},
                 {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                 {UNKNOWN, "CUDA_ERROR_UNKNOWN"}};
    REQUIRE(name);
    *name = NULL;
    for (size_t at = 0; at < sizeof names / sizeof names[0]; at++) {
        if (names[at].code == error) {
            *name = names[at].name;
        }
    }
    return *name ? SUCCESS : INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) {
    ENTER();
    REQUIRE(count);
    *count = (int)number("gpus", 0);
    return SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    ENTER();
    REQUIRE(device);
    if (!is_gpu(ordinal)) {
        return INVALID_DEVICE;
    }
    *device = ordinal;
    return SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
    ENTER();
    REQUIRE(uuid);
    char key[TEXT];
    char value[TEXT];
    snprintf(key, sizeof key, "gpu.%d.uuid", device);
    if (!is_gpu(device) || !lookup(key, value)) {
        return INVALID_DEVICE;
    }
    for (size_t at = 0; at < sizeof uuid->bytes; at++) {
        unsigned byte;
        if (sscanf(value + 2 * at, "%2x", &byte) != 1) {
            abort();
        }
        uuid->bytes[at] = (char)byte;
    }
    return SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    ENTER();
    REQUIRE(value && (attribute == COMPUTE_MODE || attribute == FABRIC_SUPPORTED));
    if (!is_gpu(device)) {
        return INVALID_DEVICE;
    }
    *value = attribute == COMPUTE_MODE ? (int)gpu_number(device, "compute_mode", 0) : (int)gpu_number(device, "fabric", 1);
    return SUCCESS;
}

/* ---- memory ---- */

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop, int option) {
    ENTER();
    REQUIRE(granularity && is_valid(prop) && option == 0);
    *granularity = GRANULARITY;
    return SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                     unsigned long long flags) {
    ENTER();
    REQUIRE(handle && is_valid(prop) && size > 0 && size % GRANULARITY == 0 && flags == 0);
    int gpu = prop->location.id;
    if (!gpu_number(gpu, "fabric", 1)) {
        return NOT_SUPPORTED;
    }
    long own = channel(-1);
    if (own < 0) {
        return NOT_PERMITTED;
    }
    long bytes = gpu_number(gpu, "bytes", LONG_MAX);
    if (used(gpu) + size > (size_t)bytes) {
        return OUT_OF_MEMORY;
    }
    int at = free_memory_slot();
    struct memory *memory = &memories[at];
    unsigned char random[HANDLE];
    if (getrandom(random, sizeof random, 0) != sizeof random) {
        abort();
    }
    for (int byte = 0; byte < HANDLE; byte++) {
        sprintf(memory->name + 2 * byte, "%02x", random[byte]);
    }
    char line[2 * TEXT];
    int length = snprintf(line, sizeof line, "%s %d %ld %zu\n", node(), gpu, own, size);
    memory->file = open_allocation(memory->name, "", O_RDWR | O_CREAT | O_EXCL);
    memory->owner = open_allocation(memory->name, ".owner", O_RDWR | O_CREAT | O_EXCL);
    if (memory->file < 0 || memory->owner < 0 || flock(memory->file, LOCK_SH) || flock(memory->owner, LOCK_EX) ||
        pwrite(memory->file, line, (size_t)length, 0) != length) {
        abort();
    }
    chosen = own;
    memory->used = 1;
    memory->imported = 0;
    memory->bytes = size;
    snprintf(memory->exporter, sizeof memory->exporter, "%s", node());
    memory->gpu = gpu;
    *handle = (CUmemGenericAllocationHandle)at;
    return SUCCESS;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemGenericAllocationHandle handle, int type,
                                      unsigned long long flags) {
    ENTER();
    struct memory *memory = memory_of(handle);
    REQUIRE(shareable && memory && !memory->imported && type == FABRIC && flags == 0);
    for (int byte = 0; byte < HANDLE; byte++) {
        unsigned value;
        sscanf(memory->name + 2 * byte, "%2x", &value);
        ((unsigned char *)shareable)[byte] = (unsigned char)value;
    }
    return SUCCESS;
}

/* What an import of memory of another node answers. */
static CUresult import_from(const char *exporter, long of, int gone) {
    static const int refusals[] = {INVALID_HANDLE, NOT_PERMITTED, NOT_SUPPORTED, UNKNOWN};
    char own[TEXT] = "";
    char other[TEXT] = "";
    if (is(node(), "daemon", "hung")) {
        hang();
    }
    if (is(node(), "daemon", "down")) {
        return refusals[draw(4)];
    }
    lookup("domain_id", own);
    lookup_of(exporter, "domain_id", other);
    if (is(exporter, "daemon", "down") || is(exporter, "daemon", "hung") || strcmp(own, other) || gone) {
        return INVALID_HANDLE;
    }
    if (channel(of) < 0 && !is(node(), "isolation", "broken")) {
        return refusals[draw(2)];
    }
    struct timespec pause = {0, number("import_milliseconds", 2) * 1000000L};
    nanosleep(&pause, NULL);
    return SUCCESS;
}

/* Imports an allocation that is open; of: the channel of the exporter. */
static CUresult import_open(int file, struct memory *memory, long *of) {
    if (!read_allocation(file, memory->exporter, &memory->gpu, of, &memory->bytes)) {
        return INVALID_HANDLE;
    }
    int owner = open_allocation(memory->name, ".owner", O_RDWR);
    /* Shared, so that two that look do not take each other for the exporter. */
    int gone = owner < 0 || !flock(owner, LOCK_SH | LOCK_NB);
    if (owner >= 0) {
        close(owner);
    }
    if (strcmp(memory->exporter, node())) {
        return import_from(memory->exporter, *of, gone);
    }
    if (gone) {
        return NOT_SUPPORTED;
    }
    return channel(*of) >= 0 || is(node(), "isolation", "broken") ? SUCCESS : NOT_PERMITTED;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *shareable, int type) {
    ENTER();
    REQUIRE(handle && shareable && type == FABRIC);
    int at = free_memory_slot();
    struct memory *memory = &memories[at];
    for (int byte = 0; byte < HANDLE; byte++) {
        sprintf(memory->name + 2 * byte, "%02x", ((unsigned char *)shareable)[byte]);
    }
    snprintf(memory->exporter, sizeof memory->exporter, "-");
    memory->gpu = -1;
    long of = -1;
    int file = open_allocation(memory->name, "", O_RDWR);
    CUresult result = file < 0 ? INVALID_HANDLE : import_open(file, memory, &of);
    char line[4 * TEXT];
    snprintf(line, sizeof line, "import %s %d %ld - %s %d %s %d\n", node(), (int)getpid(), of, memory->exporter,
             memory->gpu, memory->name, result);
    record("imports.log", line);
    if (result) {
        if (file >= 0) {
            close(file);
        }
        return result;
    }
    if (flock(file, LOCK_SH)) {
        abort();
    }
    memory->file = file;
    memory->owner = -1;
    chosen = channel(of);
    memory->used = 1;
    memory->imported = 1;
    *handle = (CUmemGenericAllocationHandle)at;
    return SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    ENTER();
    struct memory *memory = memory_of(handle);
    REQUIRE(memory);
    if (memory->imported && strcmp(memory->exporter, node()) && is(node(), "daemon", "hung")) {
        hang();
    }
    for (int at = 0; at < MOST; at++) {
        /* Real memory stays until it is unmapped; whoever releases it before has its order wrong. */
        REQUIRE(!mappings[at].address || mappings[at].memory != (int)handle);
    }
    close(memory->file);
    if (memory->owner >= 0) {
        close(memory->owner);
    }
    memory->used = 0;
    return SUCCESS;
}

/* ---- addresses ---- */

static struct mapping *mapping_of(CUdeviceptr address, size_t size) {
    for (int at = 0; at < MOST; at++) {
        if (address && mappings[at].address == address && mappings[at].bytes == size) {
            return &mappings[at];
        }
    }
    return NULL;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
    ENTER();
    REQUIRE(address && size > 0 && size % GRANULARITY == 0 && alignment == 0 && wanted == 0 && flags == 0);
    for (int at = 0; at < MOST; at++) {
        if (!mappings[at].address) {
            mappings[at] = (struct mapping){next_address, size, -1, 0};
            *address = next_address;
            next_address += size;
            return SUCCESS;
        }
    }
    return OUT_OF_MEMORY;
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    ENTER();
    struct mapping *mapping = mapping_of(address, size);
    REQUIRE(mapping && mapping->memory < 0);
    mapping->address = 0;
    return SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    ENTER();
    struct mapping *mapping = mapping_of(address, size);
    struct memory *memory = memory_of(handle);
    REQUIRE(mapping && mapping->memory < 0 && memory && memory->bytes == size && offset == 0 && flags == 0);
    mapping->memory = (int)handle;
    return SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    ENTER();
    struct mapping *mapping = mapping_of(address, size);
    REQUIRE(mapping && mapping->memory >= 0);
    if (pending.to == address) {
        pending.count = 0;
    }
    mapping->memory = -1;
    mapping->accessible = 0;
    return SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count) {
    ENTER();
    struct mapping *mapping = mapping_of(address, size);
    REQUIRE(mapping && mapping->memory >= 0 && access && count == 1 && access->location.type == DEVICE_LOCATION &&
            is_gpu(access->location.id) && access->flags == READ_WRITE);
    struct memory *memory = &memories[mapping->memory];
    char own[TEXT] = "0";
    char other[TEXT] = "0";
    lookup("clique", own);
    lookup_of(memory->exporter, "clique", other);
    CUresult result = strcmp(own, other) ? INVALID_VALUE : SUCCESS;
    if (memory->imported) {
        char line[4 * TEXT];
        snprintf(line, sizeof line, "access %s %d - %d %s %d %s %d\n", node(), (int)getpid(), access->location.id,
                 memory->exporter, memory->gpu, memory->name, result);
        record("imports.log", line);
    }
    mapping->accessible = result == SUCCESS;
    return result;
}

/* ---- contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *made, CUdevice device) {
    ENTER();
    REQUIRE(made && is_gpu(device));
    if (gpu_number(device, "compute_mode", 0) == PROHIBITED) {
        return DEVICE_UNAVAILABLE;
    }
    *made = (CUcontext)(size_t)(0xc0de0000 + device);
    return SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    ENTER();
    REQUIRE(is_gpu(device));
    context = 0;
    return SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext set) {
    ENTER();
    REQUIRE(((size_t)set & ~(size_t)0xff) == 0xc0de0000);
    context = 1;
    return SUCCESS;
}

/* The file of the memory that is mapped at an address, -1 where none is. */
static int file_at(CUdeviceptr address, size_t bytes) {
    for (int at = 0; at < MOST; at++) {
        struct mapping *mapping = &mappings[at];
        if (mapping->address == address && mapping->memory >= 0 && mapping->accessible && bytes <= mapping->bytes) {
            return memories[mapping->memory].file;
        }
    }
    return -1;
}

/* Returns before the bytes are in the memory, as with few bytes on a busy GPU: the next copy waits for them. */
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
    ENTER();
    REQUIRE(from && bytes > 0 && bytes <= sizeof pending.bytes);
    if (!context) {
        return INVALID_CONTEXT;
    }
    REQUIRE(file_at(to, bytes) >= 0);
    pending.to = to;
    pending.count = bytes;
    memcpy(pending.bytes, from, bytes);
    return SUCCESS;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
    ENTER();
    REQUIRE(to && bytes > 0);
    if (!context) {
        return INVALID_CONTEXT;
    }
    if (pending.count) {
        ssize_t count = (ssize_t)pending.count;
        pending.count = 0;
        if (pwrite(file_at(pending.to, (size_t)count), pending.bytes, (size_t)count, 4096) != count) {
            return UNKNOWN;
        }
    }
    int file = file_at(from, bytes);
    REQUIRE(file >= 0);
    return pread(file, to, bytes, 4096) == (ssize_t)bytes ? SUCCESS : UNKNOWN;
}
