/* SPDX-License-Identifier: Apache-2.0 */
/* json-read - a value out of JSON. */

#include "json.h"

#include "json-parts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 60,
    MOST_TAGS = 8, /* within each other: what is in one is copied */
};

static int read_value(struct json_reader *r, rhost_value *in, const char *key);

int
json_refuse(struct json_reader *r, const char *fmt, ...)
{
    va_list ap;

    if (r->why->n)
        return -1;
    text_addf(r->why, "at byte %zu: ", (size_t)(r->at - r->start) + 1);
    va_start(ap, fmt);
    text_addv(r->why, fmt, ap);
    va_end(ap);
    return -1;
}

static void
skip_space(struct json_reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool
take(struct json_reader *r, char c)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static int
read_hex(struct json_reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *d = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;

        if (!d)
            return json_refuse(r, "after \\u there must be four hexadecimal digits");
        *code = *code << 4 | ((uint32_t)(d - digits) & 15);
    }
    return 0;
}

static int
read_escape(struct json_reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *one = r->at < r->end && *r->at ? strchr(from, *r->at) : NULL;
    uint32_t code, low;
    char utf8[4];
    size_t n = 0;

    if (one) {
        r->at++;
        text_add(&r->string, to + (one - from), 1);
        return 0;
    }
    if (r->at >= r->end || *r->at != 'u')
        return json_refuse(r, "unknown escape");
    r->at++;
    if (read_hex(r, &code) < 0)
        return -1;
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u') {
        r->at += 2;
        if (read_hex(r, &low) < 0)
            return -1;
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code >= 0xd800 && code < 0xe000)
        return json_refuse(r, "half of a pair of \\u escapes is not a character");
    if (code < 0x80) {
        utf8[n++] = (char)code;
    } else if (code < 0x800) {
        utf8[n++] = (char)(0xc0 | code >> 6);
        utf8[n++] = (char)(0x80 | (code & 63));
    } else {
        if (code < 0x10000) {
            utf8[n++] = (char)(0xe0 | code >> 12);
        } else {
            utf8[n++] = (char)(0xf0 | code >> 18);
            utf8[n++] = (char)(0x80 | (code >> 12 & 63));
        }
        utf8[n++] = (char)(0x80 | (code >> 6 & 63));
        utf8[n++] = (char)(0x80 | (code & 63));
    }
    text_add(&r->string, utf8, n);
    return 0;
}

/* Behind its quote, into r->string. */
static int
read_string(struct json_reader *r)
{
    r->string.n = 0;
    text_add(&r->string, "", 0);
    for (;;) {
        const char *from = r->at;

        while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= 0x20)
            r->at++;
        text_add(&r->string, from, (size_t)(r->at - from));
        if (r->at >= r->end)
            return json_refuse(r, "the line ends within a string");
        if (*r->at != '"' && *r->at != '\\')
            return json_refuse(r, "a control character in a string must be escaped");
        if (*r->at++ == '"')
            return 0;
        if (read_escape(r) < 0)
            return -1;
    }
}

static int
read_number(struct json_reader *r, rhost_value *in, const char *key)
{
    const char *from = r->at;
    bool real = false;
    char text[400];
    size_t n;

    if (*r->at == '-')
        r->at++;
    if (r->at < r->end && *r->at == '0' && r->end - r->at > 1 && r->at[1] >= '0' && r->at[1] <= '9')
        return json_refuse(r, "a number does not begin with 0");
    while (r->at < r->end && *r->at && strchr("0123456789.eE+-", *r->at))
        real |= strchr("0123456789", *r->at++) == NULL;
    n = (size_t)(r->at - from);
    if (n >= sizeof text)
        return json_refuse(r, "the number is too long");
    memcpy(text, from, n);
    text[n] = '\0';
    errno = 0;
    if (!real) {
        char *end;
        long long i = strtoll(text, &end, 10);

        if (errno == ERANGE)
            return json_refuse(r, "the number does not fit into 64 bits");
        if (*end || end == text || end[-1] == '-')
            return json_refuse(r, "this is no number");
        in->host->put_integer(in, key, i);
    } else {
        size_t head = strspn(text + (text[0] == '-'), "0123456789") + (text[0] == '-');
        const char *dot = text[head] == '.' ? text + head + 1 : NULL;
        char *end;
        double d = strtod(text, &end);

        if (*end || !head || (text[0] == '-' && head == 1) || (dot && !(*dot >= '0' && *dot <= '9')))
            return json_refuse(r, "this is no number");
        if (!isfinite(d))
            return json_refuse(r, "the number is too large");
        in->host->put_real(in, key, d);
    }
    return 0;
}

