/* SPDX-License-Identifier: Apache-2.0 */
/* value-json - values at the edges, where the world speaks JSON. */
#include "config.h"

#include "base/value-json.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

/* `members` counts those of all objects. */
static struct rh_value *
convert(struct rh_arena *a, struct json_object *o, size_t *members)
{
    struct rh_value *v;

    switch (json_object_get_type(o)) {
    case json_type_boolean:
        return rh_value_boolean(a, json_object_get_boolean(o));
    case json_type_int:
        return rh_value_integer(a, json_object_get_int64(o));
    case json_type_double:
        return rh_value_float(a, json_object_get_double(o));
    case json_type_string:
        return rh_value_stringn(a, json_object_get_string(o), (size_t)json_object_get_string_len(o));
    case json_type_array:
        v = rh_value_new(a, RH_ARRAY);
        for (size_t i = 0; i < json_object_array_length(o); i++)
            rh_value_append(v, convert(a, json_object_array_get_idx(o, i), members));
        return v;
    case json_type_object:
        v = rh_value_new(a, RH_HASH);
        /* Their keys differ already: looking for each of a million would take hours. */
        *members += (size_t)json_object_object_length(o);
        json_object_object_foreach(o, key, item)
            rh_value_add_ref(v, rh_arena_strdup(a, key), convert(a, item, members));
        return v;
    default:
        return rh_value_new(a, RH_UNDEF);
    }
}

/* json-c cuts a key at its NUL, and then takes it for another. */
static const char *
find_nul_key(const char *text, size_t n)
{
    static const char nul[] = "\\u0000";
    const char *at = text, *end = text + n, *found = NULL;

    while ((at = memmem(at, (size_t)(end - at), nul, sizeof nul - 1))) {
        const char *before = at;

        while (before > text && before[-1] == '\\')
            before--;
        found = at;
        at += sizeof nul - 1;
        if ((found - before) % 2)
            continue;
        while (at < end && *at != '"')
            at += *at == '\\' ? 2 : 1;
        if (at >= end)
            break;
        at++;
        while (at < end && *at && strchr(" \t\r\n", *at))
            at++;
        if (at < end && *at == ':')
            return found;
    }
    return NULL;
}

/* How many members the objects of a JSON text have as it is written: there is a colon for each. */
static size_t
count_members(const char *text, size_t n)
{
    size_t members = 0;
    bool quoted = false;

    for (const char *at = text, *end = text + n; at < end; at++) {
        if (*at == '"')
            quoted = !quoted;
        else if (*at == '\\')
            at++;
        else if (*at == ':' && !quoted)
            members++;
    }
    return members;
}

struct rh_value *
rh_value_from_json(struct rh_arena *a, const char *text, size_t n, struct rh_error *err)
{
    struct json_tokener *tok;
    struct json_object *o;
    struct rh_value *v = NULL;
    const char *nul;
    size_t end, members = 0;

    if (n > INT_MAX || !rh_utf8_valid(text, n)) {
        rh_error_set(err, RH_EINPUT, "invalid JSON: %s", n > INT_MAX ? "too long" : "not UTF-8");
        return NULL;
    }
    nul = find_nul_key(text, n);
    if (nul) {
        rh_error_set(err, RH_EINPUT, "invalid JSON: a key contains a NUL character, at byte %zu",
                     (size_t)(nul - text));
        if (err)
            err->at = (size_t)(nul - text);
        return NULL;
    }
    tok = json_tokener_new_ex(MAX_DEPTH);
    if (!tok) {
        rh_error_set(err, RH_ESYSTEM, "cannot read JSON: out of memory");
        return NULL;
    }
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_ALLOW_TRAILING_CHARS);
    o = json_tokener_parse_ex(tok, text, (int)n);
    /* A bare number may end with the text; the tokener wants to see something behind it. */
    end = json_tokener_get_parse_end(tok);
    if (!o && json_tokener_get_error(tok) == json_tokener_continue) {
        o = json_tokener_parse_ex(tok, "", -1);
        end = n;
    }
    if (json_tokener_get_error(tok) != json_tokener_success) {
        rh_error_set(err, RH_EINPUT, "invalid JSON: %s at byte %zu",
                     json_tokener_error_desc(json_tokener_get_error(tok)), end);
        if (err)
            err->at = end;
    } else {
        while (end < n && strchr(" \t\r\n", text[end]))
            end++;
        if (end < n) {
            rh_error_set(err, RH_EINPUT, "invalid JSON: more text after the value, at byte %zu", end);
            if (err)
                err->at = end;
        } else {
            v = convert(a, o, &members);
            if (members != count_members(text, n)) { /* json-c has kept the last of them */
                v = NULL;
                rh_error_set(err, RH_EINPUT, "invalid JSON: an object has a duplicate key");
            }
        }
    }
    json_object_put(o);
    json_tokener_free(tok);
    return v;
}

