/* SPDX-License-Identifier: Apache-2.0 */
/* json - values as JSON, in both directions. */

#include "json.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 60,
    MOST_KEYS = 10000, /* of one object: each is held against all before it */
    MOST_TAGS = 8,     /* within each other: what is in one is copied */
};

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
json_string(struct text *t, const char *s, size_t n)
{
    size_t plain = 0;

    text_add(t, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
            continue;
        text_add(t, s + plain, i - plain);
        plain = i + 1;
        if (c == '"' || c == '\\')
            text_addf(t, "\\%c", c);
        else if (c == '\n')
            text_add(t, "\\n", 2);
        else if (c == '\t')
            text_add(t, "\\t", 2);
        else
            text_addf(t, "\\u%04x", c);
    }
    text_add(t, s + plain, n - plain);
    text_add(t, "\"", 1);
}

static void
write_binary(struct text *t, const char *s, size_t n)
{
    text_adds(t, "{\"__ptype\":\"Binary\",\"__pvalue\":\"");
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)(unsigned char)s[i] << 16;
        char four[4];

        if (i + 1 < n)
            three |= (uint32_t)(unsigned char)s[i + 1] << 8;
        if (i + 2 < n)
            three |= (unsigned char)s[i + 2];
        for (int k = 0; k < 4; k++)
            four[k] = digits64[three >> (18 - 6 * k) & 63];
        if (i + 1 >= n)
            four[2] = '=';
        if (i + 2 >= n)
            four[3] = '=';
        text_add(t, four, 4);
    }
    text_adds(t, "\"}");
}

static void
write_real(struct text *t, double d)
{
    size_t before = t->n;

    if (!isfinite(d)) {
        text_addf(t, "{\"__ptype\":\"Float\",\"__pvalue\":\"%s\"}",
                  isnan(d) ? "NaN"
                  : d < 0  ? "-Infinity"
                           : "Infinity");
        return;
    }
    text_addf(t, "%.17g", d);
    if (!strpbrk(t->s + before, ".e")) /* or it would be an integer */
        text_adds(t, ".0");
}

/* A hash; or, should one of its keys look like a tag, a tag with all of it. */
static void
write_hash(struct text *t, const rhost_value *v)
{
    bool odd = v->host->get(v, "__ptype") != NULL;

    text_adds(t, odd ? "{\"__ptype\":\"hash\",\"__pvalue\":[" : "{");
    for (size_t i = 0; i < v->host->count(v); i++) {
        const char *key;
        const rhost_value *e = v->host->at(v, i, &key);

        if (i)
            text_add(t, ",", 1);
        json_string(t, key, strlen(key));
        text_adds(t, odd ? "," : ":");
        json_write(t, e);
    }
    text_adds(t, odd ? "]}" : "}");
}

static void
write_plain(struct text *t, const rhost_value *v)
{
    const char *s;
    size_t n;

    switch (v->host->kind(v)) {
    case RHOST_BOOLEAN:
        text_adds(t, v->host->boolean(v, 0) ? "true" : "false");
        break;
    case RHOST_INTEGER:
        text_addf(t, "%lld", (long long)v->host->integer(v, 0));
        break;
    case RHOST_FLOAT:
        write_real(t, v->host->real(v, 0));
        break;
    case RHOST_STRING:
        s = v->host->string(v, &n);
        json_string(t, s, n);
        break;
    case RHOST_BINARY:
        s = v->host->string(v, &n);
        write_binary(t, s, n);
        break;
    case RHOST_ARRAY:
        text_adds(t, "[");
        for (size_t i = 0; i < v->host->count(v); i++) {
            if (i)
                text_add(t, ",", 1);
            json_write(t, v->host->at(v, i, NULL));
        }
        text_adds(t, "]");
        break;
    case RHOST_HASH:
        write_hash(t, v);
        break;
    default:
        text_adds(t, "null");
    }
}

/* Whether it is marked itself: for the host, what has something sensitive in it is so as well. */
static bool
is_marked(const rhost_value *v)
{
    if (!v->host->sensitive(v))
        return false;
    for (size_t i = 0; i < v->host->count(v); i++)
        if (v->host->sensitive(v->host->at(v, i, NULL)))
            return false;
    return true;
}

void
json_write(struct text *t, const rhost_value *v)
{
    bool secret = v && is_marked(v);

    if (!v) {
        text_adds(t, "null");
        return;
    }
    if (secret)
        text_adds(t, "{\"__ptype\":\"Sensitive\",\"__pvalue\":");
    write_plain(t, v);
    if (secret)
        text_adds(t, "}");
}

/* Reading. */
struct reader {
    rhost_ctx *ctx;
    const char *start, *at, *end;
    struct text *why;
    struct text string; /* the last that was read */
    bool tags;          /* the line may have some */
    int depth, tagged;
};

static int read_value(struct reader *r, rhost_value *in, const char *key);

