/* SPDX-License-Identifier: Apache-2.0 */
/* drop-in - files NAME.conf in several directories, of which programs such as sysctl(8) and modprobe(8) read
 * all.
 */

#include "drop-in.h"

#include <rhost/path.h>

#include <stdlib.h>

const char *
drop_in_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(drop_in_name(*(const char *const *)a), drop_in_name(*(const char *const *)b));
}

int
drop_in_is_in(const char *path, const char *const *folders, size_t n)
{
    size_t len = (size_t)(drop_in_name(path) - path);

    for (size_t i = 0; i < n; i++)
        if (len == strlen(folders[i]) + 1 && strncmp(path, folders[i], len - 1) == 0)
            return 1;
    return 0;
}

void
drop_ins_add(rhost_ctx *ctx, struct drop_ins *files, const char *path)
{
    if (files->n == files->room) {
        const char **more;

        files->room = files->room ? 2 * files->room : 16;
        more = rhost_alloc(ctx, files->room * sizeof *more);
        if (files->n)
            memcpy(more, files->path, files->n * sizeof *more);
        files->path = more;
    }
    files->path[files->n++] = path;
}

static int
counts(const struct drop_ins *files, const char *name)
{
    size_t len = strlen(name);

    if (len <= 5 || strcmp(name + len - 5, ".conf") != 0)
        return 0;
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(drop_in_name(files->path[i]), name) == 0)
            return 0;
    return 1;
}

int
drop_ins_find(rhost_ctx *ctx, const char *const *folders, size_t n, struct drop_ins *files)
{
    *files = (struct drop_ins){ 0 };
    for (size_t i = 0; i < n; i++) {
        const char **names;
        ssize_t m = rhost_path_list(ctx, folders[i], RHOST_PATH_FOLLOW, &names);

        if (m < 0 && errno != ENOENT)
            return rhost_fail_path(ctx, "cannot read '%s'", folders[i]);
        for (ssize_t k = 0; k < m; k++)
            if (counts(files, names[k]))
                drop_ins_add(ctx, files, rhost_fmt(ctx, "%s/%s", folders[i], names[k]));
    }
    if (files->n)
        qsort(files->path, files->n, sizeof *files->path, by_name);
    return 0;
}
