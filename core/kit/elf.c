/* SPDX-License-Identifier: Apache-2.0 */
/* elf - what a program or shared library needs. libelf reads both classes and both byte orders. */
#include "config.h"

#include "kit/elf.h"

#include "base/alloc.h"
#include "base/error.h"

#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1000, MOST_VERSIONS = 10000 };

/* A file that is being read. */
struct reading {
    Elf *elf;
    const char *bytes;
    size_t n, segments;
    GElf_Ehdr head;
    uint64_t strings, strings_size; /* of the dynamic section, as offsets into the file */
};

static const char *
arch_of(const GElf_Ehdr *head)
{
    bool little = head->e_ident[EI_DATA] == ELFDATA2LSB, wide = head->e_ident[EI_CLASS] == ELFCLASS64;
    static const struct {
        unsigned machine;
        bool little, wide;
        const char *name;
    } known[] = {
        { EM_X86_64, true, true, "x86_64" },   { EM_386, true, false, "i386" },
        { EM_AARCH64, true, true, "aarch64" }, { EM_ARM, true, false, "arm" },
        { EM_RISCV, true, true, "riscv64" },   { EM_PPC64, true, true, "ppc64le" },
        { EM_S390, false, true, "s390x" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (head->e_machine == known[i].machine && little == known[i].little && wide == known[i].wide)
            return known[i].name;
    return NULL;
}

/* Where in the file the address is that it has when it is loaded; -1 when it is not in the file. */
static int
offset_of(const struct reading *r, uint64_t address, uint64_t *offset, uint64_t *left)
{
    for (size_t i = 0; i < r->segments; i++) {
        GElf_Phdr segment;

        if (!gelf_getphdr(r->elf, (int)i, &segment) || segment.p_type != PT_LOAD || address < segment.p_vaddr
            || address - segment.p_vaddr >= segment.p_filesz || segment.p_offset > r->n
            || segment.p_filesz > r->n - segment.p_offset)
            continue;
        *offset = segment.p_offset + (address - segment.p_vaddr);
        *left = segment.p_filesz - (address - segment.p_vaddr);
        return 0;
    }
    return -1;
}

/* A text of the string table; NULL when it is not in it. */
static const char *
text_at(const struct reading *r, uint64_t at)
{
    if (at >= r->strings_size || !memchr(r->bytes + r->strings + at, '\0', r->strings_size - at))
        return NULL;
    return r->bytes + r->strings + at;
}

/* -1 where there are more names, or longer ones, than any file needs. */
static int
add_word(struct rh_elf_words *words, const char *s, size_t n, size_t longest)
{
    if (n > longest || words->n >= MOST_WORDS)
        return -1;
    words->v = rh_xgrow(words->v, &words->cap, words->n, sizeof *words->v);
    words->v[words->n++] = rh_xstrndup(s, n);
    return 0;
}

static void
note_version(struct rh_elf *e, const char *name)
{
    unsigned v[3] = { 0 };

    if (strcmp(name, "GLIBC_PRIVATE") == 0)
        e->private_glibc = true;
    if (sscanf(name, "GLIBC_%u.%u.%u", &v[0], &v[1], &v[2]) < 2)
        return;
    for (int i = 0; i < 3; i++) {
        if (v[i] == e->glibc[i])
            continue;
        if (v[i] > e->glibc[i])
            memcpy(e->glibc, v, sizeof v);
        return;
    }
}

/* Each library of which versions are needed, and for each the versions. Both are lists that only go forward.
 */
static int
read_versions(const struct reading *r, struct rh_elf *e, uint64_t address, uint64_t n)
{
    uint64_t at, left, place = 0, seen = 0;
    Elf_Data *data;

    if (offset_of(r, address, &at, &left) < 0 || left > INT_MAX
        || !(data = elf_getdata_rawchunk(r->elf, (int64_t)at, left, ELF_T_VNEED)))
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        GElf_Verneed need;
        uint64_t aux;

        if (place >= left || !gelf_getverneed(data, (int)place, &need))
            return -1;
        aux = place + need.vn_aux;
        for (unsigned k = 0; k < need.vn_cnt; k++) {
            GElf_Vernaux version;
            const char *name;

            if (++seen > MOST_VERSIONS || aux >= left || !gelf_getvernaux(data, (int)aux, &version)
                || !(name = text_at(r, version.vna_name)))
                return -1;
            note_version(e, name);
            if (!version.vna_next)
                break;
            aux += version.vna_next;
        }
        if (!need.vn_next)
            break;
        place += need.vn_next;
    }
    return 0;
}

/* The dynamic section, twice: the texts come with their table. */
static int
read_dynamic(struct reading *r, struct rh_elf *e, const GElf_Phdr *segment)
{
    Elf_Data *data = elf_getdata_rawchunk(r->elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_DYN);
    uint64_t table = 0, table_size = 0, versions = 0, n_versions = 0, left;
    GElf_Dyn d;

    if (!data)
        return -1;
    for (int i = 0; gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
        table = d.d_tag == DT_STRTAB ? d.d_un.d_ptr : table;
        table_size = d.d_tag == DT_STRSZ ? d.d_un.d_val : table_size;
        versions = d.d_tag == DT_VERNEED ? d.d_un.d_ptr : versions;
        n_versions = d.d_tag == DT_VERNEEDNUM ? d.d_un.d_val : n_versions;
    }
    if (offset_of(r, table, &r->strings, &left) < 0 || table_size > left)
        return -1;
    r->strings_size = table_size;
    for (int i = 0; gelf_getdyn(data, i, &d) && d.d_tag != DT_NULL; i++) {
        const char *text;

        if (d.d_tag != DT_NEEDED && d.d_tag != DT_RPATH && d.d_tag != DT_RUNPATH)
            continue;
        text = text_at(r, d.d_un.d_val);
        if (!text)
            return -1;
        if (d.d_tag == DT_NEEDED && add_word(&e->needed, text, strlen(text), NAME_MAX) < 0)
            return -1;
        for (const char *p = text; d.d_tag != DT_NEEDED && *p; p += strspn(p, ":")) {
            if (add_word(&e->paths, p, strcspn(p, ":"), PATH_MAX) < 0)
                return -1;
            p += strcspn(p, ":");
        }
    }
    return versions ? read_versions(r, e, versions, n_versions) : 0;
}

/* A symbol table or debug information, which no loader reads. */
static bool
has_debug(const struct reading *r)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(r->elf, section))) {
        GElf_Shdr head;

        if (gelf_getshdr(section, &head) && head.sh_type == SHT_SYMTAB)
            return true;
    }
    return false;
}

