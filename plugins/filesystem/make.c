/* SPDX-License-Identifier: Apache-2.0 */
/* make - makes a file system on a device that has none. */

#include "make.h"

#include "signature.h"
#include "tool.h"
#include "use.h"
#include "uuid.h"

#include <rhost/private.h>

enum { MOST_WORDS = 64 };

#define MAKING "making"

static const struct maker makers[] = {
    { "ext2", "mkfs.ext2", "e2fsprogs", 16 },      { "ext3", "mkfs.ext3", "e2fsprogs", 16 },
    { "ext4", "mkfs.ext4", "e2fsprogs", 16 },      { "xfs", "mkfs.xfs", "xfsprogs", 12 },
    { "btrfs", "mkfs.btrfs", "btrfs-progs", 255 }, { "vfat", "mkfs.vfat", "dosfstools", 11 },
};

/* Options of a program: those with a word behind them, and those without. No option is here that forces, only
 * pretends, or names a file. */
static const struct options_of {
    const char *family, *with, *without;
} options_of[] = {
    { "ext", "bCEgGiIJmMNoOTe", "jD" },
    { "xfs", "bdilmnrs", "K" },
    { "btrfs", "dmnsO", "KM" },
    { "vfat", "DfFhMrRsS", "aI" },
};

/* Words in the value of an option that lead to another device, a file, or another place. */
static const char *const other_places[] = { "device", "logdev", "rtdev", "name", "file", "offset", "root" };

const struct maker *
make_find(const char *fstype)
{
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(makers[i].fstype, fstype) == 0)
            return &makers[i];
    return NULL;
}

static const struct options_of *
known_options(const char *fstype)
{
    const struct options_of *o = options_of;

    while (strncmp(o->family, fstype, strlen(o->family)) != 0)
        o++;
    return o;
}

static int
check_value(rhost_ctx *ctx, size_t i, const char *value)
{
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=,.:^+-%@";
    const char *key = rhost_fmt(ctx, "options[%zu]", i), *word = value;

    if (!*value || *value == '-' || strspn(value, usual) != strlen(value))
        return rhost_fail_attr(ctx, key, "'%s' is not a value of an option of mkfs", value);
    while (*word) {
        size_t len = strcspn(word, "=,");

        for (size_t k = 0; k < sizeof other_places / sizeof *other_places; k++)
            if (len == strlen(other_places[k]) && strncmp(word, other_places[k], len) == 0)
                return rhost_fail_attr(ctx, key, "'%s' is refused: a file system is made on its device alone",
                                       value);
        word += len + (word[len] != '\0');
    }
    return 0;
}

int
make_check_options(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *words = rhost_get(resource, "options");
    const struct options_of *known = known_options(rhost_str_or(resource, "fstype", "ext4"));
    int failed = 0;

    if (rhost_count(words) > MOST_WORDS)
        return rhost_fail_attr(ctx, "options", "there are more than %d words", MOST_WORDS);
    for (size_t i = 0; i < rhost_count(words); i++) {
        const char *word = rhost_str_at(words, i), *key = rhost_fmt(ctx, "options[%zu]", i);
        const char *value = i + 1 < rhost_count(words) ? rhost_str_at(words, i + 1) : NULL;

        if (word[0] != '-' || !word[1] || word[2]) {
            failed = rhost_fail_attr(ctx, key,
                                     "'%s' is not an option of one letter: a value is a word of its own, as "
                                     "in ['-m', '1']",
                                     word);
        } else if (strchr(known->with, word[1]) && value && *value != '-') {
            failed |= check_value(ctx, ++i, value);
        } else if (strchr(known->with, word[1]) && !strchr(known->without, word[1])) {
            failed = rhost_fail_attr(ctx, key, "option '%s' needs a value", word);
        } else if (!strchr(known->without, word[1])) {
            failed = rhost_fail_attr(ctx, key, "option '%s' is not allowed for %s", word,
                                     rhost_str_or(resource, "fstype", ""));
        }
    }
    return failed ? -1 : 0;
}

int
make_check_device(rhost_ctx *ctx, const struct device *d)
{
    if (d->size == 0)
        return rhost_fail(ctx, "'%s' has no size: no medium is in it, or nothing is attached", d->path);
    if (device_check_path(ctx, d) < 0 || use_refuse_any(ctx, d) < 0)
        return -1;
    return signatures_refuse_any(ctx, d);
}

