/* SPDX-License-Identifier: Apache-2.0 */
/* elf - which symbols a shared object exports. */
#include "config.h"

#include "check/elf.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* Old linkers export these from every object. */
static bool
is_linkers(const char *name)
{
    static const char *const names[] = { "_init", "_fini", "_edata", "_end", "__bss_start", NULL };

    for (size_t i = 0; names[i]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Copied, since nothing says that it is aligned; false when it is not inside of the file. */
static bool
take(void *to, size_t size, const char *text, size_t n, uint64_t at)
{
    if (at > n || size > n - at)
        return false;
    memcpy(to, text + at, size);
    return true;
}

static void
add_exports(struct rh_arena *a, struct rh_value *list, const char *text, size_t n, const ElfW(Shdr) * symbols,
            const ElfW(Shdr) * strings)
{
    for (uint64_t at = 0; at + sizeof(ElfW(Sym)) <= symbols->sh_size; at += sizeof(ElfW(Sym))) {
        ElfW(Sym) sym;
        const char *name;
        size_t room;

        if (!take(&sym, sizeof sym, text, n, symbols->sh_offset + at))
            return;
        if (sym.st_shndx == SHN_UNDEF || sym.st_name >= strings->sh_size || (sym.st_info >> 4) == STB_LOCAL
            || (sym.st_other & 3) == STV_HIDDEN || (sym.st_other & 3) == STV_INTERNAL
            || strings->sh_offset >= n || sym.st_name >= n - strings->sh_offset)
            continue;
        name = text + strings->sh_offset + sym.st_name;
        room = n - strings->sh_offset - sym.st_name;
        if (memchr(name, '\0', room) && *name && !is_linkers(name))
            rh_value_append(list, rh_value_string(a, name));
    }
}

struct rh_value *
rh_elf_exports(struct rh_arena *a, const char *path, struct rh_error *err)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, (size_t)1 << 30, &n, err);
    ElfW(Ehdr) head;
    bool found = false;

    if (!text)
        return NULL;
    if (!take(&head, sizeof head, text, n, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
        || head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
        || head.e_shentsize != sizeof(ElfW(Shdr))) {
        rh_error_set(err, RH_EINPUT, "it is not a shared object for this machine");
        return NULL;
    }
    for (unsigned i = 0; i < head.e_shnum; i++) {
        ElfW(Shdr) section, strings;

        if (!take(&section, sizeof section, text, n, head.e_shoff + (uint64_t)i * sizeof section)
            || section.sh_type != SHT_DYNSYM || section.sh_link >= head.e_shnum
            || !take(&strings, sizeof strings, text, n,
                     head.e_shoff + (uint64_t)section.sh_link * sizeof strings))
            continue;
        found = true;
        add_exports(a, list, text, n, &section, &strings);
    }
    if (!found) {
        rh_error_set(err, RH_EINPUT, "its table of dynamic symbols is missing");
        return NULL;
    }
    return list;
}
