/* SPDX-License-Identifier: Apache-2.0 */
/* setting - a value at a JSON pointer in a file, whatever the format of the file. */

#include "setting.h"

#include "pointer.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#define LOST "the file cannot be edited there without changing something else in it"

int32_t
setting_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (rhost_check_validate(ctx, resource) < 0)
        return -1;
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

int32_t
setting_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char **keys;

    if (pointer_keys(ctx, rhost_str_or(resource, "pointer", ""), &keys) > TREE_DEEPEST)
        return rhost_fail_attr(ctx, "pointer", "it has more than %d parts", TREE_DEEPEST);
    return 0;
}

/* Why the text can't be read; NULL: it is read. */
static const char *
read_tree(struct pool *p, const struct setting_format *format, const struct document *d, struct tree **root)
{
    *root = NULL;
    if (memchr(d->text, '\0', d->len))
        return "it has a NUL byte";
    return rhost_is_utf8(d->text, d->len) ? format->parse(p, d, root) : "it is not text in UTF-8";
}

static struct tree *
find(struct tree *root, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n && root; i++)
        root = tree_child(root, keys[i]);
    return root;
}

int32_t
setting_load(rhost_ctx *ctx, const struct setting_format *format, const rhost_value *name,
             const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), **keys;
    size_t n = pointer_keys(ctx, rhost_str(name, "pointer"), &keys);
    const struct rhost_lines *l = rhost_lines_of(ctx, path);
    POOL(pool, ctx);
    rhost_value *value;
    struct document d;
    const char *why;
    struct tree *t;

    if (!l)
        return -1;
    if (!l->exists) {
        if (rhost_looks_ahead(ctx, should) && !rhost_bool(should, "create", 1)
            && !rhost_will_exist(ctx, "file", path))
            return rhost_fail_missing(ctx, "path", "the file does not exist, and 'create' is false") < 0
                       ? -1
                       : RHOST_ABSENT;
        return rhost_absent_at(ctx, should, path);
    }
    d = (struct document){ .text = pool_copy(&pool, l->text, l->text_len), .len = l->text_len };
    why = read_tree(&pool, format, &d, &t);
    if (why)
        return rhost_fail(ctx, "cannot read '%s': %s", path, why);
    t = t ? find(t, keys, n) : NULL;
    if (!t)
        return RHOST_ABSENT;
    value = ctx->host->new_hash(ctx);
    if (tree_put(value, "value", t))
        rhost_put_copy(current, "value", rhost_get(value, "value"));
    return 0;
}

int32_t
setting_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "value") != 0 || !change->is || rhost_get(change->is, "value"))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "it is something that programs read in different ways");
}

void
document_splice(struct document *d, size_t start, size_t end, const char *with)
{
    size_t len = strlen(with), size = d->len - (end - start) + len;
    size_t most = size > d->len ? size : d->len; /* what is behind the place is moved in it */

    if (most + 1 > d->room) {
        size_t room = (most + 1) * 2;
        char *more = realloc(d->text, room);

        if (!more) {
            d->failed = 1;
            return;
        }
        d->text = more;
        d->room = room;
    }
    memmove(d->text + start + len, d->text + end, d->len - end);
    memcpy(d->text + start, with, len);
    d->len = size;
    d->text[d->len] = '\0';
}

/* What is to stand at the first of the keys that does not exist: the value, in mappings for the other keys.
 */
static const rhost_value *
wrap(rhost_ctx *ctx, const char *const *keys, size_t n, const rhost_value *value)
{
    rhost_value *outer = ctx->host->new_hash(ctx), *in = outer;

    if (!n)
        return value;
    for (size_t i = 0; i + 1 < n; i++)
        in = in->host->put_hash(in, keys[i]);
    if (value)
        rhost_put_copy(in, keys[n - 1], value);
    else
        in->host->put_undef(in, keys[n - 1]);
    return outer;
}

static const char *
described(const struct tree *t)
{
    return t->kind == TREE_LIST      ? "a list"
           : t->kind == TREE_MAPPING ? "a mapping"
                                     : "neither a mapping nor a list";
}

/* One step: the value at the path, of which nothing is there, or something else. */
static const char *
put_once(rhost_ctx *ctx, const struct setting_format *format, struct document *d, struct tree *root,
         const char *const *keys, size_t n, const rhost_value *value)
{
    struct tree *at = root, *child;
    size_t i = 0;

    if (!root)
        return format->insert(ctx, d, NULL, NULL, wrap(ctx, keys, n, value));
    while (i < n && (child = tree_child(at, keys[i]))) {
        at = child;
        i++;
    }
    if (i == n)
        return tree_special(at) ? tree_special(at) : format->replace(ctx, d, at, value);
    if (at->kind == TREE_NULL)
        return at->special ? at->special : format->replace(ctx, d, at, wrap(ctx, keys + i, n - i, value));
    if (at->kind == TREE_MAPPING)
        return format->insert(ctx, d, at, keys[i], wrap(ctx, keys + i + 1, n - i - 1, value));
    if (at->kind == TREE_LIST && strcmp(keys[i], rhost_fmt(ctx, "%zu", at->n)) == 0)
        return format->insert(ctx, d, at, NULL, wrap(ctx, keys + i + 1, n - i - 1, value));
    return rhost_fmt(ctx, "'%s' cannot be set: what it would be in is %s%s", keys[i], described(at),
                     at->kind == TREE_LIST ? " that is shorter" : "");
}

