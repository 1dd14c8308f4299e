/* SPDX-License-Identifier: Apache-2.0 */
/* catalog - the resource set and the action list. */
#include "config.h"

#include "catalog/catalog.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/meta.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

void
rh_catalog_init(struct rh_catalog *c, struct rh_arena *arena, struct rh_sources *sources)
{
    *c = (struct rh_catalog){ .arena = arena, .sources = sources };
}

static void
clear_notifications(struct rh_notifications *n)
{
    free(n->v);
    free(n->start);
    free(n->slots);
    *n = (struct rh_notifications){ 0 };
}

void
rh_catalog_clear(struct rh_catalog *c)
{
    if (c->later.free)
        c->later.free(c->later.data);
    free(c->resources);
    free(c->list);
    free(c->edges);
    clear_notifications(&c->notifications);
    rh_map_clear(&c->by_reference);
    rh_map_clear(&c->spellings);
    rh_map_clear(&c->patterned);
    rh_map_clear(&c->excused);
    rh_map_clear(&c->excluded);
    *c = (struct rh_catalog){ 0 };
}

static bool
has_alias(const struct rh_resource *r, const char *name)
{
    for (size_t i = 0; r->meta && i < r->meta->aliases.n; i++)
        if (strcmp(r->meta->aliases.v[i], name) == 0)
            return true;
    return false;
}

/* `alias` is another's title, name or alias. */
static int
refuse_alias(const struct rh_resource *r, const char *alias, const struct rh_resource *first,
             struct rh_complaints *complaints)
{
    rh_autofree char *text = rh_resource_text(r);
    rh_autofree char *other = rh_resource_text(first);

    rh_complain(complaints, r->place, "an alias must be unique, and not the title of a resource",
                "%s: alias '%s' is %s %s", text, alias,
                has_alias(first, alias) ? "also an alias of" : "the name of", other);
    rh_complain_also(complaints, first->place, "declared here");
    return -1;
}

static int
refuse_duplicate(const struct rh_resource *r, const struct rh_resource *first,
                 struct rh_complaints *complaints)
{
    const struct rh_resource *later = r;
    rh_autofree char *text = NULL, *other = NULL;

    if (r->refused || first->refused)
        return -1; /* which name is meant may be what is wrong */
    /* Canonical names come in any order. A new one is in the set only when it is accepted. */
    if (r->index < first->index && r->added) {
        r = first;
        first = later;
    }
    text = rh_resource_text(r);
    other = rh_resource_text(first);
    if (has_alias(first, r->title)) {
        rh_complain(complaints, r->place, "an alias must be unique, and not the title of a resource",
                    "%s: the title is already an alias of %s", text, other);
        rh_complain_also(complaints, first->place, "declared here");
        return -1;
    }
    rh_complain(complaints, r->place,
                "a resource is declared once; '- edit: ...' changes the first, '- trigger: ...' runs its "
                "actions again",
                "%s is declared twice%s%s", text, strcmp(text, other) == 0 ? "" : ", the first as ",
                strcmp(text, other) == 0 ? "" : other);
    rh_complain_also(complaints, first->place, "first declared here");
    return -1;
}

/* The name's key, NULL when it is the same text as the title's: the usual case. */
static const char *
name_key(struct rh_catalog *c, const struct rh_resource *r)
{
    rh_autobuf struct rh_buf b = { 0 };

    if (r->type->n_namevars == 1) {
        const char *only = rh_value_get_str(r->name, r->type->namevars[0]->name, NULL);

        if (only && strcmp(only, r->title) == 0)
            return NULL;
    }
    rh_buf_addf(&b, "%s[", r->type->type);
    rh_type_name_text(r->type, r->name, &b);
    rh_buf_addc(&b, ']');
    return rh_arena_strdup(c->arena, rh_buf_text(&b));
}

/* "type[title]" at `to`, which has room for it. */
static void
write_key(char *to, const char *type, const char *title)
{
    to = stpcpy(to, type);
    *to++ = '[';
    to = stpcpy(to, title);
    *to++ = ']';
    *to = '\0';
}

static char *
title_key(struct rh_catalog *c, const char *type, const char *title)
{
    char *key = rh_arena_alloc(c->arena, strlen(type) + strlen(title) + 3);

    write_key(key, type, title);
    return key;
}

