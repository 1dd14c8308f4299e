/* SPDX-License-Identifier: Apache-2.0 */
/* compiled - reading back what catalog/export.h writes. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/map.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/export.h"
#include "catalog/origin.h"
#include "manifest/entry/define.h"
#include "manifest/entry/entry.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "schema/validate.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

struct reading {
    struct rh_load *load;
    struct rh_map files; /* name to its number in the sources */
    bool later;          /* a value is missing that is known only after another resource was applied */
    int rc;
};

static void __attribute__((format(printf, 3, 4)))
complain(struct reading *r, const struct rh_value *v, const char *fmt, ...)
{
    va_list ap;
    rh_autofree char *text = NULL;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_complain_code(r->load->complaints, rh_value_place(v),
                     "a compiled catalog is written by 'rhost compile', not by hand", rh_message_code(fmt),
                     "%s", text);
    r->rc = -1;
}

/* Values. */

static bool
is_marker(const struct rh_value *v, const char *word)
{
    return v->kind == RH_HASH && v->count == 1 && strcmp(v->u.entries[0].key, word) == 0;
}

/* Undoes the '$' markers within `v`, in place. False when a value is missing: a secret, or one that is known
 * later. */
static bool
unmark(struct reading *r, struct rh_value *v)
{
    bool all = true;
    bool append = is_marker(v, "$append");

    if (is_marker(v, "$known_after"))
        r->later = true;
    if (r->later || is_marker(v, "$sensitive"))
        return false;
    if (is_marker(v, "$float")) {
        *v = *v->u.entries[0].value;
        if (v->kind != RH_STRING || rh_scalar_read_as(v, "float") < 0)
            complain(r, v, "'$float' is not a number");
        return true;
    }
    if (append || is_marker(v, "$remove")) {
        *v = *v->u.entries[0].value;
        all = unmark(r, v);
        v->marks |= append ? RH_APPEND : RH_REMOVE;
        return all;
    }
    if (is_marker(v, "$literal") && v->u.entries[0].value->kind == RH_HASH)
        *v = *v->u.entries[0].value;
    else if (v->kind == RH_HASH && v->count == 1 && v->u.entries[0].key[0] == '$')
        complain(r, v, "unknown mark '%s'", v->u.entries[0].key);
    for (uint32_t i = 0; i < rh_value_count(v); i++)
        all &= unmark(r, rh_draft_part(v, i));
    return all;
}

static const char *
text_of(struct reading *r, const struct rh_value *v, const char *key)
{
    const struct rh_value *text = rh_value_get(v, key);

    if (rh_value_is(text, RH_STRING) && text->count && strlen(text->u.string) == text->count)
        return text->u.string;
    complain(r, text ? text : v, "'%s' is %s", key, text ? "not a text" : "missing");
    return NULL;
}

static int64_t
number_of(struct reading *r, struct rh_value *v, const char *key)
{
    struct rh_value *n = rh_draft_get(v, key);

    if (!n)
        return 0;
    n = rh_scalar_read(r->load->catalog->arena, NULL, n);
    return n->kind == RH_INTEGER ? n->u.integer : -1;
}

/* Where the manifest had it; a file that we have no text of. */
static struct rh_place
place_at(struct reading *r, struct rh_value *place, struct rh_place otherwise)
{
    int64_t line = number_of(r, place, "line"), column = number_of(r, place, "column");
    const char *name = rh_value_get_str(place, "file", NULL);
    uintptr_t file;

    if (!name || line < 0 || line > UINT32_MAX || column < 0 || column > UINT16_MAX)
        return otherwise;
    file = (uintptr_t)rh_map_get(&r->files, name);
    if (!file) {
        file = rh_sources_add(r->load->catalog->sources, name, NULL, 0);
        if (!file)
            return otherwise;
        rh_map_put(&r->files, name, (void *)file);
    }
    return (struct rh_place){ .line = (uint32_t)line, .column = (uint16_t)column, .file = (uint16_t)file };
}

/* Resources. */

static const struct rh_type *
type_of(struct reading *r, const struct rh_value *v, const char *type)
{
    const char *provider = text_of(r, v, "provider");
    const struct rh_known_type *known;
    struct rh_place place;

    if (!provider)
        return NULL;
    if (strcmp(provider, "define") == 0 && rh_is_type_name(type))
        return rh_define_type_of(r->load, type, rh_value_get(v, "attributes"));
    known = rh_load_type(r->load, type, provider);
    if (known->type)
        return known->type;
    place = rh_value_place(rh_value_get(v, "type"));
    if (known->message)
        rh_complain_code(r->load->complaints, place, known->hint, known->code, "%s", known->message);
    else
        rh_complain(r->load->complaints, place, "'rhost types' lists what is installed here",
                    "unknown type '%s'", type);
    r->rc = -1;
    return NULL;
}

