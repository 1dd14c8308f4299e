/* SPDX-License-Identifier: Apache-2.0 */
/* json-write - a value as JSON. */

#include "json.h"

#include "json-parts.h"

#include <math.h>
#include <string.h>

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
        size_t some = n - i < 3 ? n - i : 3;
        unsigned char three[3] = { 0 };
        char four[4];
        uint32_t bits;

        memcpy(three, s + i, some);
        bits = (uint32_t)three[0] << 16 | (uint32_t)three[1] << 8 | three[2];
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= some ? json_digits64[bits >> (18 - 6 * k) & 63] : '=';
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
