/* SPDX-License-Identifier: Apache-2.0 */
/* include-paths - the files that the paths of an include stand for. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "manifest/load/file.h"
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

static bool
is_pattern(const char *text)
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

    if (!is_pattern(path)) {
        add_path(out, rh_xstrdup(path));
        return 0;
    }
    out->pattern = true;
    if (is_pattern(folder))
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

static void
fixed_path(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
           void (*one)(void *, struct rh_file *, const struct rh_value *), void *to)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autopaths struct rh_paths paths = { 0 };

    if (!rh_value_is(v, RH_STRING) || strlen(v->u.string) != v->count || strstr(v->u.string, "${"))
        return;
    if (rh_paths_expand(load, v->u.string, file->source, &paths, &err) < 0)
        return;
    for (size_t i = 0; i < paths.n; i++) {
        struct rh_file *included = rh_file_named(load, paths.v[i], file->source, NULL, NULL);

        if (included)
            one(to, included, v);
    }
}

void
rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                 void (*one)(void *to, struct rh_file *included, const struct rh_value *path), void *to)
{
    if (!rh_value_is(v, RH_ARRAY))
        fixed_path(load, file, v, one, to);
    else
        for (size_t i = 0; i < v->count; i++)
            fixed_path(load, file, rh_value_at(v, i), one, to);
}