/* The words of mkfs without its device. */
static size_t
first_words(rhost_ctx *ctx, const rhost_value *should, const struct maker *m, const char *uuid,
            const char **argv)
{
    const char *label = rhost_str(should, "label");
    int vfat = strcmp(m->fstype, "vfat") == 0, xfs = strcmp(m->fstype, "xfs") == 0;
    size_t n = 0;

    argv[n++] = m->program;
    if (vfat) {
        argv[n++] = "-i";
        argv[n++] = rhost_fmt(ctx, "%.4s%s", uuid, uuid + 5);
    } else {
        argv[n++] = "-q";
        argv[n++] = xfs ? "-m" : "-U";
        argv[n++] = xfs ? rhost_fmt(ctx, "uuid=%s", uuid) : uuid;
    }
    if (label && *label) {
        argv[n++] = vfat ? "-n" : "-L";
        argv[n++] = label;
    }
    return n;
}

/* 1: the file system with this UUID is on the device; 0: it is not; -1 after the reason was given. */
static int
has_file_system(rhost_ctx *ctx, const struct device *d, const char *fstype, const char *uuid)
{
    struct signatures s;

    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    for (size_t i = 0; i < s.n; i++)
        if (s.at[i].uuid && strcmp(s.at[i].uuid, uuid) == 0 && (!fstype || strcmp(s.at[i].type, fstype) == 0))
            return 1;
    return 0;
}

static int32_t
run_mkfs(rhost_ctx *ctx, const struct rhost_change *change, const struct device *d, const struct maker *m,
         const char *uuid)
{
    const rhost_value *words = rhost_get(change->should, "options");
    const char *argv[MOST_WORDS + 16], *why;
    size_t n = first_words(ctx, change->should, m, uuid, argv);
    int status;

    for (size_t i = 0; i < rhost_count(words); i++)
        argv[n++] = rhost_str_at(words, i);
    argv[n++] = d->real;
    argv[n] = NULL;
    if (rhost_private_put(ctx, change->name, MAKING, uuid) < 0)
        return -1;
    status = tool_run(ctx, argv, &why);
    if (status < 0)
        return -1;
    if (status > 0) {
        struct device quiet = *d;

        /* It has written none: one with this UUID is somebody else's then. */
        quiet.quiet = 1;
        if (has_file_system(ctx, &quiet, NULL, uuid) == 0
            && rhost_private_put(ctx, change->name, MAKING, NULL) < 0)
            return -1;
        return rhost_fail(ctx, "%s failed: %s", m->program, why);
    }
    switch (has_file_system(ctx, d, m->fstype, uuid)) {
    case 1:
        return rhost_private_put(ctx, change->name, MAKING, NULL);
    case 0:
        return rhost_fail(ctx, "%s ended without an error, but '%s' has no such file system", m->program,
                          d->path);
    default:
        return -1;
    }
}

int32_t
make_it(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "device"), *fstype = rhost_str(change->should, "fstype");
    const char *uuid = rhost_str(change->should, "uuid");
    const struct maker *m = fstype ? make_find(fstype) : NULL;
    struct device d;
    int32_t result = -1;
    int opened;

    if (!m)
        return rhost_fail_attr(ctx, "fstype", "'fstype' is required to make a file system");
    if (!tool_exists(ctx, m->program))
        return rhost_fail(ctx, "cannot make %s: %s is not installed (package %s)", fstype, m->program,
                          m->package);
    if (!uuid && !(uuid = strcmp(fstype, "vfat") == 0 ? uuid_new_short(ctx) : uuid_new(ctx)))
        return -1;
    opened = device_open(ctx, path, &d);
    if (opened > 0)
        return rhost_fail(ctx, "device '%s' does not exist", path);
    if (opened < 0)
        return -1;
    if (device_lock(ctx, &d) == 0 && make_check_device(ctx, &d) == 0)
        result = run_mkfs(ctx, change, &d, m, uuid);
    device_close(&d);
    return result;
}

int
make_is_half(rhost_ctx *ctx, const rhost_value *name, const char *uuid)
{
    const char *making = name && uuid ? rhost_private_get(ctx, name, MAKING) : NULL;

    return making && strcmp(making, uuid) == 0;
}
