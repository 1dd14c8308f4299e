/* SPDX-License-Identifier: Apache-2.0 */
/* acl - POSIX ACLs of files and directories, in the form in which the kernel keeps them
 * (linux/posix_acl_xattr.h).
 *
 * The entries of the owner, of the group and of others come from `mode`, and the mask is always what lets all
 * entries have what they say. So `mode` means the same with an ACL as without one, where chmod(1) would
 * change the mask. */

#include "acl.h"

#include <rhost/posix.h>

#include <endian.h>
#include <sys/xattr.h>

#define ACCESS "system.posix_acl_access"
#define DEFAULT "system.posix_acl_default"

enum { VERSION = 2, HEADER = 4, ENTRY = 8, LARGEST = 65536 };
enum { USER_OBJ = 0x01, USER = 0x02, GROUP_OBJ = 0x04, GROUP = 0x08, MASK = 0x10, OTHER = 0x20 };
enum { R = 4, W = 2, X = 1, X_IF = 8 /* x where others have it, and for directories */ };

struct entry {
    int is_default;
    unsigned tag, perm;
    const char *name; /* "" for the owner, the group and others */
};

struct list {
    struct entry *at;
    size_t n;
};

/* --- As text. --------------------------------------------------------------------------------- */

static struct entry
parse(rhost_ctx *ctx, const char *text)
{
    struct entry e = { .is_default = *text == 'd' };
    const char *kind = e.is_default ? strchr(text, ':') + 1 : text;
    const char *name = strchr(kind, ':') + 1, *perms = strchr(name, ':') + 1;
    int named = *name != ':';

    e.name = rhost_copy(ctx, name, (size_t)(perms - 1 - name));
    e.tag = *kind == 'o' ? OTHER : *kind == 'u' ? named ? USER : USER_OBJ : named ? GROUP : GROUP_OBJ;
    for (; *perms; perms++)
        e.perm |= *perms == 'r' ? R : *perms == 'w' ? W : *perms == 'x' ? X : *perms == 'X' ? X_IF : 0u;
    return e;
}

static struct list
parse_all(rhost_ctx *ctx, const rhost_value *array)
{
    struct list l = { NULL, rhost_count(array) };

    l.at = rhost_alloc(ctx, (l.n + 1) * sizeof *l.at);
    for (size_t i = 0; i < l.n; i++)
        l.at[i] = parse(ctx, rhost_str_at(array, i));
    return l;
}

static const char *
text_of(rhost_ctx *ctx, const struct entry *e)
{
    return rhost_fmt(ctx, "%s%s:%s:%c%c%c", e->is_default ? "d:" : "",
                     e->tag & (USER | USER_OBJ)     ? "u"
                     : e->tag & (GROUP | GROUP_OBJ) ? "g"
                                                    : "o",
                     e->name, e->perm & R ? 'r' : '-', e->perm & W ? 'w' : '-',
                     e->perm & X      ? 'x'
                     : e->perm & X_IF ? 'X'
                                      : '-');
}

static const char *
mistake(const struct entry *e, int is_directory)
{
    if (e->is_default && !is_directory)
        return "only a directory has entries for what is created in it";
    if (e->tag == OTHER && *e->name)
        return "others have no name";
    if (!e->is_default && !*e->name)
        return "the permissions of the owner, the group and others come from 'mode'";
    return NULL;
}

int
acl_tidy(rhost_ctx *ctx, rhost_value *resource, int is_directory)
{
    const rhost_value *array = rhost_get(resource, "acl");
    struct list l = parse_all(ctx, array);
    rhost_value *tidy;

    for (size_t i = 0; i < l.n; i++) {
        struct entry *e = &l.at[i];
        const char *why = mistake(e, is_directory);
        int groups = e->tag == GROUP;
        int64_t id = *e->name ? rhost_look_up_id(ctx, groups, e->name) : -1;

        if (id >= 0)
            e->name = rhost_look_up_name(ctx, groups, (uint32_t)id);
        for (size_t k = 0; k < i && !why; k++)
            if (l.at[k].is_default == e->is_default && l.at[k].tag == e->tag
                && strcmp(l.at[k].name, e->name) == 0)
                why = "another entry is for the same";
        if (why)
            return rhost_fail_attr(ctx, rhost_fmt(ctx, "acl[%zu]", i), "%s: %s", text_of(ctx, e), why);
    }
    if (!l.n)
        return 0;
    tidy = resource->host->put_array(resource, "acl");
    for (size_t i = 0; i < l.n; i++)
        rhost_put_str(tidy, NULL, text_of(ctx, &l.at[i]));
    return 0;
}