static int __attribute__((format(printf, 2, 3))) refuse(struct reader *r, const char *fmt, ...)
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
skip_space(struct reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool
take(struct reader *r, char c)
{
    skip_space(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static int
read_hex(struct reader *r, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *d = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;

        if (!d)
            return refuse(r, "after \\u there must be four hexadecimal digits");
        *code = *code << 4 | ((uint32_t)(d - digits) & 15);
    }
    return 0;
}

static int
read_escape(struct reader *r)
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
        return refuse(r, "there is no such escape");
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
        return refuse(r, "half of a pair of \\u escapes is not a character");
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
read_string(struct reader *r)
{
    r->string.n = 0;
    text_add(&r->string, "", 0);
    for (;;) {
        const char *from = r->at;

        while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (unsigned char)*r->at >= 0x20)
            r->at++;
        text_add(&r->string, from, (size_t)(r->at - from));
        if (r->at >= r->end)
            return refuse(r, "the line ends within a string");
        if (*r->at != '"' && *r->at != '\\')
            return refuse(r, "a control character in a string must be escaped");
        if (*r->at++ == '"')
            return 0;
        if (read_escape(r) < 0)
            return -1;
    }
}

static int
read_number(struct reader *r, rhost_value *in, const char *key)
{
    const char *from = r->at;
    bool real = false;
    char text[400];
    size_t n;

    if (*r->at == '-')
        r->at++;
    if (r->at < r->end && *r->at == '0' && r->end - r->at > 1 && r->at[1] >= '0' && r->at[1] <= '9')
        return refuse(r, "a number does not begin with 0");
    while (r->at < r->end && *r->at && strchr("0123456789.eE+-", *r->at))
        real |= strchr("0123456789", *r->at++) == NULL;
    n = (size_t)(r->at - from);
    if (n >= sizeof text)
        return refuse(r, "the number is too long");
    memcpy(text, from, n);
    text[n] = '\0';
    errno = 0;
    if (!real) {
        char *end;
        long long i = strtoll(text, &end, 10);

        if (errno == ERANGE)
            return refuse(r, "the number does not fit into 64 bits");
        if (*end || end == text || end[-1] == '-')
            return refuse(r, "this is no number");
        in->host->put_integer(in, key, i);
    } else {
        size_t head = strspn(text + (text[0] == '-'), "0123456789") + (text[0] == '-');
        const char *dot = text[head] == '.' ? text + head + 1 : NULL;
        char *end;
        double d = strtod(text, &end);

        if (*end || !head || (text[0] == '-' && head == 1) || (dot && !(*dot >= '0' && *dot <= '9')))
            return refuse(r, "this is no number");
        if (!isfinite(d))
            return refuse(r, "the number is too large");
        in->host->put_real(in, key, d);
    }
    return 0;
}

static int
read_word(struct reader *r, rhost_value *in, const char *key)
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
    return refuse(r, "a value is expected here");
}

static int
read_array(struct reader *r, rhost_value *in, const char *key)
{
    rhost_value *array = in->host->put_array(in, key);

    if (take(r, ']'))
        return 0;
    do
        if (read_value(r, array, NULL) < 0)
            return -1;
    while (take(r, ','));
    return take(r, ']') ? 0 : refuse(r, "',' or ']' is expected here");
}

/* Behind its brace, into `hash`. */
static int
read_entries(struct reader *r, rhost_value *hash)
{
    size_t n = 0;

    if (take(r, '}'))
        return 0;
    do {
        char *key;

        if (++n > MOST_KEYS)
            return refuse(r, "there are more than %d keys", MOST_KEYS);
        if (!take(r, '"'))
            return refuse(r, "a key is expected here, in double quotes");
        if (read_string(r) < 0)
            return -1;
        if (memchr(r->string.s, '\0', r->string.n))
            return refuse(r, "a key cannot have a NUL in it");
        key = hash->host->alloc(r->ctx, r->string.n + 1);
        memcpy(key, r->string.s, r->string.n);
        if (hash->host->get(hash, key))
            return refuse(r, "duplicate key");
        if (!take(r, ':'))
            return refuse(r, "':' is expected here");
        if (read_value(r, hash, key) < 0)
            return -1;
    } while (take(r, ','));
    return take(r, '}') ? 0 : refuse(r, "',' or '}' is expected here");
}

static int
put_base64(struct reader *r, rhost_value *in, const char *key, const char *s, size_t n)
{
    unsigned char *bytes = in->host->alloc(r->ctx, n / 4 * 3 + 3);
    size_t out = 0, pad = 0;

    if (n % 4)
        return refuse(r, "the base64 text of a Binary has a length that is no multiple of four");
    for (size_t i = 0; i < n; i += 4) {
        uint32_t three = 0;

        for (size_t k = 0; k < 4; k++) {
            const char *d = s[i + k] ? strchr(digits64, s[i + k]) : NULL;
            bool last = s[i + k] == '=' && i + 4 == n && k >= 2;

            if (!last && (!d || pad))
                return refuse(r, "a Binary is not base64");
            pad += last;
            three = three << 6 | (last ? 0 : (uint32_t)(d - digits64));
        }
        bytes[out++] = (unsigned char)(three >> 16);
        bytes[out++] = (unsigned char)(three >> 8);
        bytes[out++] = (unsigned char)three;
    }
    in->host->put_binary(in, key, bytes, out - pad);
    return 0;
}

