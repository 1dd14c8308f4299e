/* SPDX-License-Identifier: Apache-2.0 */
/* value-show - a value as people read it, with what is sensitive hidden. */
#include "config.h"

#include "base/text.h"
#include "base/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
rh_kind_name(enum rh_kind kind)
{
    static const char *const names[] = {
        "undef",           "a boolean",   "an integer",       "a number", "a string", "binary data",
        "a list",          "a hash",      "an unknown value", "default",  "a regexp", "a version",
        "a version range", "a timestamp", "a timespan",       "a URI",    "a type",   "a sensitive value",
        "a map",
    };

    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "an unreadable value";
}

static void
show_string(struct rh_buf *b, const struct rh_value *v, size_t limit)
{
    size_t n = v->count;

    if (limit && n > limit)
        n = limit;
    while (n < v->count && n && ((unsigned char)v->u.string[n] & 0xc0) == 0x80)
        n--;
    rh_buf_addc(b, '"');
    rh_buf_add_safe(b, v->u.string, n, false);
    if (n < v->count)
        rh_buf_addf(b, "\"... (%u bytes)", v->count);
    else
        rh_buf_addc(b, '"');
}

/* The shortest text that reads back as the same number, always with a mark of being a float. */
static void
show_float(struct rh_buf *b, double d)
{
    char text[32];

    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, d);
        if (strtod(text, NULL) == d)
            break;
    }
    rh_buf_add(b, text);
    if (!strpbrk(text, ".eni"))
        rh_buf_add(b, ".0");
}

static void
show_items(struct rh_buf *b, const struct rh_value *v, size_t limit)
{
    size_t from = b->n;

    rh_buf_addc(b, v->kind == RH_MAP ? '{' : '[');
    for (uint32_t i = 0; i < v->count; i++) {
        if (i)
            rh_buf_add(b, v->kind == RH_MAP && i % 2 ? ": " : ", ");
        if (limit && b->n - from > limit) {
            rh_buf_addf(b, "... (%u)", v->count);
            break;
        }
        rh_value_show(b, v->u.items[i], limit);
    }
    rh_buf_addc(b, v->kind == RH_MAP ? '}' : ']');
}

static void
show_entries(struct rh_buf *b, const struct rh_value *v, size_t limit)
{
    size_t from = b->n;

    rh_buf_addc(b, '{');
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];

        if (i)
            rh_buf_add(b, ", ");
        if (limit && b->n - from > limit) {
            rh_buf_addf(b, "... (%u)", v->count);
            break;
        }
        rh_buf_add_safe(b, e->key, strlen(e->key), false);
        rh_buf_add(b, ": ");
        rh_value_show(b, e->value, limit);
    }
    rh_buf_addc(b, '}');
}

void
rh_value_show(struct rh_buf *b, const struct rh_value *v, size_t limit)
{
    if (!v) {
        rh_buf_add(b, "undef");
        return;
    }
    if (v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED) {
        rh_buf_add(b, "[redacted]");
        return;
    }
    switch (v->kind) {
    case RH_UNDEF:
        rh_buf_add(b, "undef");
        break;
    case RH_UNKNOWN:
        if (rh_value_deferred(v))
            rh_buf_addf(b, "(known after %s)", rh_value_deferred(v)->after);
        else
            rh_buf_add(b, "(unknown)");
        break;
    case RH_DEFAULT:
        rh_buf_add(b, "default");
        break;
    case RH_BOOLEAN:
        rh_buf_add(b, v->u.integer ? "true" : "false");
        break;
    case RH_INTEGER:
        rh_buf_addf(b, "%" PRId64, v->u.integer);
        break;
    case RH_FLOAT:
        show_float(b, v->u.real);
        break;
    case RH_BINARY:
        rh_buf_addf(b, "(binary, %u bytes)", v->count);
        break;
    case RH_ARRAY:
    case RH_MAP:
        show_items(b, v, limit);
        break;
    case RH_HASH:
        show_entries(b, v, limit);
        break;
    default:
        show_string(b, v, limit);
    }
}
