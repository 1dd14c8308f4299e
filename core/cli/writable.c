/* SPDX-License-Identifier: Apache-2.0 */
/* writable - what a manifest must say to mean a value. */
#include "config.h"

#include "cli/writable.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "manifest/text/scalar.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST_KEY = 1000, /* libyaml's limit for one without a mark in front is a little more */
    DEEPEST = 58,       /* below a manifest's own levels */
};

struct rh_value *
rh_writable_text(struct rh_arena *a, const char *s, size_t n)
{
    rh_autobuf struct rh_buf b = { 0 };

    if (!memmem(s, n, "${", 2))
        return rh_value_stringn(a, s, n);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '$' && i + 1 < n && s[i + 1] == '{')
            rh_buf_addc(&b, '$');
        rh_buf_addc(&b, s[i]);
    }
    return rh_value_stringn(a, rh_buf_text(&b), b.n);
}

/* Text in quotes as JSON has it, without them. */
static struct rh_value *
as_json_text(struct rh_arena *a, const struct rh_value *v)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_value_to_json(&b, v, false);
    if (v->kind == RH_BINARY)
        return rh_value_stringn(a, rh_buf_text(&b) + 1, b.n - 2);
    return rh_value_stringn(a, rh_buf_text(&b), b.n);
}

/* Two trees of one shape: what is written, and what a reader of it starts with. */
struct forms {
    struct rh_value *written, *read;
};

static const char *make(struct rh_arena *a, const struct rh_value *v, int depth, struct forms *to);

static const char *
make_parts(struct rh_arena *a, const struct rh_value *v, int depth, struct forms *to)
{
    to->written = rh_value_new(a, v->kind);
    to->read = rh_value_new(a, v->kind);
    if (depth > DEEPEST)
        return "it is nested too deep";
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        struct forms part;
        const char *why = make(a, e ? e->value : rh_value_at(v, i), depth + 1, &part);

        if (!why && e && strlen(e->key) > LONGEST_KEY)
            why = "a key in it is too long";
        if (why)
            return why;
        if (e) {
            rh_value_add_ref(to->written, e->key, part.written);
            rh_value_add_ref(to->read, e->key, part.read);
        } else {
            rh_value_append(to->written, part.written);
            rh_value_append(to->read, part.read);
        }
    }
    return NULL;
}

static const char *
make(struct rh_arena *a, const struct rh_value *v, int depth, struct forms *to)
{
    switch (v->kind) {
    case RH_ARRAY:
    case RH_HASH:
        return make_parts(a, v, depth, to);
    case RH_FLOAT:
        if (!isfinite(v->u.real))
            return "JSON cannot express this number";
        break;
    case RH_UNDEF:
    case RH_BOOLEAN:
    case RH_INTEGER:
        break;
    case RH_BINARY:
        to->read = as_json_text(a, v);
        to->written = rh_value_copy(a, to->read);
        return NULL;
    case RH_STRING:
    case RH_REGEXP:
    case RH_SEMVER:
    case RH_SEMVER_RANGE:
    case RH_TIMESTAMP:
    case RH_TIMESPAN:
    case RH_URI:
        if (!rh_utf8_valid(v->u.string, v->count))
            return "it is not UTF-8";
        to->read = rh_value_stringn(a, v->u.string, v->count);
        to->written = rh_writable_text(a, v->u.string, v->count);
        return NULL;
    default:
        return "a manifest cannot express it";
    }
    to->written = rh_value_copy(a, v);
    to->read = as_json_text(a, v);
    to->read->marks |= RH_PLAIN;
    return NULL;
}

struct rh_value *
rh_writable(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *v, const char **why)
{
    struct forms forms;

    *why = rh_value_sensitive(v) ? "it is sensitive" : make(a, v, 0, &forms);
    if (*why)
        return NULL;
    /* Bytes where text is expected, and the like: the proof is in the reading. */
    forms.read = rh_scalar_read(a, attr->type, forms.read);
    if (rh_value_equal(forms.read, v)
        && rh_datatype_match(attr->type, rh_attribute_marked(a, attr, forms.read)))
        return forms.written;
    *why = v->kind == RH_BINARY ? "it is not text" : "a manifest would read it as something else";
    return NULL;
}
