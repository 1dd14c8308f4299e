/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - what is mounted where, and how much room there is.
 *
 * Asking a file system for its size blocks for ever when the server behind it is gone. So only those
 * are asked that are on this machine, and whose path leads through no other. */
#include "config.h"

#include "facts/builtin.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "facts/probe.h"

#include <string.h>
#include <sys/statvfs.h>

enum { MOST_MOUNTS = 5000 };

struct mount {
    char *device, *path, *type, *options;
    bool local;
};

/* Blanks, tabs, newlines and backslashes are written as "\040". */
static char *
unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        bool octal = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7'
                     && from[3] >= '0' && from[3] <= '7';

        if (octal) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return text;
}

static bool
is_word_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Known to be answered by this machine's kernel out of its memory or a disk. */
static bool
is_local(const struct mount *m)
{
    static const char *const without_device[] = { "bcachefs", "btrfs", "devtmpfs", "overlay", "ramfs",
                                                  "rootfs",   "tmpfs", "ubifs",    "zfs",     NULL };

    if (strncmp(m->type, "fuse", 4) == 0)
        return false;
    return is_word_of(m->type, without_device) || strncmp(m->device, "/dev/", 5) == 0;
}

/* What the kernel makes up, and answers for at once; it has no size. */
static bool
is_made_up(const struct mount *m)
{
    static const char *const types[] = {
        "autofs", "binfmt_misc", "bpf",        "cgroup",    "cgroup2", "configfs", "debugfs",
        "devpts", "efivarfs",    "fusectl",    "hugetlbfs", "mqueue",  "nsfs",     "proc",
        "pstore", "rpc_pipefs",  "securityfs", "selinuxfs", "sysfs",   "tracefs",  NULL,
    };

    return is_word_of(m->type, types);
}

static bool
is_below(const char *path, const char *other)
{
    size_t n = strlen(other);

    return strncmp(path, other, n) == 0 && (path[n] == '/' || !path[n]);
}

static size_t
read_mounts(const struct rh_probe *l, struct mount *v)
{
    char *text = rh_probe_text(l, "/proc/self/mounts"), *line;
    size_t n = 0;

    while (n < MOST_MOUNTS && (line = rh_probe_next(&text))) {
        struct mount m = { 0 };

        m.device = rh_probe_word(&line);
        m.path = rh_probe_word(&line);
        m.type = rh_probe_word(&line);
        m.options = rh_probe_word(&line);
        if (!m.options || *m.path != '/')
            continue;
        (void)unescape(m.device);
        (void)unescape(m.path);
        m.local = is_local(&m);
        v[n++] = m;
    }
    return n;
}

/* Whether the way to a mount may lead through one that does not answer. Of two on one path, the
 * later one covers the other. */
static bool
is_safe(const struct mount *v, size_t n, size_t at)
{
    if (strcmp(v[at].path, "/") == 0)
        return true; /* without which we would not be here */
    if (!v[at].local)
        return false;
    for (size_t i = 0; i < n; i++)
        if (i != at && v[i].path[1] && !v[i].local && !is_made_up(&v[i]) && is_below(v[at].path, v[i].path)
            && (i > at || strcmp(v[i].path, v[at].path) != 0))
            return false;
    return true;
}

static void
put_size(const struct rh_probe *l, struct rh_value *mount, const char *path)
{
    struct statvfs s;
    uint64_t unit;

    if (statvfs(rh_probe_path(l, "%s", path), &s) < 0 || !s.f_blocks)
        return;
    unit = s.f_frsize ? s.f_frsize : s.f_bsize;
    if (!unit || s.f_blocks > INT64_MAX / unit)
        return;
    rh_probe_put_number(l, mount, "size", (int64_t)(s.f_blocks * unit));
    if (s.f_bavail <= s.f_blocks)
        rh_probe_put_number(l, mount, "available", (int64_t)(s.f_bavail * unit));
}

static struct rh_value *
options_of(const struct rh_probe *l, char *options)
{
    struct rh_value *list = rh_value_new(l->arena, RH_ARRAY), *v;

    while (*options) {
        size_t n = strcspn(options, ",");
        char *next = options[n] ? options + n + 1 : options + n;

        options[n] = '\0';
        v = rh_probe_string(l, unescape(options));
        if (v)
            rh_value_append(list, v);
        options = next;
    }
    return list;
}

struct rh_value *
rh_fact_mounts(const struct rh_probe *l)
{
    rh_autofree struct mount *v = rh_xalloc(MOST_MOUNTS * sizeof *v);
    size_t n = read_mounts(l, v);
    struct rh_value *mounts = n ? rh_value_new(l->arena, RH_HASH) : NULL;

    for (size_t i = 0; i < n; i++) {
        struct rh_value *mount = rh_value_new(l->arena, RH_HASH);

        if (!rh_probe_string(l, v[i].path))
            continue;
        rh_probe_put(l, mount, "device", v[i].device);
        rh_probe_put(l, mount, "type", v[i].type);
        if (is_safe(v, n, i))
            put_size(l, mount, v[i].path);
        rh_value_put(mount, "options", options_of(l, v[i].options));
        rh_value_put(mounts, v[i].path, mount);
    }
    return mounts;
}