static int
read_word(struct json_reader *r, rhost_value *in, const char *key)
{
    static const char *const words[] = { "null", "false", "true" };

    for (int i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);

        if ((size_t)(r->end - r->at) < n || memcmp(r->at, words[i], n) != 0)
            continue;
        r->at += n;
        if (i)
            in->host->put_boolean(in, key, i - 1);
        else
            in->host->put_undef(in, key);
        return 0;
    }
    return json_refuse(r, "a value is expected here");
}

static int
read_array(struct json_reader *r, rhost_value *in, const char *key)
{
    rhost_value *array = in->host->put_array(in, key);

    if (take(r, ']'))
        return 0;
    do
        if (read_value(r, array, NULL) < 0)
            return -1;
    while (take(r, ','));
    return take(r, ']') ? 0 : json_refuse(r, "',' or ']' is expected here");
}

/* Behind its brace, into `hash`. */
static int
read_entries(struct json_reader *r, rhost_value *hash)
{
    size_t n = 0;

    if (take(r, '}'))
        return 0;
    do {
        char *key;

        if (++n > JSON_MOST_KEYS)
            return json_refuse(r, "there are more than %d keys", JSON_MOST_KEYS);
        if (!take(r, '"'))
            return json_refuse(r, "a key is expected here, in double quotes");
        if (read_string(r) < 0)
            return -1;
        if (memchr(r->string.s, '\0', r->string.n))
            return json_refuse(r, "a key cannot have a NUL in it");
        key = hash->host->alloc(r->ctx, r->string.n + 1);
        memcpy(key, r->string.s, r->string.n);
        if (hash->host->get(hash, key))
            return json_refuse(r, "duplicate key");
        if (!take(r, ':'))
            return json_refuse(r, "':' is expected here");
        if (read_value(r, hash, key) < 0)
            return -1;
    } while (take(r, ','));
    return take(r, '}') ? 0 : json_refuse(r, "',' or '}' is expected here");
}

/* Behind a string that begins here; the end of the line, if it has none. */
static const char *
behind_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

/* Whether the object whose brace was read has the key of a tag: 1, 0, or -1 after refusing. It is asked
 * before it is read, for one without is read to where it belongs: were it copied there, what is nested
 * in it would be there once for each level. */
static int
is_tagged(struct json_reader *r)
{
    const char *start = r->at, *at = start;
    int depth = 0, found = 0;

    while (found == 0 && depth >= 0 && at < r->end) {
        if (*at != '"') {
            depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
            at++;
            continue;
        }
        r->at = at + 1;
        at = behind_string(at, r->end);
        if (depth == 0 && read_string(r) < 0)
            found = -1;
        else if (depth == 0 && r->string.n == 7 && memcmp(r->string.s, "__ptype", 7) == 0)
            found = take(r, ':');
    }
    if (found >= 0)
        r->at = start;
    return found;
}

static int
read_hash(struct json_reader *r, rhost_value *in, const char *key)
{
    int tagged = r->tags ? is_tagged(r) : 0;
    rhost_value *hash;

    if (tagged <= 0)
        return tagged < 0 ? -1 : read_entries(r, in->host->put_hash(in, key));
    if (r->tagged >= MOST_TAGS)
        return json_refuse(r, "there are more than %d tags within each other", MOST_TAGS);
    hash = in->host->new_hash(r->ctx);
    r->tagged++;
    if (read_entries(r, hash) < 0)
        return -1;
    r->tagged--;
    return json_put_tagged(r, in, key, hash);
}

static int
read_value(struct json_reader *r, rhost_value *in, const char *key)
{
    int rc;

    skip_space(r);
    if (r->at >= r->end)
        return json_refuse(r, "the line ends where a value is expected");
    if (r->depth >= DEEPEST)
        return json_refuse(r, "it is nested deeper than %d", DEEPEST);
    r->depth++;
    if (*r->at == '{') {
        r->at++;
        rc = read_hash(r, in, key);
    } else if (*r->at == '[') {
        r->at++;
        rc = read_array(r, in, key);
    } else if (*r->at == '"') {
        r->at++;
        rc = read_string(r);
        if (rc == 0)
            in->host->put_string(in, key, r->string.s, r->string.n);
    } else if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) {
        rc = read_number(r, in, key);
    } else {
        rc = read_word(r, in, key);
    }
    r->depth--;
    return rc;
}

int
json_read(rhost_ctx *ctx, rhost_value *in, const char *key, const char *line, size_t n, struct text *why)
{
    struct json_reader r = { .ctx = ctx, .start = line, .at = line, .end = line + n, .why = why };
    size_t fault = utf8_fault(line, n);
    int rc;

    if (fault) {
        text_addf(why, "at byte %zu: this is not UTF-8", fault);
        return -1;
    }
    r.tags = memmem(line, n, "__ptype", 7) || memmem(line, n, "\\u00", 4);
    rc = read_value(&r, in, key);
    skip_space(&r);
    if (rc == 0 && r.at < r.end)
        rc = json_refuse(&r, "something stands after the value");
    text_clear(&r.string);
    return rc;
}
