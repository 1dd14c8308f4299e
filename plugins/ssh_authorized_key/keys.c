/* SPDX-License-Identifier: Apache-2.0 */
/* keys - a line of authorized_keys: options, type, key and comment. */

#include "keys.h"

#include <rhost/sha256.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

long
key_decode(const char *text, size_t len, unsigned char *to, size_t room)
{
    uint32_t bits = 0;
    size_t n = 0, have = 0;

    while (len && text[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++) {
        const char *digit = text[i] ? strchr(alphabet, text[i]) : NULL;

        if (!digit)
            return -1;
        bits = bits << 6 | (uint32_t)(digit - alphabet);
        have += 6;
        if (have >= 8) {
            have -= 8;
            if (n == room)
                return -1;
            to[n++] = (unsigned char)(bits >> have);
        }
    }
    return (long)n;
}

static size_t
number(const unsigned char *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

/* Whether the blob begins with the name of this type. */
static int
has_type(struct key_part blob, struct key_part type)
{
    unsigned char start[96];
    long n = key_decode(blob.at, blob.len < 128 ? blob.len / 4 * 4 : 128, start, sizeof start);

    return type.len && n > 4 && number(start) == type.len && (size_t)n >= 4 + type.len
           && memcmp(start + 4, type.at, type.len) == 0;
}

static struct key_part
word(const char **at, const char *end)
{
    struct key_part part = { *at, 0 };

    while (*at < end && !is_blank(**at))
        (*at)++;
    part.len = (size_t)(*at - part.at);
    while (*at < end && is_blank(**at))
        (*at)++;
    return part;
}

static int
parse_key(const char *at, const char *end, struct key *k)
{
    k->type = word(&at, end);
    k->blob = word(&at, end);
    k->comment = (struct key_part){ at, (size_t)(end - at) };
    return has_type(k->blob, k->type);
}

long
key_option_length(const char *at, const char *end)
{
    const char *p = at;
    int quoted = 0;

    for (; p < end && (quoted || (*p != ',' && !is_blank(*p))); p++) {
        if (*p == '\\' && p + 1 < end && p[1] == '"')
            p++;
        else if (*p == '"')
            quoted = !quoted;
    }
    return quoted ? -1 : (long)(p - at);
}

int
key_parse(const char *line, size_t len, struct key *k)
{
    const char *at = line, *end = line + len, *p;

    memset(k, 0, sizeof *k);
    while (at < end && is_blank(*at))
        at++;
    while (end > at && (is_blank(end[-1]) || end[-1] == '\r'))
        end--;
    if (at == end || *at == '#')
        return 0;
    if (parse_key(at, end, k))
        return 1;
    for (p = at; p < end; p++) {
        long n = key_option_length(p, end);

        if (n < 0)
            return 0;
        p += n;
        if (p == end || *p != ',')
            break;
    }
    k->options = (struct key_part){ at, (size_t)(p - at) };
    while (p < end && is_blank(*p))
        p++;
    return parse_key(p, end, k);
}

int
key_part_is(struct key_part part, const char *text)
{
    return strlen(text) == part.len && memcmp(part.at, text, part.len) == 0;
}

int
key_check_blob(const char *blob, size_t len, const char *type, char *own, char *why, size_t size)
{
    unsigned char bytes[16 << 10];
    long n = key_decode(blob, len, bytes, sizeof bytes);
    size_t at = 0, parts = 0, name;

    if (n < 0) {
        snprintf(why, size, "it is not base64, or too long");
        return -1;
    }
    name = n > 4 ? number(bytes) : 0;
    if (!name || name > 63 || 4 + name > (size_t)n) {
        snprintf(why, size, "it is not a public key");
        return -1;
    }
    memcpy(own, bytes + 4, name);
    own[name] = '\0';
    if (type && strcmp(own, type) != 0) {
        snprintf(why, size, "it is of the type %s, not %s", own, type);
        return -1;
    }
    for (; at + 4 <= (size_t)n && number(bytes + at) <= (size_t)n - at - 4; parts++)
        at += 4 + number(bytes + at);
    /* The flags of a key that is on a token are one byte behind its parts in no type: all end so. */
    if (at != (size_t)n || parts < 2) {
        snprintf(why, size, "it is cut short, or has something after it");
        return -1;
    }
    return 0;
}

void
key_fingerprint(struct key_part blob, char *fingerprint)
{
    unsigned char bytes[16 << 10], digest[33] = { 0 };
    long n = key_decode(blob.at, blob.len, bytes, sizeof bytes);
    struct rhost_sha256 sum;
    char hex[65];

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, bytes, n > 0 ? (size_t)n : 0);
    rhost_sha256_hex(&sum, hex);
    for (int i = 0; i < 64; i++)
        digest[i / 2] =
            (unsigned char)(digest[i / 2] << 4 | (hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10));
    memcpy(fingerprint, "SHA256:", 7);
    fingerprint += 7;
    for (int bit = 0; bit < 256; bit += 6) {
        unsigned two = (unsigned)digest[bit / 8] << 8 | digest[bit / 8 + 1];

        *fingerprint++ = alphabet[two >> (10 - bit % 8) & 63];
    }
    *fingerprint = '\0';
}

int
key_is_whole(const struct key *k)
{
    char own[64], why[160];

    return key_check_blob(k->blob.at, k->blob.len, NULL, own, why, sizeof why) == 0;
}