/* Its own title or name is no clash: an alias that says nothing new. */
int
rh_catalog_add_aliases(struct rh_catalog *c, struct rh_resource *r, struct rh_complaints *complaints)
{
    int rc = 0;

    for (size_t i = 0; r->meta && i < r->meta->aliases.n; i++) {
        const char *alias = r->meta->aliases.v[i];
        const struct rh_resource *first = rh_map_put(&c->by_reference, title_key(c, r->type->type, alias), r);

        if (first && first != r)
            rc = refuse_alias(r, alias, first, complaints);
    }
    return rc;
}

static struct rh_resource *
find_declared(const struct rh_catalog *c, const char *title, const char *name)
{
    struct rh_resource *first = rh_map_get(&c->by_reference, name ? name : title);

    return first || !name ? first : rh_map_get(&c->by_reference, title);
}

struct rh_resource *
rh_catalog_declared(struct rh_catalog *c, const struct rh_resource *r)
{
    return find_declared(c, title_key(c, r->type->type, r->title), name_key(c, r));
}

int
rh_catalog_declare(struct rh_catalog *c, struct rh_resource *r, struct rh_complaints *complaints)
{
    const char *title = title_key(c, r->type->type, r->title);
    const char *name = name_key(c, r);
    const struct rh_resource *first = find_declared(c, title, name);

    if (first && c->duplicates != RH_DUPLICATES_CLONE)
        return refuse_duplicate(r, first, complaints);
    rh_map_replace(&c->by_reference, title, r);
    if (name)
        rh_map_replace(&c->by_reference, name, r);
    if (r->type->n_patterns)
        rh_map_put_const(&c->patterned, r->type->type, r->type);
    c->resources = rh_xgrow(c->resources, &c->cap_resources, c->n_resources, sizeof *c->resources);
    r->index = (uint32_t)c->n_resources;
    r->added = true;
    r->first_entry = RH_NO_ENTRY;
    c->resources[c->n_resources++] = r;
    return rh_catalog_add_aliases(c, r, complaints);
}

void
rh_catalog_contain(struct rh_resource *container, struct rh_resource *r)
{
    r->container = container;
    if (container->members)
        container->last_member->next_member = r;
    else
        container->members = r;
    container->last_member = r;
}

void
rh_catalog_rename(struct rh_catalog *c, struct rh_resource *r, struct rh_value *name,
                  struct rh_complaints *complaints)
{
    struct rh_resource *other;
    const char *key;

    r->name = name;
    key = name_key(c, r);
    other = key ? rh_map_put(&c->by_reference, key, r) : NULL;
    if (other && other != r && c->duplicates != RH_DUPLICATES_CLONE)
        (void)refuse_duplicate(r, other, complaints);
}

void
rh_catalog_trigger_at(struct rh_catalog *c, struct rh_resource *r, const char *action,
                      const struct rh_reference *anchor, bool after)
{
    uint32_t at = (uint32_t)c->n_list;

    if (r->first_entry == RH_NO_ENTRY)
        r->first_entry = at;
    else
        c->list[r->last_entry].next = at;
    r->last_entry = at;
    c->list = rh_xgrow(c->list, &c->cap_list, c->n_list, sizeof *c->list);
    c->list[c->n_list++] = (struct rh_todo){ .resource = r,
                                             .action = action,
                                             .next = RH_NO_ENTRY,
                                             .anchor = anchor,
                                             .anchor_after = after,
                                             .behind = RH_NO_ENTRY };
    c->unarranged |= anchor != NULL;
}

void
rh_catalog_trigger(struct rh_catalog *c, struct rh_resource *r, const char *action)
{
    rh_catalog_trigger_at(c, r, action, NULL, false);
}

void
rh_catalog_add_spelling(struct rh_catalog *c, const char *type, const char *title, const char *name)
{
    rh_map_replace(&c->spellings, title_key(c, type, title), rh_arena_strdup(c->arena, name));
}

const char *
rh_catalog_spelling(const struct rh_catalog *c, const char *type, const char *title)
{
    rh_autofree char *key = NULL;

    if (!c->spellings.used)
        return NULL;
    key = rh_xalloc(strlen(type) + strlen(title) + 3);
    write_key(key, type, title);
    return rh_map_get(&c->spellings, key);
}