/* The secrets must have come some other way; there is none yet. */
static void
refuse_secret(struct reading *r, const struct rh_type *t, const char *title,
              const struct rh_value *attributes, size_t i)
{
    rh_complain(r->load->complaints, rh_value_key_place(attributes, i),
                "apply the manifest itself, or remove the resource before compiling",
                "%s[%s]: '%s' is sensitive, and a compiled catalog does not contain sensitive values",
                t->type, title, rh_value_entry(attributes, i)->key);
    r->rc = -1;
}

/* What an expression means is not known before the run, and the expression is in the manifest. */
static void
refuse_later(struct reading *r, const struct rh_type *t, const char *title, struct rh_place place)
{
    rh_complain(r->load->complaints, place,
                "apply the manifest itself, or remove the resource before compiling",
                "%s[%s] uses the result of another resource, and a compiled catalog does not contain "
                "expressions",
                t->type, title);
    r->rc = -1;
}

static bool
read_attributes(struct reading *r, const struct rh_type *t, const char *title, struct rh_value *v)
{
    bool all = true;

    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];
        const struct rh_attr *attr = rh_type_attr(t, e->key);

        struct rh_value *value = rh_draft_part(v, i);
        bool secret = value->marks & RH_SENSITIVE; /* of a catalog that was never written */

        r->later = false;
        if (!unmark(r, value)) {
            if (r->later)
                refuse_later(r, t, title, rh_value_key_place(v, i));
            else
                refuse_secret(r, t, title, v, i);
            all = false;
        } else if (attr) {
            (void)rh_scalar_read(r->load->catalog->arena, attr->type, value);
            rh_draft_set_entry(v, i, attr->name, value);
            if (secret)
                rh_load_hide(r->load, value);
        }
    }
    return all;
}

static void
read_relations(struct reading *r, const struct rh_value *v, struct rh_resource *to)
{
    static const char *const words[] = { "require", "before", "subscribe", "notify" };

    for (unsigned kind = 0; kind < 4; kind++) {
        const struct rh_value *list = rh_value_get(v, words[kind]);

        if (list && list->kind != RH_ARRAY)
            complain(r, list, "'%s' is not a list", words[kind]);
        for (size_t i = 0; i < rh_value_count(list); i++) {
            const struct rh_value *one = rh_value_at(list, i);
            struct rh_reference ref;

            if (!rh_reference_parse(r->load->catalog->arena, rh_value_str(one, ""), &ref)) {
                complain(r, one, "expected a reference");
                continue;
            }
            ref.place = rh_value_place(one);
            rh_catalog_state(r->load->catalog, to, (enum rh_relation_kind)kind, &ref);
        }
    }
}

/* Where the defaults stood that it has. */
static void
read_defaults(struct reading *r, struct rh_value *v, struct rh_resource *to)
{
    struct rh_value *all = rh_draft_get(v, "defaults");

    if (all && all->kind != RH_HASH) {
        complain(r, all, "'defaults' is not a hash");
        return;
    }
    for (size_t i = 0; i < rh_value_count(all); i++) {
        struct rh_origin o = { .name = rh_value_entry(all, i)->key, .kind = RH_ORIGIN_DEFAULT };

        o.place = place_at(r, rh_draft_part(all, i), rh_value_place(v));
        rh_origin_replace(r->load->catalog->arena, to, &o);
    }
}

/* An instance stands before what is part of it. */
static void
read_container(struct reading *r, const struct rh_value *v, struct rh_resource *to)
{
    const struct rh_value *container = rh_value_get(v, "container");
    struct rh_reference ref;
    struct rh_resource *found = NULL;

    if (!container)
        return;
    if (rh_reference_parse(r->load->catalog->arena, rh_value_str(container, ""), &ref))
        found = rh_catalog_find(r->load->catalog, ref.type, ref.title);
    if (found && found->type->defined)
        rh_catalog_contain(found, to);
    else
        complain(r, container, "'container' does not name an earlier instance of a definition");
}

