/* SPDX-License-Identifier: Apache-2.0 */
/* order - the files of modules-load.d(5) and modprobe.d(5) that count, beside the one that is managed. */

#include "order.h"

#include "../sysctl/drop-in.h"

static const char *const to_load[] = { "/etc/modules-load.d", "/run/modules-load.d",
                                       "/usr/local/lib/modules-load.d", "/usr/lib/modules-load.d" };
static const char *const to_configure[] = { "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d",
                                            "/usr/lib/modprobe.d", "/lib/modprobe.d" };

static const char *const *
folders_of(enum entry_kind kind, size_t *n)
{
    *n = kind == ENTRY_LOAD ? sizeof to_load / sizeof *to_load : sizeof to_configure / sizeof *to_configure;
    return kind == ENTRY_LOAD ? to_load : to_configure;
}

/* All that count, in their order. */
static int
find_files(rhost_ctx *ctx, enum entry_kind kind, struct drop_ins *files)
{
    size_t n;
    const char *const *folders = folders_of(kind, &n);

    return drop_ins_find(ctx, folders, n, files);
}

static int
is_in_folders(enum entry_kind kind, const char *target)
{
    size_t n;
    const char *const *folders = folders_of(kind, &n);

    return drop_in_is_in(target, folders, n);
}

/* NULL after the reason was given. A file that is a link to /dev/null, which hides one of that name, is an
 * empty one. */
static struct rhost_lines *
read_file(rhost_ctx *ctx, const char *path)
{
    struct rhost_lines *l = rhost_lines_read(ctx, path);

    if (l)
        return l;
    if (errno == EINVAL)
        return rhost_lines_from("", 0);
    rhost_lines_fail(ctx, path);
    return NULL;
}

int
order_other(rhost_ctx *ctx, const char *target, enum entry_kind kind, const char *name, const char **path)
{
    struct drop_ins files;

    *path = NULL;
    if (!is_in_folders(kind, target))
        return 0;
    if (find_files(ctx, kind, &files) < 0)
        return -1;
    for (size_t i = 0; i < files.n && !*path; i++) {
        struct rhost_lines *l;

        if (strcmp(files.path[i], target) == 0)
            continue;
        l = read_file(ctx, files.path[i]);
        if (!l)
            return -1;
        if (entry_has(ctx, l, kind, name))
            *path = files.path[i];
        rhost_lines_free(l);
    }
    return 0;
}

int
order_overridden(rhost_ctx *ctx, const char *target, const char *name, const rhost_value *options,
                 const char **path, const char **key)
{
    struct drop_ins files;

    *path = NULL;
    if (!rhost_count(options) || !is_in_folders(ENTRY_OPTIONS, target))
        return 0;
    if (find_files(ctx, ENTRY_OPTIONS, &files) < 0)
        return -1;
    for (size_t i = 0; i < files.n && !*path; i++) {
        rhost_value *others = ctx->host->new_hash(ctx);
        struct rhost_lines *l;

        if (strcmp(drop_in_name(files.path[i]), drop_in_name(target)) <= 0)
            continue;
        l = read_file(ctx, files.path[i]);
        if (!l)
            return -1;
        (void)entry_options(ctx, l, name, others);
        rhost_lines_free(l);
        for (size_t k = 0; k < rhost_count(options); k++) {
            const char *value = rhost_at(options, k, key) ? rhost_str(others, *key) : NULL;

            if (value && strcmp(value, rhost_str_at(options, k)) != 0) {
                *path = files.path[i];
                break;
            }
        }
    }
    return 0;
}

int
order_each(rhost_ctx *ctx, enum entry_kind kind, int (*visit)(rhost_ctx *ctx, const char *name, void *data),
           void *data)
{
    struct drop_ins files;
    int result = 0;

    if (find_files(ctx, kind, &files) < 0)
        return -1;
    for (size_t i = 0; i < files.n && result == 0; i++) {
        struct rhost_lines *l = read_file(ctx, files.path[i]);

        if (!l)
            return -1;
        for (size_t at = 0; at < l->n && result == 0;) {
            const char *name = entry_next(ctx, l, kind, &at);

            if (name)
                result = visit(ctx, name, data);
        }
        rhost_lines_free(l);
    }
    return result;
}
