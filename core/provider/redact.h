/* SPDX-License-Identifier: Apache-2.0 */
/* redact - removes the secrets from a message, by a table of its fields.
 *
 * Two files call this, and no other: provider/outgoing.c for all that leaves a runtime, and plugin/incoming.c
 * for all that the host receives. A test of the tree checks it. A new field of an outcome or a log record
 * needs a row in its table: a unit test finds a field without one, and plants a secret in each. */
#ifndef RH_PROVIDER_REDACT_H
#define RH_PROVIDER_REDACT_H

#include <stddef.h>

struct rh_arena;
struct rh_secrets;
struct rh_type;
struct rh_value;

enum rh_field_kind {
    RH_FIELD_TEXT,      /* a secret in it is replaced by [redacted] */
    RH_FIELD_ATTRIBUTE, /* an attribute's name: kept where the type has it, else as a text */
    RH_FIELD_VALUE,     /* texts and keys in it are redacted */
    RH_FIELD_ITEM,      /* a hash that is used, not only shown: see rh_redact_item() */
    RH_FIELD_LIST,      /* an array of records with fields of their own */
    RH_FIELD_NUMBER,    /* a number, a flag or an id: this and what follows is not looked at */
    RH_FIELD_OWN,       /* set by the receiver, whatever was sent */
    RH_FIELD_HOST,      /* set by the host alone, and never sent */
};

struct rh_field {
    const char *name;
    enum rh_field_kind kind;
    size_t at, size;
    const struct rh_fields *element; /* of a list: the fields of a record */
    size_t count_at;                 /* and where the number of records is */
};

struct rh_fields {
    const char *name;
    const struct rh_field *v;
    size_t n, size; /* of the whole record */
};

extern const struct rh_fields rh_outcome_fields; /* struct rh_outcome */
extern const struct rh_fields rh_log_fields;     /* struct rh_log_record */

struct rh_redaction {
    struct rh_secrets *secrets;
    struct rh_arena *arena;     /* where copies go */
    const struct rh_type *type; /* or NULL */
};

/* Redacts a record in place; lists and texts that change are copied. */
void rh_redact_fields(const struct rh_redaction *r, const struct rh_fields *fields, void *record);

/* A text or a value that is shown: itself where it has no secret. NULL stays NULL. */
const char *rh_redact_text(const struct rh_redaction *r, const char *text);
const struct rh_value *rh_redact_value(const struct rh_redaction *r, const struct rh_value *v);

/* An item is used, not only shown, so the attributes of a resource keep their values: those with a secret in
 * them get the mark, except the names of the resource. In an array, which answers a question, texts are
 * redacted. In place. */
void rh_redact_item(const struct rh_redaction *r, struct rh_value *item);

#endif
