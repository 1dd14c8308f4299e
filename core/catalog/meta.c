/* SPDX-License-Identifier: Apache-2.0 */
/* meta - what a resource has beside its attributes. */
#include "config.h"

#include "catalog/meta.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "catalog/catalog.h"

#include <string.h>

static bool
is_word(unsigned char c)
{
    return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z');
}

bool
rh_is_tag(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (!is_word(c) && !(i && (c == ':' || c == '.' || c == '-')))
            return false;
    }
    return n > 0;
}

/* A tag, and the parts between its "::" as well: web::front is also web and front. */
static void
with_parts(const char *tag, void (*fn)(void *data, const char *tag), void *data)
{
    const char *colons = strstr(tag, "::");

    fn(data, tag);
    while (colons) {
        rh_autofree char *part = rh_xstrndup(tag, (size_t)(colons - tag));

        if (*part)
            fn(data, part);
        tag = colons + 2;
        colons = strstr(tag, "::");
        if (!colons && *tag)
            fn(data, tag);
    }
}

void
rh_resource_each_tag(const struct rh_resource *r, void (*fn)(void *data, const char *tag), void *data)
{
    size_t n = strlen(r->title);

    fn(data, r->type->type);
    if (rh_is_tag(r->title, n)) {
        rh_autofree char *lower = rh_xstrdup(r->title);

        for (char *p = lower; *p; p++)
            *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        with_parts(lower, fn, data);
    }
    for (size_t i = 0; r->meta && i < r->meta->tags.n; i++)
        with_parts(r->meta->tags.v[i], fn, data);
}

enum rh_level
rh_resource_level(const struct rh_resource *r)
{
    return r->meta && r->meta->level_specified ? r->meta->level : RH_NOTICE;
}

static void
put_names(struct rh_arena *a, struct rh_value *to, const char *word, const struct rh_names *names)
{
    struct rh_value *list;

    if (!names->n)
        return;
    list = rh_value_new(a, RH_ARRAY);
    for (size_t i = 0; i < names->n; i++)
        rh_value_append(list, rh_value_string(a, names->v[i]));
    rh_value_put_ref(to, word, list);
}

void
rh_meta_to_value(struct rh_arena *a, struct rh_value *to, const struct rh_meta *meta)
{
    put_names(a, to, "tag", &meta->tags);
    put_names(a, to, "alias", &meta->aliases);
    if (meta->level_specified)
        rh_value_put_ref(to, "loglevel", rh_value_string(a, meta->loglevel));
    if (meta->verify_specified)
        rh_value_put_ref(to, "verify", rh_value_boolean(a, meta->verify));
    if (meta->replace)
        rh_value_put_ref(to, "replace", rh_value_boolean(a, true));
    if (meta->backup == RH_BACKUP_NOT)
        rh_value_put_ref(to, "backup", rh_value_boolean(a, false));
    if (meta->backup == RH_BACKUP_SECRETS)
        rh_value_put_ref(to, "backup", rh_value_string(a, "sensitive"));
    if (meta->schedule)
        rh_value_put_ref(to, "schedule", rh_schedule_to_value(a, meta->schedule));
    if (meta->audits)
        put_names(a, to, "sensitive", &meta->secrets);
    if (meta->audit_all)
        rh_value_put_ref(to, "audit", rh_value_string(a, "all"));
    else
        put_names(a, to, "audit", &meta->audit);
}