/* What else is said of it, in the words that an entry of a manifest has. */
static void
read_words(struct reading *r, struct rh_value *v, struct rh_resource *to, struct rh_value *should)
{
    static const char *const words[] = {
        "notifies",  "subscribes",     "only_if", "not_if",  "retries",  "retry_delay",
        "timeout",   "ignore_failure", "tag",     "alias",   "loglevel", "schedule",
        "sensitive", "audit",          "verify",  "replace", "backup",
    };
    static const char *const later[] = { "when", "success_when", "changed_when", "until" };
    struct rh_keyword_values keywords = { .type = to->type };

    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (rh_value_get(v, later[i])) {
            refuse_later(r, to->type, to->title, rh_value_place(rh_value_get(v, later[i])));
            return;
        }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct rh_value *word = rh_draft_get(v, words[i]);

        if (word && rh_keyword_find(words[i])->read(r->load, &keywords, word) < 0)
            r->rc = -1;
    }
    rh_audit_drop_defaults(to->type, &keywords, rh_value_get(v, "attributes"), should);
    if (rh_purge_prepare(r->load, &keywords, to) < 0)
        r->rc = -1;
    to->meta = keywords.meta;
    rh_keyword_values_state(r->load, &keywords, to);
    rh_keyword_values_clear(&keywords);
}

static void
read_resource(struct reading *r, struct rh_value *v)
{
    struct rh_catalog *c = r->load->catalog;
    const char *type = text_of(r, v, "type"), *title = text_of(r, v, "title");
    struct rh_value *attributes = rh_draft_get(v, "attributes");
    struct rh_value *noop = rh_draft_get(v, "noop");
    const struct rh_type *t = type && title ? type_of(r, v, type) : NULL;
    struct rh_resource *resource;
    struct rh_validated validated;

    if (!rh_value_is(attributes, RH_HASH))
        complain(r, v, "'attributes' is missing");
    else if (t && read_attributes(r, t, title, attributes)
             && rh_validate(c->arena, t, title, rh_value_place(v), attributes, &validated,
                            r->load->complaints)
                    == 0) {
        resource = rh_arena_alloc(c->arena, sizeof *resource);
        *resource = (struct rh_resource){
            .type = t,
            .title = title,
            .name = validated.name,
            .should = validated.should,
            .place = place_at(r, rh_draft_get(v, "place"), rh_value_place(v)),
            .noop = noop && rh_scalar_read(c->arena, NULL, noop)->kind == RH_BOOLEAN && noop->u.integer,
            .noop_specified = noop != NULL,
        };
        if (noop && noop->kind != RH_BOOLEAN)
            complain(r, noop, "'noop' is not a boolean");
        read_container(r, v, resource);
        read_defaults(r, v, resource);
        read_relations(r, v, resource);
        read_words(r, v, resource, validated.should);
        if (rh_catalog_declare(c, resource, r->load->complaints) == 0)
            return;
    }
    r->rc = -1;
    if (type && title)
        rh_catalog_note_refused(c, type, title);
}

static void
read_todo(struct reading *r, const struct rh_value *v)
{
    struct rh_catalog *c = r->load->catalog;
    const char *text = text_of(r, v, "resource"), *action = text_of(r, v, "action");
    const struct rh_action *known;
    struct rh_resource *resource;
    struct rh_reference ref;

    if (!text || !action)
        return;
    if (!rh_reference_parse(c->arena, text, &ref)) {
        complain(r, rh_value_get(v, "resource"), "expected a reference");
        return;
    }
    resource = rh_catalog_find(c, ref.type, ref.title);
    if (!resource) {
        if (!rh_catalog_is_refused(c, &ref))
            complain(r, rh_value_get(v, "resource"), "%s is not in 'resources'", text);
        return;
    }
    known = rh_type_action(resource->type, action);
    if (!known && strcmp(action, "converge") != 0)
        complain(r, rh_value_get(v, "action"), "unknown action '%s' for type '%s'", action, ref.type);
    else
        rh_catalog_trigger(c, resource, known ? known->name : "converge");
}

static struct rh_value *
list_of(struct reading *r, struct rh_value *v, const char *key)
{
    struct rh_value *list = rh_draft_get(v, key);

    if (!rh_value_is(list, RH_ARRAY))
        complain(r, list ? list : v, "'%s' is not a list", key);
    return list;
}

void
rh_compiled_read(struct rh_load *load, struct rh_value *v)
{
    struct reading r = { .load = load };
    int64_t format = number_of(&r, v, "catalog");
    struct rh_value *resources;
    const struct rh_value *list;

    if (format != RH_CATALOG_FORMAT) {
        rh_complain(
            load->complaints, rh_value_place(rh_value_get(v, "catalog")), "compile it again with this rhost",
            "unsupported version of a compiled catalog: this rhost reads version %d", RH_CATALOG_FORMAT);
        return;
    }
    resources = list_of(&r, v, "resources");
    list = list_of(&r, v, "list");
    for (size_t i = 0; i < rh_value_count(resources); i++)
        read_resource(&r, rh_draft_part(resources, i));
    for (size_t i = 0; i < rh_value_count(list); i++)
        read_todo(&r, rh_value_at(list, i));
    rh_map_clear(&r.files);
}