/* --- As the kernel has it. -------------------------------------------------------------------- */

struct raw {
    unsigned char *at;
    size_t len; /* 0: none */
};

static void
put(struct raw *raw, unsigned tag, unsigned perm, uint32_t id)
{
    const uint16_t small[2] = { htole16((uint16_t)tag), htole16((uint16_t)perm) };
    const uint32_t large = htole32(id);

    memcpy(raw->at + raw->len, small, sizeof small);
    memcpy(raw->at + raw->len + sizeof small, &large, sizeof large);
    raw->len += ENTRY;
}

struct number {
    uint32_t id;
    unsigned perm;
};

static int
by_id(const void *a, const void *b)
{
    const struct number *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

/* The entries with a name of one kind, in the order of their numbers. -1 when one is unknown: *unknown. */
static int
put_named(rhost_ctx *ctx, struct raw *raw, const struct list *l, int is_default, unsigned tag, int executes,
          const struct entry **unknown)
{
    struct number *numbers = rhost_alloc(ctx, (l->n + 1) * sizeof *numbers);
    size_t n = 0;

    for (size_t i = 0; i < l->n; i++) {
        const struct entry *e = &l->at[i];
        int64_t id;

        if (e->tag != tag || e->is_default != is_default)
            continue;
        id = rhost_look_up_id(ctx, tag == GROUP, e->name);
        if (id < 0) {
            *unknown = e;
            return -1;
        }
        numbers[n++] = (struct number){ (uint32_t)id, (e->perm & 7) | (e->perm & X_IF && executes ? X : 0u) };
    }
    if (n)
        qsort(numbers, n, sizeof *numbers, by_id);
    for (size_t i = 0; i < n; i++)
        put(raw, tag, numbers[i].perm, numbers[i].id);
    return 0;
}

/* What `tag` has of a default ACL, which `mode` says where no entry does. */
static unsigned
base(const struct list *l, int is_default, unsigned tag, unsigned perm)
{
    for (size_t i = 0; is_default && i < l->n; i++)
        if (l->at[i].is_default && l->at[i].tag == tag)
            return (l->at[i].perm & 7) | (l->at[i].perm & X_IF ? X : 0u);
    return perm & 7;
}

/* The access ACL of the list, or its default ACL; none where the mode says all. */
static int
build(rhost_ctx *ctx, const struct list *l, int is_default, int is_directory, unsigned mode, struct raw *raw,
      const struct entry **unknown)
{
    const uint32_t version = htole32(VERSION);
    int executes = is_directory || mode & 0111, n = 0;
    unsigned mask;
    size_t from;

    raw->len = 0;
    for (size_t i = 0; i < l->n; i++)
        n += l->at[i].is_default == is_default;
    if (!n)
        return 0;
    raw->at = rhost_alloc(ctx, HEADER + (l->n + 4) * ENTRY);
    memcpy(raw->at, &version, sizeof version);
    raw->len = HEADER;
    put(raw, USER_OBJ, base(l, is_default, USER_OBJ, mode >> 6), UINT32_MAX);
    from = raw->len;
    if (put_named(ctx, raw, l, is_default, USER, executes, unknown) < 0)
        return -1;
    put(raw, GROUP_OBJ, base(l, is_default, GROUP_OBJ, mode >> 3), UINT32_MAX);
    if (put_named(ctx, raw, l, is_default, GROUP, executes, unknown) < 0)
        return -1;
    mask = 0;
    for (size_t at = from; at < raw->len; at += ENTRY)
        mask |= raw->at[at + 2];
    if (raw->len > from + ENTRY)
        put(raw, MASK, mask, UINT32_MAX);
    put(raw, OTHER, base(l, is_default, OTHER, mode), UINT32_MAX);
    return 0;
}

/* Reads one of the two: 0, and none where the file system has no such; -1 with errno. */
static int
read_raw(int fd, const char *name, unsigned char *buffer, size_t *len)
{
    ssize_t n = fgetxattr(fd, name, buffer, LARGEST);

    *len = n < 0 ? 0 : (size_t)n;
    return n >= 0 || errno == ENODATA || errno == ENOTSUP || errno == EOPNOTSUPP ? 0 : -1;
}

static unsigned
field(const unsigned char *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

/* What the entries with a name, and that of the group, have at most. */
static unsigned
mask_of(const unsigned char *raw, size_t len)
{
    for (size_t at = HEADER; at + ENTRY <= len; at += ENTRY)
        if (field(raw + at) == MASK)
            return field(raw + at + 2);
    return 7;
}

int
acl_own_mode(int fd, struct stat *st)
{
    unsigned char raw[LARGEST];
    size_t len;

    if (read_raw(fd, ACCESS, raw, &len) < 0)
        return -1;
    for (size_t at = HEADER; at + ENTRY <= len; at += ENTRY)
        if (field(raw + at) == GROUP_OBJ)
            st->st_mode =
                (st->st_mode & ~(mode_t)070) | (mode_t)(field(raw + at + 2) & mask_of(raw, len) & 7) << 3;
    return 0;
}

/* Adds what is there, with what each entry has in effect. */
static int
read_list(rhost_ctx *ctx, int fd, int is_default, struct list *l)
{
    unsigned char raw[LARGEST];
    size_t len;
    struct entry *more;

    if (read_raw(fd, is_default ? DEFAULT : ACCESS, raw, &len) < 0)
        return rhost_fail_errno(ctx, "cannot read the ACL");
    more = rhost_alloc(ctx, (l->n + len / ENTRY + 1) * sizeof *more);
    if (l->n)
        memcpy(more, l->at, l->n * sizeof *more);
    l->at = more;
    for (size_t at = HEADER; at + ENTRY <= len; at += ENTRY) {
        struct entry e = { .is_default = is_default,
                           .tag = field(raw + at),
                           .perm = field(raw + at + 2) & 7 };
        uint32_t id;

        if (e.tag == MASK || (!is_default && !(e.tag & (USER | GROUP))))
            continue;
        memcpy(&id, raw + at + 4, sizeof id);
        if (e.tag & (USER | GROUP_OBJ | GROUP))
            e.perm &= mask_of(raw, len);
        e.name = e.tag & (USER | GROUP) ? rhost_look_up_name(ctx, e.tag == GROUP, le32toh(id)) : "";
        l->at[l->n++] = e;
    }
    return 0;
}

static int
is_same(const struct raw *a, const struct raw *b)
{
    return a->len == b->len && (!a->len || memcmp(a->at, b->at, a->len) == 0);
}

int
acl_report(rhost_ctx *ctx, int fd, int is_directory, int64_t mode, const rhost_value *should,
           rhost_value *current)
{
    const rhost_value *wanted = rhost_get(should, "acl");
    struct list is = { NULL, 0 }, list;
    const struct entry *unknown;
    struct raw a, b;
    rhost_value *array;
    int same = wanted != NULL;

    if (read_list(ctx, fd, 0, &is) < 0 || (is_directory && read_list(ctx, fd, 1, &is) < 0))
        return -1;
    list = parse_all(ctx, wanted);
    for (int is_default = 0; same && is_default <= is_directory; is_default++)
        same = build(ctx, &is, is_default, is_directory, (unsigned)mode, &a, &unknown) == 0
               && build(ctx, &list, is_default, is_directory, (unsigned)mode, &b, &unknown) == 0
               && is_same(&a, &b);
    if (same) {
        rhost_put_copy(current, "acl", wanted);
    } else if (wanted || is.n) {
        array = current->host->put_array(current, "acl");
        for (size_t i = 0; i < is.n; i++)
            rhost_put_str(array, NULL, text_of(ctx, &is.at[i]));
    }
    return 0;
}

static int
put_raw(int fd, const char *name, const struct raw *raw)
{
    if (raw->len)
        return fsetxattr(fd, name, raw->at, raw->len, 0);
    return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP || errno == EOPNOTSUPP ? 0
                                                                                                      : -1;
}

int
acl_set(rhost_ctx *ctx, int fd, int is_directory, int64_t mode, const rhost_value *should)
{
    struct list list = parse_all(ctx, rhost_get(should, "acl"));
    const struct entry *unknown;
    struct stat st;
    struct raw raw;

    for (int is_default = 0; is_default <= is_directory; is_default++) {
        if (build(ctx, &list, is_default, is_directory, (unsigned)mode, &raw, &unknown) < 0)
            return rhost_fail_attr(ctx, "acl", "unknown %s '%s'", unknown->tag == GROUP ? "group" : "user",
                                   unknown->name);
        if (put_raw(fd, is_default ? DEFAULT : ACCESS, &raw) < 0)
            return errno == ENOTSUP || errno == EOPNOTSUPP
                       ? rhost_fail_attr(ctx, "acl", "the file system has no ACLs")
                       : rhost_fail_errno(ctx, "cannot set the ACL");
        if (is_default || raw.len)
            continue;
        /* What the mask was stays as the bits of the group. */
        if (fstat(fd, &st) < 0 || ((st.st_mode & 07777) != (mode_t)mode && fchmod(fd, (mode_t)mode) < 0))
            return rhost_fail_errno(ctx, "cannot change the mode");
    }
    return 0;
}
