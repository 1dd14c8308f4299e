/* SPDX-License-Identifier: Apache-2.0 */
/* redact - removes the secrets from a message, by a table of its fields. */
#include "config.h"

#include "provider/redact.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/secret-value.h"
#include "base/secrets.h"
#include "base/value.h"
#include "provider/log-record.h"
#include "provider/outcome.h"
#include "schema/type.h"

#include <string.h>

#define FIELD(kind_, record, member)                                                                         \
    {                                                                                                        \
        .name = #member, .kind = RH_FIELD_##kind_, .at = offsetof(record, member),                           \
        .size = sizeof(((record *)0)->member)                                                                \
    }
#define LIST(record, member, count, fields)                                                                  \
    {                                                                                                        \
        .name = #member, .kind = RH_FIELD_LIST, .at = offsetof(record, member),                              \
        .size = sizeof(((record *)0)->member), .element = (fields), .count_at = offsetof(record, count)      \
    }
#define FIELDS(record, rows)                                                                                 \
    {                                                                                                        \
        .name = #record, .v = (rows), .n = sizeof(rows) / sizeof(rows)[0], .size = sizeof(record)            \
    }

static const struct rh_field difference[] = {
    FIELD(ATTRIBUTE, struct rh_difference, attribute),
    FIELD(VALUE, struct rh_difference, from),
    FIELD(VALUE, struct rh_difference, to),
    FIELD(NUMBER, struct rh_difference, unknown),
    FIELD(TEXT, struct rh_difference, message),
    FIELD(HOST, struct rh_difference, since),
};
static const struct rh_fields difference_fields = FIELDS(struct rh_difference, difference);

static const struct rh_field outcome[] = {
    FIELD(NUMBER, struct rh_outcome, id),
    FIELD(NUMBER, struct rh_outcome, status),
    LIST(struct rh_outcome, differences, n_differences, &difference_fields),
    FIELD(NUMBER, struct rh_outcome, n_differences),
    FIELD(TEXT, struct rh_outcome, reason),
    FIELD(NUMBER, struct rh_outcome, code),
    FIELD(ATTRIBUTE, struct rh_outcome, attribute),
    FIELD(NUMBER, struct rh_outcome, blame),
    FIELD(NUMBER, struct rh_outcome, seconds),
    FIELD(NUMBER, struct rh_outcome, guarded),
    FIELD(NUMBER, struct rh_outcome, touched),
    FIELD(NUMBER, struct rh_outcome, as_desired),
    FIELD(VALUE, struct rh_outcome, was),
    FIELD(VALUE, struct rh_outcome, now),
    FIELD(VALUE, struct rh_outcome, current),
    FIELD(ITEM, struct rh_outcome, result),
};
const struct rh_fields rh_outcome_fields = FIELDS(struct rh_outcome, outcome);

static const struct rh_field about[] = {
    FIELD(NUMBER, struct rh_log_about, id),
    FIELD(TEXT, struct rh_log_about, title),
};
static const struct rh_fields about_fields = FIELDS(struct rh_log_about, about);

static const struct rh_field log_record[] = {
    FIELD(NUMBER, struct rh_log_record, level),          FIELD(NUMBER, struct rh_log_record, repeated),
    FIELD(NUMBER, struct rh_log_record, generated),      FIELD(OWN, struct rh_log_record, type),
    LIST(struct rh_log_record, about, n, &about_fields), FIELD(NUMBER, struct rh_log_record, n),
    FIELD(NUMBER, struct rh_log_record, total),          FIELD(TEXT, struct rh_log_record, label),
    FIELD(TEXT, struct rh_log_record, message),          FIELD(NUMBER, struct rh_log_record, code),
};
const struct rh_fields rh_log_fields = FIELDS(struct rh_log_record, log_record);

