/* SPDX-License-Identifier: Apache-2.0 */
/* json-tag - what JSON can't say: hashes with a tag. */

#include "json-parts.h"

#include <stdlib.h>
#include <string.h>

const char json_digits64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
put_base64(struct json_reader *r, rhost_value *in, const char *key, const char *s, size_t n)
{
    unsigned char *bytes = in->host->alloc(r->ctx, n / 4 * 3 + 3);
    size_t out = 0, pad = 0;

    if (n % 4)
        return json_refuse(r, "the base64 text of a Binary has a length that is no multiple of four");
    for (size_t i = 0; i < n; i += 4) {
        uint32_t three = 0;

        for (size_t k = 0; k < 4; k++) {
            const char *d = s[i + k] ? strchr(json_digits64, s[i + k]) : NULL;
            bool last = s[i + k] == '=' && i + 4 == n && k >= 2;

            if (!last && (!d || pad))
                return json_refuse(r, "a Binary is not base64");
            pad += last;
            three = three << 6 | (last ? 0 : (uint32_t)(d - json_digits64));
        }
        bytes[out++] = (unsigned char)(three >> 16);
        bytes[out++] = (unsigned char)(three >> 8);
        bytes[out++] = (unsigned char)three;
    }
    in->host->put_binary(in, key, bytes, out - pad);
    return 0;
}

static int
put_float(struct json_reader *r, rhost_value *in, const char *key, const char *s)
{
    char *end;
    double d = strtod(s, &end);

    if (end == s || *end)
        return json_refuse(r, "a Float is not a number");
    in->host->put_real(in, key, d);
    return 0;
}

static int
put_pairs(struct json_reader *r, rhost_value *in, const char *key, const rhost_value *list)
{
    rhost_value *hash = in->host->put_hash(in, key);

    if (list->host->kind(list) != RHOST_ARRAY || list->host->count(list) % 2)
        return json_refuse(r, "a tagged hash has a list of key, value, key, value...");
    if (list->host->count(list) / 2 > JSON_MOST_KEYS)
        return json_refuse(r, "a tagged hash has more than %d keys", JSON_MOST_KEYS);
    for (size_t i = 0; i < list->host->count(list); i += 2) {
        const rhost_value *name = list->host->at(list, i, NULL);
        size_t n = 0;
        const char *s = name->host->kind(name) == RHOST_STRING ? name->host->string(name, &n) : NULL;

        if (!s || memchr(s, '\0', n))
            return json_refuse(r, "a key of a tagged hash is not text");
        if (hash->host->get(hash, s))
            return json_refuse(r, "duplicate key in a tagged hash");
        in->host->put_copy(hash, s, list->host->at(list, i + 1, NULL));
    }
    return 0;
}

/* What a hash with a tag stands for. */
int
json_put_tagged(struct json_reader *r, rhost_value *in, const char *key, const rhost_value *hash)
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
        return json_refuse(r, "a hash with '__ptype' has the name of a type there, '__pvalue', and nothing "
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
        return json_refuse(r, "the '__pvalue' of a %s is text", name);
    text_addf(&more, "'%.*s' is not a tag for '__ptype'", 60, name);
    near_add(&near, &more);
    (void)json_refuse(r, "%s", more.s);
    text_clear(&more);
    return -1;
}
