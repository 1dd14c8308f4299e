/* SPDX-License-Identifier: Apache-2.0 */
/* libraries - what a shared object is linked with. */
#include "config.h"

#include "plugin/libraries.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEADERS = 64, MOST_ENTRIES = 1024, MOST_NEEDED = 64, DEEPEST = 4 };

struct object {
    int fd;
    ElfW(Phdr) headers[MOST_HEADERS];
    size_t n_headers;
};

static bool
read_at(int fd, void *to, size_t n, ElfW(Off) at)
{
    return at <= LONG_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static bool
read_headers(struct object *o)
{
    ElfW(Ehdr) head;

    if (!read_at(o->fd, &head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
        || head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)
        || head.e_phentsize != sizeof *o->headers || head.e_phnum > MOST_HEADERS)
        return false;
    o->n_headers = head.e_phnum;
    return read_at(o->fd, o->headers, o->n_headers * sizeof *o->headers, head.e_phoff);
}

/* Where in the file that is which is at this address in memory. */
static bool
offset_of(const struct object *o, ElfW(Addr) address, ElfW(Off) * offset)
{
    for (size_t i = 0; i < o->n_headers; i++) {
        const ElfW(Phdr) *h = &o->headers[i];

        if (h->p_type != PT_LOAD || address < h->p_vaddr || address - h->p_vaddr >= h->p_filesz)
            continue;
        *offset = h->p_offset + (address - h->p_vaddr);
        return true;
    }
    return false;
}

/* "$ORIGIN/../lib"; NULL: it does not mean a directory that is known. The caller's. */
static char *
expand(const char *one, size_t n, const char *origin)
{
    static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);

        if (n >= len && strncmp(one, words[i], len) == 0 && (n == len || one[len] == '/'))
            return rh_printf("%s%.*s", origin, (int)(n - len), one + len);
    }
    return n && *one == '/' ? rh_xstrndup(one, n) : NULL;
}

struct search {
    void (*each)(void *data, const char *library);
    void *data;
    const char *origin;
    int depth;
};

static void search_object(const struct search *s, const char *path);

/* Looks for one library in each directory of a list. */
static void
search_list(const struct search *s, const char *list, const char *library)
{
    while (*list) {
        size_t n = strcspn(list, ":");
        rh_autofree char *directory = expand(list, n, s->origin);
        rh_autofree char *path = directory ? rh_printf("%s/%s", directory, library) : NULL;

        if (path)
            search_object(s, path);
        list += n + (list[n] == ':');
    }
}

/* A text of the table at this address; the caller's, or NULL. */
static char *
text_at(const struct object *o, ElfW(Addr) address)
{
    rh_autofree char *text = rh_xalloc(PATH_MAX);
    ElfW(Off) at;
    ssize_t n;

    if (!offset_of(o, address, &at) || at > LONG_MAX
        || (n = pread(o->fd, text, PATH_MAX - 1, (off_t)at)) <= 0)
        return NULL;
    text[n] = '\0';
    return rh_take(&text);
}

/* What the dynamic section has of one kind, or the address of its table of texts. */
struct entries {
    ElfW(Addr) table, lists[2], needed[MOST_NEEDED]; /* places in the table */
    size_t n_lists, n_needed;
};

static void
read_entries(const struct object *o, struct entries *e)
{
    ElfW(Off) at = 0, end = 0;
    ElfW(Dyn) entry;

    for (size_t i = 0; i < o->n_headers; i++)
        if (o->headers[i].p_type == PT_DYNAMIC) {
            at = o->headers[i].p_offset;
            end = at + o->headers[i].p_filesz;
        }
    for (int i = 0; i < MOST_ENTRIES && at < end && read_at(o->fd, &entry, sizeof entry, at); i++) {
        at += sizeof entry;
        if (entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_STRTAB)
            e->table = entry.d_un.d_ptr;
        else if ((entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) && e->n_lists < 2)
            e->lists[e->n_lists++] = entry.d_un.d_val;
        else if (entry.d_tag == DT_NEEDED && e->n_needed < MOST_NEEDED)
            e->needed[e->n_needed++] = entry.d_un.d_val;
    }
}

static void
search_needed(const struct search *s, const struct object *o)
{
    struct entries e = { 0 };

    read_entries(o, &e);
    for (size_t i = 0; i < e.n_lists; i++) {
        rh_autofree char *list = text_at(o, e.table + e.lists[i]);

        for (size_t k = 0; list && k < e.n_needed; k++) {
            rh_autofree char *library = text_at(o, e.table + e.needed[k]);

            if (library && *library && !strchr(library, '/'))
                search_list(s, list, library);
        }
    }
}

/* Reports it, unless it is the plugin itself, and goes on with what it needs. */
static void
search_object(const struct search *s, const char *path)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct object o = { .fd = fd };
    rh_autofree char *origin = rh_xstrdup(path);
    char *slash = strrchr(origin, '/');
    const struct search next = { s->each, s->data, origin, s->depth + 1 };

    if (fd < 0 || !slash || !read_headers(&o))
        return;
    *slash = '\0';
    if (s->depth)
        s->each(s->data, path);
    if (s->depth < DEEPEST)
        search_needed(&next, &o);
}

void
rh_libraries_each(const char *path, void (*each)(void *data, const char *library), void *data)
{
    const struct search first = { each, data, "", 0 };

    search_object(&first, path);
}
