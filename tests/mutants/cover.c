/* SPDX-License-Identifier: Apache-2.0 */
/* Records which code a test executes: what -fsanitize-coverage=trace-pc calls in each basic block. */
/*
 * The file that GCOV_COVER names is a table that all processes of a test share, by mmap: they are killed, and
 * end by _exit(). An entry is a block: a hash of the program's or library's name, and the address in it. The
 * name of the variable is one that lib.bash passes on to workers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void __sanitizer_cov_trace_pc(void);

enum { SLOTS = 1 << 16 };

/* The code of a program or library. dladdr() would look through its symbols for each block. */
struct object {
    uintptr_t begin, end, base;
    uint32_t hash; /* of its name */
};

static uintptr_t seen[SLOTS]; /* by this process */
static uint64_t *table;       /* by all */
static int opened;
static struct object objects[256];
static size_t n_objects;

static size_t
slot_of(uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

static void
open_table(void)
{
    const char *path = getenv("GCOV_COVER");
    struct stat st;
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;

    opened = 1;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0
        && ((size_t)st.st_size >= SLOTS * sizeof *table || ftruncate(fd, SLOTS * sizeof *table) == 0)) {
        void *p;

        (void)fchmod(fd, 0666);
        p = mmap(NULL, SLOTS * sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED)
            table = p;
    }
    close(fd);
}

/* The first object is the program, whose name is empty. */
static int
add_object(struct dl_phdr_info *info, size_t size, void *unused)
{
    char program[4096];
    const char *path = info->dlpi_name, *name;
    uint32_t hash = 2166136261;
    ssize_t len;

    (void)size;
    (void)unused;
    if (!*path) {
        len = readlink("/proc/self/exe", program, sizeof program - 1);
        program[len < 0 ? 0 : len] = '\0';
        path = program;
    }
    name = strrchr(path, '/');
    for (const char *p = name ? name + 1 : path; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 16777619;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && part->p_flags & PF_X && n_objects < sizeof objects / sizeof *objects)
            objects[n_objects++] = (struct object){ begin, begin + part->p_memsz, info->dlpi_addr, hash };
    }
    return 0;
}

static const struct object *
find_object(uintptr_t pc)
{
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < n_objects; i++) {
            if (pc >= objects[i].begin && pc < objects[i].end)
                return &objects[i];
        }
        /* A plugin that was loaded since. */
        n_objects = 0;
        dl_iterate_phdr(add_object, NULL);
    }
    return NULL;
}

static void
note(uintptr_t pc)
{
    const struct object *object;
    uint64_t key;

    if (!opened)
        open_table();
    if (!table || !(object = find_object(pc)))
        return;
    key = (uint64_t)object->hash << 32 | (uint32_t)(pc - object->base);
    for (size_t i = 0, at = slot_of(key); i < SLOTS; i++, at = (at + 1) % SLOTS) {
        uint64_t none = 0;

        if (table[at] == key
            || __atomic_compare_exchange_n(&table[at], &none, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
            || none == key)
            return;
    }
}

void
__sanitizer_cov_trace_pc(void)
{
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    int kept;

    for (size_t i = 0, at = slot_of(pc); i < 64; i++, at = (at + 1) % SLOTS) {
        if (seen[at] == pc)
            return;
        if (seen[at] == 0) {
            seen[at] = pc;
            break;
        }
    }
    kept = errno;
    note(pc);
    errno = kept;
}