const char *
rh_redact_text(const struct rh_redaction *r, const char *text)
{
    rh_autofree char *scrubbed = text ? rh_secrets_scrubbed(r->secrets, text) : NULL;

    return scrubbed ? rh_arena_strdup(r->arena, scrubbed) : text;
}

const struct rh_value *
rh_redact_value(const struct rh_redaction *r, const struct rh_value *v)
{
    return rh_secret_value_hide(r->secrets, r->arena, v);
}

static const char *
redact_attribute(const struct rh_redaction *r, const char *name)
{
    if (name && r->type && rh_type_attr(r->type, name))
        return name;
    return rh_redact_text(r, name);
}

static void
redact_list(const struct rh_redaction *r, const struct rh_field *f, char *record)
{
    size_t n, size = f->element->size;
    const char *list;
    char *copy;

    memcpy(&n, record + f->count_at, sizeof n);
    memcpy(&list, record + f->at, sizeof list);
    if (!n)
        return;
    copy = rh_arena_alloc(r->arena, n * size);
    memcpy(copy, list, n * size);
    for (size_t i = 0; i < n; i++)
        rh_redact_fields(r, f->element, copy + i * size);
    memcpy(record + f->at, &copy, sizeof copy);
}

/* Its record may be somebody else's: a copy of the top is changed. */
static void
redact_own_item(const struct rh_redaction *r, const struct rh_value **at)
{
    struct rh_value *copy = rh_value_copy_top(r->arena, *at);

    rh_redact_item(r, copy);
    *at = copy;
}

static void
redact_field(const struct rh_redaction *r, const struct rh_field *f, void *record)
{
    void *at = (char *)record + f->at;

    if (f->kind == RH_FIELD_TEXT)
        *(const char **)at = rh_redact_text(r, *(const char **)at);
    else if (f->kind == RH_FIELD_ATTRIBUTE)
        *(const char **)at = redact_attribute(r, *(const char **)at);
    else if (f->kind == RH_FIELD_VALUE)
        *(const struct rh_value **)at = rh_redact_value(r, *(const struct rh_value **)at);
    else if (f->kind == RH_FIELD_ITEM)
        redact_own_item(r, at);
    else if (f->kind == RH_FIELD_LIST)
        redact_list(r, f, record);
}

void
rh_redact_fields(const struct rh_redaction *r, const struct rh_fields *fields, void *record)
{
    const struct rh_field *f = fields->v, *end = r->secrets->n ? f + fields->n : f;

    for (; f < end; f++) /* most have nothing in them */
        if (f->kind < RH_FIELD_NUMBER && *(void *const *)(const void *)((const char *)record + f->at))
            redact_field(r, f, record);
}

static void
redact_resource(const struct rh_redaction *r, struct rh_value *resource)
{
    for (uint32_t i = 0; i < resource->count; i++) {
        const struct rh_entry *e = &resource->u.entries[i];
        const struct rh_attr *attr = r->type ? rh_type_attr(r->type, e->key) : NULL;
        bool secret = !(attr && attr->behaviour & RH_NAMEVAR) && rh_secret_value_has(r->secrets, e->value);

        rh_draft_set_entry(resource, i, attr ? e->key : rh_redact_text(r, e->key),
                           secret ? rh_value_marked(r->arena, e->value, RH_SENSITIVE) : e->value);
    }
}

void
rh_redact_item(const struct rh_redaction *r, struct rh_value *item)
{
    if (!r->secrets->n || !item)
        return;
    if (item->kind == RH_HASH)
        redact_resource(r, item);
    for (uint32_t i = 0; item->kind == RH_ARRAY && i < item->count; i++) {
        struct rh_value *part = rh_draft_part(item, i);

        if (!rh_kind_has_text(part->kind)) {
            rh_redact_item(r, part); /* a number is an index, and not shown */
            continue;
        }
        part->u.string = redact_attribute(r, part->u.string);
        part->count = (uint32_t)strlen(part->u.string); /* whatever comes after a NUL is not looked at */
    }
}
