/* SPDX-License-Identifier: Apache-2.0 */
/* modules - what npm has put below a prefix, or into a project. */

#include "modules.h"

#include "../json_setting/json-read.h"

#include <rhost/path.h>

enum { LARGEST = 1 << 20 };

int32_t
modules_open(rhost_ctx *ctx, struct modules *m, const char *path, const rhost_value *should)
{
    *m = (struct modules){ 0 };
    m->is_project = strcmp(rhost_str_or(should, "layout", "global"), "project") == 0;
    m->directory =
        rhost_fmt(ctx, "%s/%snode_modules", strcmp(path, "/") == 0 ? "" : path, m->is_project ? "" : "lib/");
    return place_open(ctx, &m->place, path, should);
}

/* A file of JSON, whose root is a mapping: 1; 0: there is none, or it is damaged, with the reason in *why; -1
 * with the reason given. */
static int
read_json(struct pool *pool, const char *path, struct tree **root, const char **why)
{
    rhost_ctx *ctx = pool->ctx;
    size_t len;
    const char *text = rhost_path_read(ctx, path, 0, LARGEST, &len, NULL), *wrong;

    *root = NULL;
    if (!text && (errno == ENOENT || errno == ENOTDIR)) {
        *why = rhost_fmt(ctx, "'%s' does not exist", path);
        return 0;
    }
    if (!text)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    wrong = json_read(pool, text, len, root);
    if (wrong || !*root || (*root)->kind != TREE_MAPPING) {
        *why = rhost_fmt(ctx, "'%s' is damaged", path);
        return 0;
    }
    return 1;
}

static int32_t
find_listed(const struct modules *m, const char *name, struct module *found)
{
    static const char *const lists[] = { "dependencies", "devDependencies", "optionalDependencies" };
    POOL(pool, m->place.ctx);
    const char *path = rhost_fmt(pool.ctx, "%s/package.json", m->place.path), *why;
    struct tree *root;
    int known = read_json(&pool, path, &root, &why);

    if (known < 0)
        return -1;
    if (!known && place_has(pool.ctx, path))
        return rhost_fail(pool.ctx, "%s: it is not JSON, or no mapping", why);
    for (size_t i = 0; known && i < sizeof lists / sizeof *lists; i++) {
        const struct tree *list = tree_child(root, lists[i]);

        found->listed |= list && list->kind == TREE_MAPPING && tree_child(list, name);
    }
    return 0;
}

int32_t
modules_find(const struct modules *m, const char *name, struct module *found)
{
    POOL(pool, m->place.ctx);
    const char *directory = rhost_fmt(pool.ctx, "%s/%s", m->directory, name), *why = NULL;
    const struct tree *version;
    struct tree *root;
    struct stat st;
    int known;

    *found = (struct module){ .listed = !m->is_project };
    if (m->is_project && find_listed(m, name, found) < 0)
        return -1;
    if (rhost_path_stat(pool.ctx, directory, 0, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0
                                                   : rhost_fail_path(pool.ctx, "cannot stat '%s'", directory);
    if (S_ISLNK(st.st_mode))
        return rhost_fail(pool.ctx, "'%s' is a link to a directory, as 'npm link' makes it: remove it first",
                          directory);
    known = read_json(&pool, rhost_fmt(pool.ctx, "%s/package.json", directory), &root, &why);
    if (known < 0)
        return -1;
    version = known ? tree_child(root, "version") : NULL;
    if (version && version->kind == TREE_STRING)
        found->version = rhost_strdup(pool.ctx, version->text);
    else
        found->broken = why ? why : rhost_fmt(pool.ctx, "'%s/package.json' has no version", directory);
    return 0;
}
