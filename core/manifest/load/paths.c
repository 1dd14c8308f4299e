/* SPDX-License-Identifier: Apache-2.0 */
/* paths - the files that a path in a manifest stands for. */
#include "config.h"

#include "manifest/load/paths.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "manifest/load/load.h"
#include "manifest/load/root.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

void
rh_paths_clear(struct rh_paths *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->v[i]);
    free(p->v);
}

static void
add_path(struct rh_paths *p, char *path)
{
    p->v = rh_xgrow((void *)p->v, &p->cap, p->n, sizeof *p->v);
    p->v[p->n++] = path;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
rh_paths_is_pattern(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

int
rh_paths_expand(struct rh_load *load, const char *path, unsigned from, struct rh_paths *out,
                struct rh_error *err)
{
    const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    rh_autofree char *folder = slash ? rh_xstrndup(path, (size_t)(slash - path) + 1) : rh_xstrdup("");
    rh_autofree char *name = NULL;
    rh_autoclosedir DIR *d = NULL;
    const struct dirent *e;

    if (!rh_paths_is_pattern(path)) {
        add_path(out, rh_xstrdup(path));
        return 0;
    }
    out->pattern = true;
    if (rh_paths_is_pattern(folder))
        return rh_error_set(err, RH_EINPUT, "'%s': '*', '?' and '[' are allowed only after the last '/'",
                            path);
    name = rh_roots_name(&load->roots, *folder ? folder : ".", from, err);
    if (!name)
        return -1;
    d = opendir(*name ? name : ".");
    if (!d)
        return rh_error_system(err, errno, "cannot open the directory '%s'", *name ? name : ".");
    while ((errno = 0, e = readdir(d)))
        if (fnmatch(last, e->d_name, FNM_PERIOD) == 0)
            add_path(out, rh_printf("%s%s", folder, e->d_name));
    if (errno)
        return rh_error_system(err, errno, "cannot read the directory '%s'", *name ? name : ".");
    if (out->n)
        qsort((void *)out->v, out->n, sizeof *out->v, by_bytes);
    return 0;
}
