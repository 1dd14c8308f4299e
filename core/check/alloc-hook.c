/* SPDX-License-Identifier: Apache-2.0 */
/* alloc-hook - memory that a plugin asks for, and does not get.
 *
 * What a shared object calls stands in a table that the loader fills, one word for each function: that
 * is where the calls are led elsewhere. Our own object's table stays as it is. */
#include "config.h"

#include "check/elf.h"

#include <elf.h>
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <link.h>
#include <pwd.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#if UINTPTR_MAX > UINT32_MAX
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#endif

/* From here to there an object lies in memory. */
struct span {
    uintptr_t from, to;
};

static struct {
    struct span host, plugin;
    const char *path;
    bool counting, all_behind;
    uint64_t at, seen;
} hook;

static bool
is_in(const struct span *s, uintptr_t address)
{
    return address >= s->from && address < s->to;
}

struct walk {
    uintptr_t caller; /* of the function that was led here: the frames below it are ours */
    uintptr_t callee; /* where the function begins that the frame before this one was in */
    bool begun, plugin;
};

/* The C library's name services: out of memory, they say that there is no such user, or end in an
 * assertion of their own. Whoever calls them can do nothing about it. */
static bool
is_spared(uintptr_t function)
{
    void (*const spared[])(void) = {
        (void (*)(void))getpwnam,   (void (*)(void))getpwnam_r, (void (*)(void))getpwuid,
        (void (*)(void))getpwuid_r, (void (*)(void))getpwent,   (void (*)(void))setpwent,
        (void (*)(void))getgrnam,   (void (*)(void))getgrnam_r, (void (*)(void))getgrgid,
        (void (*)(void))getgrgid_r, (void (*)(void))getgrent,   (void (*)(void))setgrent,
    };

    for (size_t i = 0; i < sizeof spared / sizeof spared[0]; i++)
        if (function == (uintptr_t)spared[i])
            return true;
    return false;
}

static _Unwind_Reason_Code
look_at_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *w = data;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);

    w->begun |= ip == w->caller;
    if (!w->begun)
        return _URC_NO_REASON;
    if (is_in(&hook.plugin, ip)) {
        w->plugin = !is_spared(w->callee);
        return _URC_NORMAL_STOP;
    }
    w->callee = (uintptr_t)_Unwind_GetRegionStart(context);
    return is_in(&hook.host, ip) ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

/* Whether this allocation fails. */
static bool
fails(void *caller)
{
    struct walk w = { .caller = (uintptr_t)caller };

    if (!hook.counting)
        return false;
    hook.counting = false; /* the unwinder may allocate */
    (void)_Unwind_Backtrace(look_at_frame, &w);
    hook.counting = true;
    if (!w.plugin)
        return false;
    hook.seen++;
    if (!hook.at || hook.seen < hook.at || (hook.seen > hook.at && !hook.all_behind))
        return false;
    errno = ENOMEM;
    return true;
}

static void *
our_malloc(size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : malloc(n);
}

static void *
our_calloc(size_t n, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : calloc(n, size);
}

static void *
our_realloc(void *p, size_t n)
{
    return n && fails(__builtin_return_address(0)) ? NULL : realloc(p, n);
}

static void *
our_reallocarray(void *p, size_t n, size_t size)
{
    return n && size && fails(__builtin_return_address(0)) ? NULL : reallocarray(p, n, size);
}

static void *
our_aligned_alloc(size_t alignment, size_t n)
{
    return fails(__builtin_return_address(0)) ? NULL : aligned_alloc(alignment, n);
}

static int
our_posix_memalign(void **p, size_t alignment, size_t n)
{
    return fails(__builtin_return_address(0)) ? ENOMEM : posix_memalign(p, alignment, n);
}

static uintptr_t
replacement(const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } ours[] = {
        { "malloc", (void (*)(void))our_malloc },
        { "calloc", (void (*)(void))our_calloc },
        { "realloc", (void (*)(void))our_realloc },
        { "reallocarray", (void (*)(void))our_reallocarray },
        { "aligned_alloc", (void (*)(void))our_aligned_alloc },
        { "posix_memalign", (void (*)(void))our_posix_memalign },
    };

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (strcmp(name, ours[i].name) == 0)
            return (uintptr_t)ours[i].function;
    return 0;
}

