/* SPDX-License-Identifier: Apache-2.0 */
/* memory-fault - loaded with LD_PRELOAD: one allocation of one process gets no memory.
 *
 * Which one is in a file that all processes of a run share, see memory-fault.h. */
#include "memory-fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static struct memory_fault *shared;
static uint32_t process;

static int
fails(void)
{
    uint64_t at;

    if (!shared || process >= MEMORY_FAULT_PROCESSES)
        return 0;
    at = __atomic_add_fetch(&shared->counts[process], 1, __ATOMIC_RELAXED);
    if (shared->process != process || shared->at != at)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *
malloc(size_t n)
{
    return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
    size_t all;

    if (__builtin_mul_overflow(n, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, all);
}

__attribute__((constructor)) static void
begin(void)
{
    const char *path = getenv(MEMORY_FAULT_FILE);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *p;

    if (fd < 0)
        return;
    p = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    (void)close(fd);
    if (p == MAP_FAILED)
        return;
    process = __atomic_fetch_add(&((struct memory_fault *)p)->processes, 1, __ATOMIC_RELAXED);
    shared = p;
}
