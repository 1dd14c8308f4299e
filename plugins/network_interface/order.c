/* SPDX-License-Identifier: Apache-2.0 */
/* order - other files of systemd-networkd that have a say: those that come first, and drop-ins. */

#include "order.h"

#include "config.h"
#include "unit.h"

#include "../sysctl/drop-in.h"

#include <fnmatch.h>

static const char *const folders[] = { "/etc/systemd/network", "/run/systemd/network",
                                       "/usr/local/lib/systemd/network", "/usr/lib/systemd/network" };

enum { FOLDERS = sizeof folders / sizeof *folders };

static int
ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n > m && strcmp(text + n - m, end) == 0;
}

/* NULL with errno 0 where the file is none that counts: a link to /dev/null hides one of its name. */
static struct rhost_lines *
read_file(rhost_ctx *ctx, const char *path)
{
    struct rhost_lines *l = rhost_lines_read(ctx, path);

    if (l || errno == EINVAL)
        return l ? l : rhost_lines_from("", 0);
    rhost_lines_fail(ctx, path);
    return NULL;
}

/* Whether each of the names that `match` has is matched by [Match], which has nothing but names. */
static int
takes(rhost_ctx *ctx, const struct rhost_lines *l, const char *match)
{
    struct unit u = unit_parse(ctx, l);
    const rhost_value *patterns = unit_words(ctx, &u, "Match", "Name");

    for (size_t i = 0; i < u.n_entries; i++)
        if (strcmp(u.sections[u.entries[i].section].name, "Match") == 0
            && strcmp(u.entries[i].key, "Name") != 0)
            return 0;
    if (!rhost_count(patterns) || *rhost_str_at(patterns, 0) == '!' || !*match || *match == '!')
        return 0;
    while (*match) {
        size_t len = strcspn(match, " "), i = 0;

        while (i < rhost_count(patterns)
               && fnmatch(rhost_str_at(patterns, i), rhost_copy(ctx, match, len), 0) != 0)
            i++;
        if (i == rhost_count(patterns))
            return 0;
        match += len + (match[len] != '\0');
    }
    return 1;
}

/* Whether a file of this name counts that is in an earlier directory. */
static int
is_hidden(rhost_ctx *ctx, size_t folder, const char *name)
{
    struct stat st;

    for (size_t i = 0; i < folder; i++)
        if (rhost_path_stat(ctx, rhost_fmt(ctx, "%s/%s", folders[i], name), 0, &st) == 0)
            return 1;
    return 0;
}

int
order_first(rhost_ctx *ctx, const char *target, const char *match, const char **path)
{
    *path = NULL;
    if (!drop_in_is_in(target, folders, FOLDERS))
        return 0;
    for (size_t i = 0; i < FOLDERS && !*path; i++) {
        const char **names;
        ssize_t n = rhost_path_list(ctx, folders[i], RHOST_PATH_FOLLOW, &names);

        if (n < 0 && errno != ENOENT)
            return rhost_fail_path(ctx, "cannot read '%s'", folders[i]);
        for (ssize_t k = 0; k < n && !*path; k++) {
            struct rhost_lines *l;

            if (!ends_with(names[k], ".network") || strcmp(names[k], drop_in_name(target)) >= 0
                || is_hidden(ctx, i, names[k]))
                continue;
            l = read_file(ctx, rhost_fmt(ctx, "%s/%s", folders[i], names[k]));
            if (!l)
                return -1;
            if (takes(ctx, l, match))
                *path = rhost_fmt(ctx, "%s/%s", folders[i], names[k]);
            rhost_lines_free(l);
        }
    }
    return 0;
}

static int
look_into(rhost_ctx *ctx, const char *folder, const rhost_value *should, const char **path, const char **key)
{
    const char **names;
    ssize_t n = rhost_path_list(ctx, folder, RHOST_PATH_FOLLOW, &names);

    if (n < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(ctx, "cannot read '%s'", folder);
    for (ssize_t k = 0; k < n && !*path; k++) {
        struct rhost_lines *l;

        if (!ends_with(names[k], ".conf"))
            continue;
        l = read_file(ctx, rhost_fmt(ctx, "%s/%s", folder, names[k]));
        if (!l)
            return -1;
        *key = config_sets(ctx, l, should);
        if (*key)
            *path = rhost_fmt(ctx, "%s/%s", folder, names[k]);
        rhost_lines_free(l);
    }
    return 0;
}

int
order_drop_in(rhost_ctx *ctx, const char *target, const rhost_value *should, const char **path,
              const char **key)
{
    *path = NULL;
    if (!drop_in_is_in(target, folders, FOLDERS))
        return look_into(ctx, rhost_fmt(ctx, "%s.d", target), should, path, key);
    for (size_t i = 0; i < FOLDERS && !*path; i++)
        if (look_into(ctx, rhost_fmt(ctx, "%s/%s.d", folders[i], drop_in_name(target)), should, path, key)
            < 0)
            return -1;
    return 0;
}
