/* SPDX-License-Identifier: Apache-2.0 */
/* print-manifest - resources that were read, as a manifest that can be applied. */
#include "config.h"

#include "cli/print-manifest.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "schema/hold.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A string that YAML reads as that string without quotes. */
static bool
is_plain_yaml(const struct rh_value *v)
{
    static const char *const words[] = { "true", "false", "null", "yes", "no", "on", "off", "y", "n" };
    const char *s = v->u.string;

    if (v->kind != RH_STRING || !v->count || v->count > 200)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(s, words[i]) == 0)
            return false;
    if (!(*s >= 'a' && *s <= 'z') && !(*s >= 'A' && *s <= 'Z') && *s != '/')
        return false;
    for (uint32_t i = 0; i < v->count; i++)
        if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z')
            && !(s[i] >= '0' && s[i] <= '9') && (!s[i] || !strchr("/._-+", s[i])))
            return false;
    return true;
}

/* What a manifest must say to mean this value: a "${" that is none is written "$${". */
static struct rh_value *
escaped(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *out;

    if (v->kind == RH_STRING && !rh_value_sensitive(v) && memmem(v->u.string, v->count, "${", 2)) {
        rh_autobuf struct rh_buf b = { 0 };

        for (uint32_t i = 0; i < v->count; i++) {
            if (v->u.string[i] == '$' && i + 1 < v->count && v->u.string[i + 1] == '{')
                rh_buf_addc(&b, '$');
            rh_buf_addc(&b, v->u.string[i]);
        }
        return rh_value_stringn(a, rh_buf_text(&b), b.n);
    }
    out = rh_value_copy(a, v);
    if (v->kind == RH_ARRAY || v->kind == RH_HASH) {
        out = rh_value_new(a, v->kind);
        out->marks = v->marks;
        for (size_t i = 0; i < v->count; i++)
            if (v->kind == RH_ARRAY)
                rh_value_append(out, escaped(a, rh_value_at(v, i)));
            else
                rh_value_put(out, rh_value_entry(v, i)->key,
                             escaped(a, rh_value_entry(v, i)->value));
    }
    return out;
}

static void
add_value(struct rh_buf *b, const struct rh_value *v)
{
    if (!rh_value_sensitive(v) && is_plain_yaml(v))
        rh_buf_addn(b, v->u.string, v->count);
    else
        rh_value_to_json(b, v, false);
}

static bool
is_shown(const struct rh_type *t, const struct rh_value *item, const struct rh_attr *attr)
{
    const struct rh_value *v = rh_value_get(item, attr->name);

    if (!v || v->kind == RH_UNDEF)
        return false;
    /* The one namevar is the title. */
    return !(attr->behaviour & RH_NAMEVAR && t->n_namevars == 1);
}

static bool
is_applicable(const struct rh_attr *attr, const struct rh_value *v)
{
    return !(attr->behaviour & RH_READ_ONLY) && !rh_value_sensitive(v) && v->kind != RH_BINARY;
}

static struct rh_value *
title_of(struct rh_arena *a, const struct rh_type *t, const struct rh_value *item)
{
    const struct rh_value *only =
        t->n_namevars == 1 ? rh_value_get(item, t->namevars[0]->name) : NULL;
    const char *given = rh_value_get_str(item, "title", NULL);

    if (given)
        return rh_value_string(a, given);
    if (rh_value_is(only, RH_STRING))
        return rh_value_copy(a, only);
    return rh_value_string(a, rh_hold_title(a, t, item));
}

static void
print_yaml(FILE *to, const struct rh_type *t, struct rh_arena *a, const struct rh_value *items)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_add(&b, items->count ? "resources:\n" : "resources: []\n");
    for (size_t i = 0; i < items->count; i++) {
        const struct rh_value *item = rh_value_at(items, i);

        rh_buf_addf(&b, "  - %s: ", t->type);
        add_value(&b, escaped(a, title_of(a, t, item)));
        rh_buf_addc(&b, '\n');
        for (size_t k = 0; k < t->n_attrs; k++) {
            const struct rh_attr *attr = &t->attrs[k];
            const struct rh_value *v = rh_value_get(item, attr->name);

            if (!is_shown(t, item, attr))
                continue;
            rh_buf_addf(&b, is_applicable(attr, v) ? "    %s: " : "    # %s: ", attr->name);
            if (v->kind == RH_BINARY)
                rh_value_show(&b, v, 0);
            else
                add_value(&b, escaped(a, v));
            if (attr->behaviour & RH_READ_ONLY)
                rh_buf_add(&b, "  (read-only)");
            rh_buf_addc(&b, '\n');
        }
    }
    (void)fputs(rh_buf_text(&b), to);
}

static void
print_json(FILE *to, const struct rh_type *t, struct rh_arena *a, const struct rh_value *items)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *root = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < items->count; i++) {
        const struct rh_value *item = rh_value_at(items, i);
        struct rh_value *entry = rh_value_new(a, RH_HASH);

        rh_value_put(entry, t->type, escaped(a, title_of(a, t, item)));
        for (size_t k = 0; k < t->n_attrs; k++) {
            const struct rh_value *v = rh_value_get(item, t->attrs[k].name);

            if (is_shown(t, item, &t->attrs[k]) && is_applicable(&t->attrs[k], v))
                rh_value_put(entry, t->attrs[k].name, escaped(a, v));
        }
        rh_value_append(list, entry);
    }
    rh_value_put(root, "resources", list);
    rh_value_to_json_pretty(&b, root, false);
    rh_buf_addc(&b, '\n');
    (void)fputs(rh_buf_text(&b), to);
}

struct titled {
    const char *title;
    const struct rh_value *item;
};

static int
by_title(const void *a, const void *b)
{
    return strcmp(((const struct titled *)a)->title, ((const struct titled *)b)->title);
}

void
rh_print_manifest(FILE *to, const struct rh_type *t, const struct rh_value *items, bool json)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree struct titled *list = rh_xalloc(rh_xmul(items->count, sizeof *list));
    struct rh_value *sorted = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < items->count; i++) {
        list[i].item = rh_value_at(items, i);
        list[i].title = rh_value_str(title_of(a, t, list[i].item), "");
    }
    if (items->count)
        qsort(list, items->count, sizeof *list, by_title);
    for (size_t i = 0; i < items->count; i++)
        rh_value_append(sorted, rh_value_copy(a, list[i].item));
    if (json)
        print_json(to, t, a, sorted);
    else
        print_yaml(to, t, a, sorted);
}
