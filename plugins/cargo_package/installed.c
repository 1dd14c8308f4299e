/* SPDX-License-Identifier: Apache-2.0 */
/* installed - what cargo has noted of the crates that it has installed below a directory. */

#include "installed.h"

#include "listing.h"
#include "requirement.h"

#include "../json_setting/json-read.h"

#include <rhost/path.h>

enum { LARGEST = 1 << 22 };

/* 1 with its text; 0: there is no such file; -1 with the reason given. */
static int
read_notes(const struct place *p, const char *path, const char **text, size_t *len)
{
    *text = rhost_path_read(p->ctx, path, 0, LARGEST, len, NULL);
    if (*text)
        return 1;
    return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(p->ctx, "cannot read '%s'", path);
}

static const struct tree *
child(const struct tree *t, const char *key, enum tree_kind kind)
{
    const struct tree *found = t && t->kind == TREE_MAPPING ? tree_child(t, key) : NULL;

    return found && found->kind == kind ? found : NULL;
}

/* cargo takes a crate that .crates2.json does not have for one that was built with the default features. */
static void
read_build(const struct tree *build, struct crate *found)
{
    const struct tree *features = child(build, "features", TREE_LIST),
                      *all = child(build, "all_features", TREE_BOOLEAN),
                      *without = child(build, "no_default_features", TREE_BOOLEAN);

    for (const struct tree *one = features ? features->first : NULL; one; one = one->next)
        if (one->kind == TREE_STRING)
            words_add(&found->features, rhost_strdup(found->features.ctx, one->text));
    found->all_features = all && all->integer;
    found->without_default = without && without->integer;
}

static int32_t
find_build(const struct place *p, const char *id, struct crate *found)
{
    POOL(pool, p->ctx);
    const char *path = rhost_fmt(p->ctx, "%s/.crates2.json", p->path), *text, *wrong;
    struct tree *root;
    size_t len;
    int known = read_notes(p, path, &text, &len);

    found->features = (struct words){ .ctx = p->ctx };
    if (known <= 0 || len == 0)
        return known < 0 ? -1 : 0;
    wrong = json_read(&pool, text, len, &root);
    if (wrong || !child(root, "installs", TREE_MAPPING))
        return rhost_fail(
            p->ctx,
            "'%s' is damaged, and cargo refuses to work with it: remove it, and cargo makes a new "
            "one out of '.crates.toml'",
            path);
    read_build(child(child(root, "installs", TREE_MAPPING), id, TREE_MAPPING), found);
    return 0;
}

static void
find_missing(const struct place *p, const struct listed *l, struct crate *found)
{
    found->missing = (struct words){ .ctx = p->ctx };
    for (const char *const *program = l->programs; *program; program++) {
        const char *path = rhost_fmt(p->ctx, "%s/bin/%s", p->path, *program);

        if (!place_has(p->ctx, path) && (errno == ENOENT || errno == ENOTDIR))
            words_add(&found->missing, path);
    }
    found->broken = found->missing.n ? found->missing.all[0] : NULL;
}

int32_t
installed_find(const struct place *p, const char *name, const char *wanted, struct crate *found)
{
    const char *path = rhost_fmt(p->ctx, "%s/.crates.toml", p->path), *text, *wrong;
    const struct listed *one = NULL;
    struct listing listing;
    size_t len;
    int known = read_notes(p, path, &text, &len);

    *found = (struct crate){ 0 };
    if (known <= 0)
        return known;
    wrong = strlen(text) == len ? listing_read(p->ctx, text, &listing) : "it has a NUL";
    if (wrong)
        return rhost_fail(p->ctx, "'%s' is damaged: %s", path, wrong);
    for (size_t i = 0; i < listing.n; i++)
        if (strcmp(listing.all[i].name, name) == 0
            && (!one || (wanted && requirement_accepts(p->ctx, wanted, listing.all[i].version))))
            one = &listing.all[i];
    if (!one)
        return 0;
    found->version = one->version;
    find_missing(p, one, found);
    return find_build(p, one->id, found);
}