static int
put_float(struct reader *r, rhost_value *in, const char *key, const char *s)
{
    char *end;
    double d = strtod(s, &end);

    if (end == s || *end)
        return refuse(r, "a Float is not a number");
    in->host->put_real(in, key, d);
    return 0;
}

static int
put_pairs(struct reader *r, rhost_value *in, const char *key, const rhost_value *list)
{
    rhost_value *hash = in->host->put_hash(in, key);

    if (list->host->kind(list) != RHOST_ARRAY || list->host->count(list) % 2)
        return refuse(r, "a tagged hash has a list of key, value, key, value...");
    if (list->host->count(list) / 2 > MOST_KEYS)
        return refuse(r, "a tagged hash has more than %d keys", MOST_KEYS);
    for (size_t i = 0; i < list->host->count(list); i += 2) {
        const rhost_value *name = list->host->at(list, i, NULL);
        size_t n = 0;
        const char *s = name->host->kind(name) == RHOST_STRING ? name->host->string(name, &n) : NULL;

        if (!s || memchr(s, '\0', n))
            return refuse(r, "a key of a tagged hash is not text");
        if (hash->host->get(hash, s))
            return refuse(r, "duplicate key in a tagged hash");
        in->host->put_copy(hash, s, list->host->at(list, i + 1, NULL));
    }
    return 0;
}

/* What a hash with a tag stands for. */
static int
put_tagged(struct reader *r, rhost_value *in, const char *key, const rhost_value *hash)
{
    static const char *const texts[] = { "Regexp", "SemVer", "SemVerRange", "Timespan", "Timestamp", "URI" };
    static const char *const others[] = { "Binary", "Float", "Sensitive", "hash" };
    const rhost_value *tag = hash->host->get(hash, "__ptype"), *v = hash->host->get(hash, "__pvalue");
    const char *name = tag->host->kind(tag) == RHOST_STRING ? tag->host->string(tag, NULL) : NULL;
    const char *s = v && v->host->kind(v) == RHOST_STRING ? v->host->string(v, NULL) : NULL;
    struct near near = { .wanted = name ? name : "" };
    struct text more = { 0 };
    size_t n = 0;

    if (!name || !v || hash->host->count(hash) != 2)
        return refuse(r, "a hash with '__ptype' has the name of a type there, '__pvalue', and nothing "
                         "else");
    if (strcmp(name, "Sensitive") == 0) {
        in->host->put_copy(in, key, v);
        in->host->mark_sensitive(in, key);
        return 0;
    }
    if (strcmp(name, "hash") == 0)
        return put_pairs(r, in, key, v);
    if (s && strcmp(name, "Binary") == 0) {
        s = v->host->string(v, &n);
        return put_base64(r, in, key, s, n);
    }
    if (s && strcmp(name, "Float") == 0)
        return put_float(r, in, key, s);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (s && strcmp(name, texts[i]) == 0) {
            in->host->put_copy(in, key, v);
            return 0;
        }
        near_try(&near, texts[i]);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        near_try(&near, others[i]);
    if (near.best && strcmp(near.best, name) == 0)
        return refuse(r, "the '__pvalue' of a %s is text", name);
    text_addf(&more, "'%.*s' is not a tag for '__ptype'", 60, name);
    near_add(&near, &more);
    (void)refuse(r, "%s", more.s);
    text_clear(&more);
    return -1;
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
is_tagged(struct reader *r)
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
read_hash(struct reader *r, rhost_value *in, const char *key)
{
    int tagged = r->tags ? is_tagged(r) : 0;
    rhost_value *hash;

    if (tagged <= 0)
        return tagged < 0 ? -1 : read_entries(r, in->host->put_hash(in, key));
    if (r->tagged >= MOST_TAGS)
        return refuse(r, "there are more than %d tags within each other", MOST_TAGS);
    hash = in->host->new_hash(r->ctx);
    r->tagged++;
    if (read_entries(r, hash) < 0)
        return -1;
    r->tagged--;
    return put_tagged(r, in, key, hash);
}

static int
read_value(struct reader *r, rhost_value *in, const char *key)
{
    int rc;

    skip_space(r);
    if (r->at >= r->end)
        return refuse(r, "the line ends where a value is expected");
    if (r->depth >= DEEPEST)
        return refuse(r, "it is nested deeper than %d", DEEPEST);
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
    struct reader r = { .ctx = ctx, .start = line, .at = line, .end = line + n, .why = why };
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
        rc = refuse(&r, "something stands after the value");
    text_clear(&r.string);
    return rc;
}
