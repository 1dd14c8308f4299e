/* SPDX-License-Identifier: Apache-2.0 */
/* json-write - values as JSON, in the style of the file that they come into. */

#include "json-write.h"

#include "buffer.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

const char *
json_write_text(rhost_ctx *ctx, const char *text, size_t len, const char **why)
{
    struct json_object *o = len <= INT32_MAX ? json_object_new_string_len(text, (int)len) : NULL;
    const char *json =
        o ? json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) : NULL;
    const char *copy = rhost_strdup(ctx, json);

    (void)json_object_put(o);
    if (!copy)
        *why = "out of memory";
    return copy;
}

/* The shortest text that is the number again, and no integer. */
static const char *
real_text(rhost_ctx *ctx, double d, const char **why)
{
    char text[40];

    if (!isfinite(d)) {
        *why = "JSON has no infinity, and nothing for what is no number";
        return NULL;
    }
    for (int digits = 6; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, d);
        if (!(strtod(text, NULL) < d) && !(strtod(text, NULL) > d))
            break;
    }
    return rhost_fmt(ctx, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static int write_value(struct buffer *b, const rhost_value *value, const struct json_style *s,
                       const char *indent, const char **why);

static int
write_children(struct buffer *b, const rhost_value *value, const struct json_style *s, const char *indent,
               const char **why)
{
    int mapping = value->host->kind(value) == RHOST_HASH;
    const char *inner = s->unit ? rhost_fmt(b->ctx, "%s%s", indent, s->unit) : indent;
    size_t n = rhost_count(value);

    buffer_puts(b, mapping ? "{" : "[");
    for (size_t i = 0; i < n; i++) {
        const char *key = NULL, *name = NULL;
        const rhost_value *one = rhost_at(value, i, &key);

        if (i)
            buffer_puts(b, s->unit ? "," : s->comma);
        if (s->unit) {
            buffer_puts(b, s->newline);
            buffer_puts(b, inner);
        }
        if (mapping) {
            name = json_write_text(b->ctx, key, strlen(key), why);
            if (!name)
                return 0;
            buffer_puts(b, name);
            buffer_puts(b, s->colon);
        }
        if (!write_value(b, one, s, inner, why))
            return 0;
    }
    if (n && s->unit) {
        buffer_puts(b, s->newline);
        buffer_puts(b, indent);
    }
    buffer_puts(b, mapping ? "}" : "]");
    return 1;
}

static int
write_value(struct buffer *b, const rhost_value *value, const struct json_style *s, const char *indent,
            const char **why)
{
    size_t len = 0;
    const char *text = NULL;

    switch (value ? value->host->kind(value) : RHOST_UNDEF) {
    case RHOST_UNDEF:
        text = "null";
        break;
    case RHOST_BOOLEAN:
        text = value->host->boolean(value, 0) ? "true" : "false";
        break;
    case RHOST_INTEGER:
        text = rhost_fmt(b->ctx, "%lld", (long long)value->host->integer(value, 0));
        break;
    case RHOST_FLOAT:
        text = real_text(b->ctx, value->host->real(value, 0), why);
        break;
    case RHOST_STRING:
        text = value->host->string(value, &len);
        text = json_write_text(b->ctx, text, len, why);
        break;
    case RHOST_ARRAY:
    case RHOST_HASH:
        return write_children(b, value, s, indent, why);
    default:
        *why = "JSON has nothing for bytes";
    }
    if (text)
        buffer_puts(b, text);
    return text != NULL;
}

const char *
json_write(rhost_ctx *ctx, const rhost_value *value, const struct json_style *s, const char *indent,
           const char **why)
{
    struct buffer b = { .ctx = ctx };

    return write_value(&b, value, s, indent, why) ? b.text : NULL;
}