/* The loader has made the table read-only when it was filled. */
static void
put(uintptr_t word, uintptr_t value)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = word & ~(page - 1);

    if (mprotect((void *)start, word + sizeof value - start, PROT_READ | PROT_WRITE) == 0)
        memcpy((void *)word, &value, sizeof value);
}

struct object {
    uintptr_t base;
    const ElfW(Sym) * symbols;
    const char *names;
};

static void
lead_one(const struct object *o, ElfW(Addr) offset, size_t symbol)
{
    uintptr_t ours = symbol ? replacement(o->names + o->symbols[symbol].st_name) : 0;

    if (ours)
        put(o->base + offset, ours);
}

static void
lead_rela(const struct object *o, uintptr_t table, size_t size)
{
    const ElfW(Rela) *r = (const ElfW(Rela) *)table;

    for (size_t i = 0; table && i < size / sizeof *r; i++)
        lead_one(o, r[i].r_offset, SYMBOL_OF(r[i].r_info));
}

static void
lead_rel(const struct object *o, uintptr_t table, size_t size)
{
    const ElfW(Rel) *r = (const ElfW(Rel) *)table;

    for (size_t i = 0; table && i < size / sizeof *r; i++)
        lead_one(o, r[i].r_offset, SYMBOL_OF(r[i].r_info));
}

/* The loader has turned most of these into addresses, and some architectures leave them as they are. */
static uintptr_t
address(const struct dl_phdr_info *info, uintptr_t value)
{
    return value && value < info->dlpi_addr ? info->dlpi_addr + value : value;
}

static void
lead_object(const struct dl_phdr_info *info, const ElfW(Dyn) * dynamic)
{
    uintptr_t at[DT_JMPREL + 1] = { 0 };
    struct object o = { .base = info->dlpi_addr };

    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag > 0 && dynamic->d_tag <= DT_JMPREL)
            at[dynamic->d_tag] = dynamic->d_un.d_val;
    if (!at[DT_SYMTAB] || !at[DT_STRTAB])
        return;
    o.symbols = (const ElfW(Sym) *)address(info, at[DT_SYMTAB]);
    o.names = (const char *)address(info, at[DT_STRTAB]);
    lead_rela(&o, address(info, at[DT_RELA]), at[DT_RELASZ]);
    lead_rel(&o, address(info, at[DT_REL]), at[DT_RELSZ]);
    if (at[DT_PLTREL] == DT_RELA)
        lead_rela(&o, address(info, at[DT_JMPREL]), at[DT_PLTRELSZ]);
    else
        lead_rel(&o, address(info, at[DT_JMPREL]), at[DT_PLTRELSZ]);
}

static struct span
span_of(const struct dl_phdr_info *info)
{
    struct span s = { UINTPTR_MAX, 0 };

    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;

        if (p->p_type == PT_LOAD && from < s.from)
            s.from = from;
        if (p->p_type == PT_LOAD && to > s.to)
            s.to = to;
    }
    return s;
}

static int
look_at_object(struct dl_phdr_info *info, size_t size, void *data)
{
    bool *first = data;
    char path[PATH_MAX];

    (void)size;
    if (*first) { /* the program itself comes first */
        hook.host = span_of(info);
        *first = false;
        return 0;
    }
    if (*info->dlpi_name != '/' || strstr(info->dlpi_name, "/ld-"))
        return 0; /* the kernel's, and the loader's own, which has none of these functions */
    if (realpath(info->dlpi_name, path) && strcmp(path, hook.path) == 0)
        hook.plugin = span_of(info);
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            lead_object(info, (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    return 0;
}

bool
rh_alloc_hook(const char *plugin)
{
    bool first = true;

    hook.path = plugin;
    (void)dl_iterate_phdr(look_at_object, &first);
    return hook.plugin.to > 0;
}

uint64_t
rh_alloc_fail(uint64_t at, bool all_behind)
{
    uint64_t seen = hook.seen;

    hook.at = at;
    hook.all_behind = all_behind;
    hook.seen = 0;
    hook.counting = true;
    return seen;
}

void
rh_alloc_pause(bool paused)
{
    hook.counting = !paused;
}
