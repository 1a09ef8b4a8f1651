/*
 * Ends the process that loads it, as a crash would, right after a change of names in a folder: by LD_PRELOAD, so whatever
 * the process was built with. Files are written under temporary names, so what others find there changes by names alone.
 *   CUT_BELOW  the folder, with all below it
 *   CUT_AFTER  the number of the change, from 1
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a process reports that was killed. */
#define KILLED 137

static atomic_long left;
static const char *below = "";

__attribute__((constructor)) static void begin(void) {
    const char *after = getenv("CUT_AFTER");
    const char *folder = getenv("CUT_BELOW");
    atomic_store(&left, after ? atol(after) : 0);
    below = folder ? folder : "";
}

static int changed(int result, const char *path) {
    if (result == 0 && *below && strncmp(path, below, strlen(below)) == 0 && atomic_fetch_sub(&left, 1) == 1) {
        _exit(KILLED);
    }
    return result;
}

int rename(const char *from, const char *to) {
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    return changed(real(from, to), to);
}

int unlink(const char *path) {
    int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
    return changed(real(path), path);
}