/* What 'rhost resource' calls it, say, where the manifest has another title. */
static struct rh_resource *
find_by_name_in_title(const struct rh_catalog *c, const char *type, const char *title)
{
    const struct rh_type *t = c->patterned.used ? rh_map_get_const(&c->patterned, type) : NULL;
    rh_autoarena struct rh_arena *a = t ? rh_arena_new(NULL) : NULL;
    struct rh_value *name = t ? rh_value_hash(a, t->n_namevars) : NULL;
    rh_autobuf struct rh_buf key = { 0 };

    if (!t || rh_title_name(t, title, name, NULL) <= 0)
        return NULL;
    rh_buf_addf(&key, "%s[", type);
    rh_type_name_text(t, name, &key);
    rh_buf_addc(&key, ']');
    return rh_map_get(&c->by_reference, rh_buf_text(&key));
}

static struct rh_resource *
find_by_reference(const struct rh_catalog *c, const char *type, const char *title)
{
    char small[256];
    size_t need = strlen(type) + strlen(title) + 3;
    rh_autofree char *large = need > sizeof small ? rh_xalloc(need) : NULL;
    char *key = large ? large : small;

    write_key(key, type, title);
    return rh_map_get(&c->by_reference, key);
}

struct rh_resource *
rh_catalog_find(const struct rh_catalog *c, const char *type, const char *title)
{
    struct rh_resource *found = find_by_reference(c, type, title);
    const char *name;

    if (!found)
        found = find_by_name_in_title(c, type, title);
    if (found)
        return found;
    name = rh_catalog_spelling(c, type, title);
    return name ? find_by_reference(c, type, name) : NULL;
}

struct rh_resource *
rh_catalog_find_name(const struct rh_catalog *c, const char *type, const char *name)
{
    struct rh_resource *found = find_by_reference(c, type, name);
    const char *own = found ? NULL : rh_catalog_spelling(c, type, name);

    return own ? find_by_reference(c, type, own) : found;
}

void
rh_catalog_note_refused(struct rh_catalog *c, const char *type, const char *title)
{
    const char *key = title ? title_key(c, type, title) : type ? rh_arena_strdup(c->arena, type) : "";

    rh_map_replace(&c->excused, key, c);
}

bool
rh_catalog_is_refused(const struct rh_catalog *c, const struct rh_reference *ref)
{
    rh_autofree char *key = NULL;

    if (!c->excused.used)
        return false;
    if (rh_map_get(&c->excused, "") || rh_map_get(&c->excused, ref->type))
        return true;
    key = rh_xalloc(strlen(ref->type) + strlen(ref->title) + 3);
    write_key(key, ref->type, ref->title);
    return rh_map_get(&c->excused, key) != NULL;
}

void
rh_catalog_leave_out(struct rh_catalog *c, const char *type, const char *title, struct rh_place when)
{
    struct rh_place *place = rh_arena_alloc(c->arena, sizeof *place);

    *place = when;
    rh_map_put(&c->excluded, title_key(c, type, title), place);
}

struct rh_place
rh_catalog_excluded(const struct rh_catalog *c, const struct rh_reference *ref)
{
    rh_autofree char *key = NULL;
    const struct rh_place *place;

    if (!c->excluded.used)
        return (struct rh_place){ 0 };
    key = rh_xalloc(strlen(ref->type) + strlen(ref->title) + 3);
    write_key(key, ref->type, ref->title);
    place = rh_map_get(&c->excluded, key);
    return place ? *place : (struct rh_place){ 0 };
}

void
rh_catalog_state(struct rh_catalog *c, struct rh_resource *r, enum rh_relation_kind kind,
                 const struct rh_reference *to)
{
    struct rh_stated *s = rh_arena_alloc(c->arena, sizeof *s);

    *s = (struct rh_stated){ .kind = kind, .to = *to };
    if (r->stated)
        r->last_stated->next = s;
    else
        r->stated = s;
    r->last_stated = s;
}

char *
rh_resource_text(const struct rh_resource *r)
{
    struct rh_buf b = { 0 };

    rh_buf_addf(&b, "%s[", r->type->type);
    rh_buf_add_safe(&b, r->title, strlen(r->title), false);
    rh_buf_addc(&b, ']');
    return rh_buf_take(&b);
}

bool
rh_reference_parse(struct rh_arena *a, const char *text, struct rh_reference *ref)
{
    const char *open = strchr(text, '[');
    size_t len = strlen(text);

    if (!open || open == text || text[len - 1] != ']' || open + 2 > text + len - 1)
        return false;
    ref->type = rh_arena_strndup(a, text, (size_t)(open - text));
    ref->title = rh_arena_strndup(a, open + 1, (size_t)(text + len - 1 - (open + 1)));
    return rh_is_type_name(ref->type);
}