static int
read_segments(struct reading *r, struct rh_elf *e)
{
    uint64_t end = 0;
    bool dynamic = false;

    for (size_t i = 0; i < r->segments; i++) {
        GElf_Phdr segment;

        if (!gelf_getphdr(r->elf, (int)i, &segment))
            return -1;
        if (segment.p_type == PT_GNU_STACK || segment.p_filesz == 0)
            continue;
        if (segment.p_offset > r->n || segment.p_filesz > r->n - segment.p_offset)
            return -1;
        end = segment.p_offset + segment.p_filesz > end ? segment.p_offset + segment.p_filesz : end;
        if (segment.p_type == PT_INTERP && !e->interpreter)
            e->interpreter = rh_xstrndup(r->bytes + segment.p_offset, segment.p_filesz);
        if (segment.p_type != PT_DYNAMIC)
            continue;
        if (dynamic || read_dynamic(r, e, &segment) < 0)
            return -1;
        dynamic = true;
    }
    e->loaded = has_debug(r) && end < r->n ? end : 0;
    return 0;
}

int
rh_elf_read(struct rh_elf *e, char *bytes, size_t n, const char *name, struct rh_error *err)
{
    struct reading r = { .bytes = bytes, .n = n };
    int rc = -1;

    *e = (struct rh_elf){ 0 };
    if (elf_version(EV_CURRENT) == EV_NONE || !(r.elf = elf_memory(bytes, n)))
        return rh_error_set(err, RH_ESYSTEM, "cannot read '%s': %s", name, elf_errmsg(-1));
    if (elf_kind(r.elf) != ELF_K_ELF || !gelf_getehdr(r.elf, &r.head)
        || elf_getphdrnum(r.elf, &r.segments) < 0)
        rh_error_set(err, RH_EINPUT, "'%s' is not a program or shared library", name);
    else if (!(e->arch = arch_of(&r.head)))
        rh_error_set(err, RH_EINPUT,
                     "'%s' is for an architecture that kits are not made for (ELF machine %u)", name,
                     (unsigned)r.head.e_machine);
    else if (read_segments(&r, e) < 0)
        rh_error_set(err, RH_EINPUT, "'%s' is damaged: its dynamic section cannot be read", name);
    else
        rc = 0;
    (void)elf_end(r.elf);
    return rc;
}

static void
clear_words(struct rh_elf_words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->v[i]);
    free(words->v);
}

void
rh_elf_clear(struct rh_elf *e)
{
    free(e->interpreter);
    clear_words(&e->needed);
    clear_words(&e->paths);
    *e = (struct rh_elf){ 0 };
}

size_t
rh_elf_strip(char *bytes, size_t n, size_t loaded)
{
    if (!loaded || loaded >= n)
        return n;
    /* No section is left: neither is their table. All zeros in either byte order. */
    if (bytes[EI_CLASS] == ELFCLASS64) {
        memset(bytes + offsetof(Elf64_Ehdr, e_shoff), 0, sizeof(Elf64_Off));
        memset(bytes + offsetof(Elf64_Ehdr, e_shnum), 0, 2 * sizeof(Elf64_Half));
    } else {
        memset(bytes + offsetof(Elf32_Ehdr, e_shoff), 0, sizeof(Elf32_Off));
        memset(bytes + offsetof(Elf32_Ehdr, e_shnum), 0, 2 * sizeof(Elf32_Half));
    }
    return loaded;
}
