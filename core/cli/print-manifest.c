/* SPDX-License-Identifier: Apache-2.0 */
/* print-manifest - resources that were read, as a manifest that can be applied. */
#include "config.h"

#include "cli/print-value.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/listed.h"
#include "cli/writable.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

struct printing {
    const struct rh_type *type;
    const char *provider; /* to be named in each; NULL: the one that would be taken anyway */
    struct rh_arena *arena;
    struct rh_listed *list;
    size_t n;
};

static int
by_title(const void *a, const void *b)
{
    return strcmp(((const struct rh_listed *)a)->title, ((const struct rh_listed *)b)->title);
}

static void
print_yaml(struct rh_buf *b, const struct printing *p)
{
    bool any = false;

    for (size_t i = 0; i < p->n; i++)
        any |= !p->list[i].unknown;
    rh_buf_add(b, any ? "resources:\n" : "resources: []\n");
    for (size_t i = 0; i < p->n; i++)
        rh_listed_add_yaml(b, p->arena, p->type, &p->list[i], false);
}

/* What stands beside the resources, for programs: it is not applied. */
static void
put_note(struct rh_value *notes, const struct printing *p, const struct rh_listed *l, const char *key,
         struct rh_value *v)
{
    const char *title = rh_arena_printf(p->arena, "%s[%s]", p->type->type, l->title);
    size_t n = notes->count;
    bool same = n && strcmp(rh_value_entry(notes, n - 1)->key, title) == 0;
    struct rh_value *of_title = same ? rh_draft_part(notes, n - 1) : NULL;

    if (!of_title) {
        of_title = rh_value_new(p->arena, RH_HASH);
        rh_value_add_ref(notes, title, of_title);
    }
    rh_value_put(of_title, key, v);
}

static void
print_json(struct rh_buf *b, const struct printing *p)
{
    struct rh_arena *a = p->arena;
    struct rh_value *root = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);
    struct rh_value *read_only = rh_value_new(a, RH_HASH), *omitted = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < p->n; i++) {
        const struct rh_listed *l = &p->list[i];
        struct rh_value *entry = rh_value_new(a, RH_HASH), *attributes = entry;

        if (l->unknown) {
            put_note(omitted, p, l, p->type->type, rh_value_string(a, rh_listed_nothing_known));
            continue;
        }
        if (l->apart)
            rh_value_put(entry, "type", rh_value_string(a, p->type->type));
        rh_value_put(entry, l->apart ? "title" : p->type->type,
                     rh_writable_text(a, l->title, strlen(l->title)));
        if (p->provider)
            rh_value_put(entry, "provider", rh_value_string(a, p->provider));
        if (l->apart)
            rh_value_put(entry, "attributes", attributes = rh_value_new(a, RH_HASH));
        for (size_t k = 0; k < l->n_attrs; k++) {
            const struct rh_shown *s = &l->attrs[k];

            if (s->written)
                rh_value_put(attributes, s->attr->name, s->written);
            else if (s->attr->behaviour & RH_READ_ONLY)
                put_note(read_only, p, l, s->attr->name, rh_value_copy(a, s->is));
            else
                put_note(omitted, p, l, s->attr->name, rh_value_string(a, s->why));
        }
        rh_value_append(list, entry);
    }
    rh_value_put(root, "resources", list);
    if (read_only->count)
        rh_value_put(root, "read_only", read_only);
    if (omitted->count)
        rh_value_put(root, "omitted", omitted);
    rh_value_to_json_pretty(b, root, false);
    rh_buf_addc(b, '\n');
}

void
rh_print_manifest(FILE *to, const struct rh_type *t, const char *title, const char *provider,
                  const struct rh_value *items, bool json)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree struct rh_listed *list = rh_xalloc(rh_xmul(items->count, sizeof *list));
    rh_autobuf struct rh_buf b = { 0 };
    const struct printing p = {
        .type = t,
        .provider = provider,
        .arena = a,
        .list = list,
        .n = items->count,
    };

    for (size_t i = 0; i < p.n; i++) {
        list[i].item = rh_value_at(items, i);
        list[i].title = rh_listed_title(a, t, list[i].item, title);
        list[i].provider = provider;
    }
    for (size_t i = 1; i < p.n; i++)
        if (by_title(&list[i - 1], &list[i]) > 0) { /* most come in order */
            qsort(list, p.n, sizeof *list, by_title);
            break;
        }
    for (size_t i = 0; i < p.n; i++) {
        /* One that a provider calls what another is called already goes by its name. */
        if (i && strcmp(list[i].title, list[i - 1].title) == 0)
            list[i].title = rh_resource_title(a, t, list[i].item);
        rh_listed_choose(a, t, &list[i], 0);
    }
    if (json)
        print_json(&b, &p);
    else
        print_yaml(&b, &p);
    (void)fputs(rh_buf_text(&b), to);
}