void
rh_json_string(struct rh_buf *b, const char *s, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    if (rh_text_plain(s, n) == n) { /* as nearly all are */
        char *to = rh_buf_extend(b, n + 2);

        to[0] = to[n + 1] = '"';
        memcpy(to + 1, s, n);
        return;
    }
    rh_buf_addc(b, '"');
    for (size_t i = 0; i < n;) {
        size_t plain = rh_text_plain(s + i, n - i);
        uint32_t active;
        size_t len;
        unsigned char c;

        rh_buf_addn(b, s + i, plain);
        i += plain;
        if (i == n)
            break;
        len = rh_utf8_length(s + i, n - i);
        active = len > 1 ? rh_utf8_active(s + i, len) : 0;
        c = (unsigned char)s[i];
        if (!len) {
            rh_buf_add(b, "\xef\xbf\xbd");
            i++;
            continue;
        }
        if (c == '"' || c == '\\') {
            char two[] = { '\\', (char)c };

            rh_buf_addn(b, two, 2);
        } else if (c == '\n') {
            rh_buf_add(b, "\\n");
        } else if (c == '\t') {
            rh_buf_add(b, "\\t");
        } else if (c < 0x20 || c == 0x7f) {
            char six[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

            rh_buf_addn(b, six, 6);
        } else if (active) {
            rh_buf_addf(b, "\\u%04x", (unsigned)active);
        } else {
            rh_buf_addn(b, s + i, len);
        }
        i += len;
    }
    rh_buf_addc(b, '"');
}

static void
add_base64(struct rh_buf *b, const unsigned char *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    rh_buf_addc(b, '"');
    for (size_t i = 0; i < n; i += 3) {
        size_t some = n - i < 3 ? n - i : 3;
        unsigned char three[3] = { 0 };
        unsigned v;

        memcpy(three, p + i, some);
        v = (unsigned)three[0] << 16 | (unsigned)three[1] << 8 | three[2];
        rh_buf_addc(b, digits[v >> 18]);
        rh_buf_addc(b, digits[v >> 12 & 63]);
        rh_buf_addc(b, some > 1 ? digits[v >> 6 & 63] : '=');
        rh_buf_addc(b, some > 2 ? digits[v & 63] : '=');
    }
    rh_buf_addc(b, '"');
}

static void
add_break(struct rh_buf *b, int indent)
{
    if (indent < 0)
        return;
    rh_buf_addc(b, '\n');
    for (int i = 0; i < indent; i++)
        rh_buf_add(b, "  ");
}

static void
add_unknown(struct rh_buf *b, const struct rh_value *v)
{
    rh_autobuf struct rh_buf shown = { 0 };

    rh_value_show(&shown, v, 0);
    rh_json_string(b, rh_buf_text(&shown), shown.n);
}

/* indent < 0: all on one line. */
static void
add_json(struct rh_buf *b, const struct rh_value *v, bool sensitive, int indent)
{
    int inner = indent < 0 ? -1 : indent + 1;
    size_t n = rh_value_count(v);

    if (!v) {
        rh_buf_add(b, "null");
        return;
    }
    if (!sensitive && (v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED)) {
        rh_buf_add(b, "\"[redacted]\"");
        return;
    }
    switch (v->kind) {
    case RH_UNDEF:
        rh_buf_add(b, "null");
        return;
    case RH_HASH:
    case RH_ARRAY:
        rh_buf_addc(b, v->kind == RH_HASH ? '{' : '[');
        for (size_t i = 0; i < n; i++) {
            if (i)
                rh_buf_addn(b, ", ", indent < 0 ? 2 : 1);
            add_break(b, inner);
            if (v->kind == RH_HASH) {
                rh_json_string(b, v->u.entries[i].key, strlen(v->u.entries[i].key));
                rh_buf_addn(b, ": ", 2);
                add_json(b, v->u.entries[i].value, sensitive, inner);
            } else {
                add_json(b, v->u.items[i], sensitive, inner);
            }
        }
        if (n)
            add_break(b, indent);
        rh_buf_addc(b, v->kind == RH_HASH ? '}' : ']');
        return;
    case RH_WRAPPED:
        add_json(b, rh_value_at(v, 0), sensitive, indent);
        return;
    case RH_BINARY:
        add_base64(b, (const unsigned char *)v->u.string, v->count);
        return;
    case RH_FLOAT:
        if (!isfinite(v->u.real)) {
            rh_buf_add(b, "null");
            return;
        }
        rh_value_show(b, v, 0);
        return;
    case RH_BOOLEAN:
    case RH_INTEGER:
        rh_value_show(b, v, 0);
        return;
    case RH_UNKNOWN:
        add_unknown(b, v);
        return;
    case RH_MAP:
        rh_buf_add(b, "\"(map)\"");
        return;
    default:
        rh_json_string(b, v->u.string, v->count);
    }
}

void
rh_value_to_json(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    add_json(b, v, sensitive, -1);
}

void
rh_value_to_json_pretty(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    add_json(b, v, sensitive, 0);
}