/* The text that came out must read as it should, and all else as before. */
static const char *
check(rhost_ctx *ctx, const struct setting_format *format, const struct document *d,
      const struct tree *before, const char *const *keys, size_t n, const rhost_value *value, int gone)
{
    static const struct tree nothing = { .kind = TREE_NULL };
    struct tree *after = NULL, *at;
    POOL(pool, ctx);

    if (d->failed)
        return "out of memory";
    if (format->parse(&pool, d, &after))
        return LOST;
    at = after ? find(after, keys, n) : NULL;
    if (gone ? at != NULL : !at || !tree_is(at, value))
        return LOST;
    return tree_same_beside(before ? before : &nothing, after ? after : &nothing, keys, n) ? NULL : LOST;
}

static const char *put(rhost_ctx *ctx, const struct setting_format *format, struct document *d,
                       const char **keys, size_t n, const rhost_value *value);

/* Removes a key of the mapping at the path, which is read anew: it may have been edited. */
static const char *
drop(rhost_ctx *ctx, const struct setting_format *format, struct document *d, const char *const *keys,
     size_t n, const char *key)
{
    struct tree *root, *at;
    POOL(pool, ctx);
    const char *why = format->parse(&pool, d, &root);

    at = !why && root ? find(root, keys, n) : NULL;
    at = at && key ? tree_child(at, key) : NULL;
    return why ? why : at ? format->remove(ctx, d, at) : LOST;
}

/* A mapping in the place of a mapping is changed key by key, so that what is equal stays as it is written. */
static const char *
merge(rhost_ctx *ctx, const struct setting_format *format, struct document *d, const struct tree *at,
      const char **keys, size_t n, const rhost_value *value)
{
    const char **below = rhost_alloc(ctx, (n + 1) * sizeof *below), *why = NULL;

    if (n)
        memcpy((void *)below, (const void *)keys, n * sizeof *below);
    for (size_t i = 0; i < rhost_count(value) && !why; i++) {
        const rhost_value *one = rhost_at(value, i, &below[n]);

        why = put(ctx, format, d, below, n + 1, one);
    }
    for (const struct tree *c = at->first; c && !why; c = c->next)
        if (!c->key || !rhost_get(value, c->key))
            why = drop(ctx, format, d, keys, n, c->key);
    return why;
}

static const char *
put(rhost_ctx *ctx, const struct setting_format *format, struct document *d, const char **keys, size_t n,
    const rhost_value *value)
{
    struct tree *root, *at;
    POOL(pool, ctx);
    const char *why = read_tree(&pool, format, d, &root);

    if (why)
        return why;
    at = root ? find(root, keys, n) : NULL;
    if (at && (!value || tree_is(at, value))) /* without a value, any one is fine */
        return NULL;
    if (at && at->kind == TREE_MAPPING && at->n && value->host->kind(value) == RHOST_HASH
        && rhost_count(value) && !tree_special(at) && n < TREE_DEEPEST)
        why = merge(ctx, format, d, at, keys, n, value);
    else
        why = put_once(ctx, format, d, root, keys, n, value);
    return why ? why : check(ctx, format, d, root, keys, n, value, 0);
}

static const char *
take(rhost_ctx *ctx, const struct setting_format *format, struct document *d, const char *const *keys,
     size_t n)
{
    struct tree *root, *at;
    POOL(pool, ctx);
    const char *why = read_tree(&pool, format, d, &root);

    at = !why && root ? find(root, keys, n) : NULL;
    if (why || !at)
        return why;
    if (!n)
        return "the whole content cannot be absent: the type 'file' removes files";
    if (at->parent->kind == TREE_LIST)
        return "an element of a list cannot be absent: the next one would take its place; state the whole "
               "list";
    why = tree_special(at) ? tree_special(at) : format->remove(ctx, d, at);
    return why ? why : check(ctx, format, d, root, keys, n, NULL, 1);
}

const char *
setting_edit(rhost_ctx *ctx, const struct setting_format *format, struct rhost_lines *l,
             const struct rhost_change *change)
{
    const char **keys, *why;
    size_t n = pointer_keys(ctx, rhost_str(change->name, "pointer"), &keys), len = 0;
    char *before;
    struct document d = { 0 };

    if (!l->exists && !rhost_gone(change) && !rhost_bool(change->should, "create", 1))
        return "the file does not exist, and 'create' is false";
    before = rhost_lines_text(l, &len);
    d.text = rhost_lines_text(l, &d.len);
    if (!before || !d.text)
        why = "out of memory";
    else if (rhost_gone(change))
        why = take(ctx, format, &d, keys, n);
    else
        why = put(ctx, format, &d, keys, n, rhost_get(change->should, "value"));
    if (!why && (d.len != len || memcmp(d.text, before, len) != 0))
        rhost_lines_set_text(l, d.text, d.len);
    free(before);
    free(d.text);
    return why;
}

void
setting_like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file)
{
    const rhost_value *value = rhost_get(change->should, "value");

    file->validate = rhost_wanted_validate(ctx, change->should);
    file->flags |= RHOST_FILE_ONLY_CHANGE;
    if (value && value->host->sensitive(value))
        file->flags |= RHOST_FILE_SECRET;
}
