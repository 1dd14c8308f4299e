/* SPDX-License-Identifier: Apache-2.0 */
/* path - paths of attributes as files write them, and those that lead to a secret. */
#include "config.h"

#include "manifest/attribute/attributes.h"

#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <stdint.h>
#include <string.h>

/* Paths. */

struct rh_value *
rh_attributes_path(struct rh_load *load, struct rh_value *v, bool again)
{
    struct rh_arena *a = load->catalog->arena;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *path;

    if (v->kind == RH_UNKNOWN || (again && rh_value_is(v, RH_STRING) && strstr(v->u.string, "${")))
        return NULL;
    if (rh_substitute(load, v) < 0)
        return NULL;
    if (rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count) {
        path = rh_node_path_parse(a, v->u.string, &err);
        if (!path && !again)
            rh_complain_error(load->complaints, rh_value_place(v), NULL, &err);
        return path;
    }
    (void)rh_scalar_read(a, NULL, v);
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++) {
        const struct rh_value *part = rh_value_at(v, i);

        if (rh_value_is(part, RH_INTEGER)
            || (rh_value_is(part, RH_STRING) && strlen(part->u.string) == part->count))
            continue;
        if (!again)
            rh_complain(load->complaints, rh_value_place(part), NULL,
                        "the path of an attribute must be made of strings and integers, not %s",
                        rh_kind_name(part->kind));
        return NULL;
    }
    if (v->kind == RH_ARRAY && v->count)
        return v;
    if (!again)
        rh_complain(load->complaints, rh_value_place(v), "for example: path: [web, port], or path: web.port",
                    "expected the path of an attribute");
    return NULL;
}

/* Secrets. */

/* All within as well: the node takes tables apart. */
static void
mark(struct rh_value *v)
{
    v->marks |= RH_SENSITIVE;
    for (uint32_t i = 0; (v->kind == RH_HASH || v->kind == RH_ARRAY) && i < v->count; i++)
        mark(rh_draft_part(v, i));
}

static void
hide_below(struct rh_load *load, struct rh_value *v, const struct rh_value *path, size_t from)
{
    const struct rh_value *part = rh_value_at(path, from);

    if (!part) {
        mark(v);
        rh_load_hide(load, v);
    } else if (v->kind == RH_ARRAY && part->kind == RH_INTEGER) {
        size_t i = (size_t)(part->u.integer < 0 ? part->u.integer + v->count : part->u.integer);

        if (i < v->count)
            hide_below(load, rh_draft_part(v, i), path, from + 1);
    } else if (v->kind == RH_HASH && part->kind == RH_STRING) {
        struct rh_value *inner = rh_draft_get(v, part->u.string);

        if (inner)
            hide_below(load, inner, path, from + 1);
    }
}

void
rh_attributes_hide(struct rh_load *load, const struct rh_value *path, struct rh_value *v)
{
    for (size_t i = 0; i < rh_value_count(load->attributes.secrets); i++) {
        const struct rh_value *secret = rh_value_at(load->attributes.secrets, i);
        size_t n = 0, most = rh_value_count(path);

        while (n < most && n < secret->count && rh_value_equal(rh_value_at(path, n), rh_value_at(secret, n)))
            n++;
        if (n == secret->count) {
            mark(v);
            rh_load_hide(load, v);
        } else if (n == most) {
            hide_below(load, v, secret, n);
        }
    }
}

static void
note_secret(struct rh_load *load, const struct rh_value *v, bool again)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *path = rh_attributes_path(load, rh_value_copy(a, v), again);

    if (!load->attributes.secrets)
        load->attributes.secrets = rh_value_new(a, RH_ARRAY);
    if (!path)
        return;
    rh_value_append(load->attributes.secrets, path);
    rh_node_hide(load->attributes.node, path); /* recipes write there, too */
}

void
rh_attributes_note_secret_list(struct rh_load *load, const struct rh_value *paths)
{
    if (!paths || rh_scalar_is_null(paths))
        return;
    if (paths->kind != RH_ARRAY)
        note_secret(load, paths, false);
    else
        for (size_t i = 0; i < paths->count; i++)
            note_secret(load, rh_value_at(paths, i), false);
}

/* Whatever else it is, it is not taken for "no": who writes it means to hide something. */
static bool
is_false(struct rh_load *load, const struct rh_value *v)
{
    struct rh_value *read =
        rh_scalar_read(load->catalog->arena, NULL, rh_value_copy(load->catalog->arena, v));

    return read->kind == RH_UNDEF || (read->kind == RH_BOOLEAN && !read->u.integer);
}

void
rh_attributes_note_secrets(struct rh_load *load, const struct rh_value *v)
{
    if (rh_value_is(v, RH_HASH))
        rh_attributes_note_secret_list(load, rh_value_get(v, "sensitive"));
    for (size_t i = 0; rh_value_is(v, RH_ARRAY) && i < v->count; i++) {
        const struct rh_value *op = rh_value_at(v, i);
        const struct rh_value *path, *sensitive;

        if (!rh_value_is(op, RH_HASH))
            continue;
        path = rh_value_get(op, "path");
        sensitive = rh_value_get(op, "sensitive");
        if (path && sensitive && !is_false(load, sensitive))
            note_secret(load, path, true);
    }
}
