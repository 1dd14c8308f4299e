/* SPDX-License-Identifier: Apache-2.0 */
/* description-cache - what plugins said of themselves when they were last asked. */
#include "config.h"

#include "plugin/description-cache.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "plugin/description-file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };

/* As root we believe only what root wrote: the cache decides what manifests mean. */
static bool
is_ours(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()
           && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

void
rh_description_cache_open(struct rh_description_cache *c, struct rh_arena *a, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    size_t n;

    *c = (struct rh_description_cache){ .arena = a, .path = path };
    if (path && is_ours(path))
        text = rh_read_file(path, LARGEST, &n, &err);
    if (err.message)
        rh_debug("leaving the description cache alone: %s", err.message);
    if (text)
        c->plugins = rh_description_file_read(a, rh_take(&text), n);
    if (!c->plugins)
        c->plugins = rh_value_new(a, RH_HASH);
}

/* What changes when the file does. The time of its last change can't be set back, as packages and
 * `cp -p` do with the other. */
static char *
stamp_one(const struct stat *st)
{
    return rh_printf("%lld %lld.%09ld %lld.%09ld %llu %llu", (long long)st->st_size,
                     (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec,
                     st->st_ctim.tv_nsec, (unsigned long long)st->st_ino, (unsigned long long)st->st_dev);
}

static char *
stamp(const struct stat *st, const struct stat *types)
{
    rh_autofree char *one = stamp_one(st), *other = NULL;

    if (!types)
        return rh_take(&one);
    other = stamp_one(types);
    return rh_printf("%s, %s", one, other);
}

const struct rh_value *
rh_description_cache_get(const struct rh_description_cache *c, const char *plugin, const struct stat *st,
                         const struct stat *types)
{
    const struct rh_value *v = rh_value_get(c->plugins, plugin);
    rh_autofree char *now = stamp(st, types);

    if (!v || strcmp(rh_value_get_str(v, "stamp", ""), now) != 0)
        return NULL;
    return v;
}

const struct rh_value *
rh_description_cache_put(struct rh_description_cache *c, const char *plugin, const struct stat *st,
                         const struct stat *types, const struct rh_value *answer)
{
    rh_autofree char *now = stamp(st, types);
    struct rh_value *summary = rh_description_summary(c->arena, answer);

    rh_value_put(summary, "stamp", rh_value_string(c->arena, now));
    rh_value_put(c->plugins, plugin, summary);
    c->changed = true;
    return summary;
}

/* Of plugins that are gone nobody asks again. */
static void
forget_missing(struct rh_description_cache *c)
{
    struct stat st;

    for (size_t i = rh_value_count(c->plugins); i-- > 0;) {
        const char *plugin = rh_value_entry(c->plugins, i)->key;

        if (stat(plugin, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
            continue;
        rh_value_drop(c->plugins, plugin);
        c->changed = true;
    }
}

void
rh_description_cache_save(struct rh_description_cache *c)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf text = { 0 };
    rh_autofree char *folder = NULL;

    if (!c->path)
        return;
    forget_missing(c);
    if (!c->changed)
        return;
    c->changed = false;
    rh_description_file_write(&text, c->arena, c->plugins);
    folder = rh_xstrdup(c->path);
    if (strrchr(folder, '/'))
        *strrchr(folder, '/') = '\0';
    if (rh_make_directory(folder, 0755, &err) < 0 || rh_replace_file(c->path, text.s, text.n, 0644, &err) < 0)
        rh_debug("cannot keep the descriptions of plugins: %s", err.message);
}
