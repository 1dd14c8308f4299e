/* SPDX-License-Identifier: Apache-2.0 */
/* names - alternative names of a subject, as text: "DNS:www.example.org", "IP:192.0.2.1". */

#include "names.h"

#include "../x509_key/crypto.h"

#include <arpa/inet.h>
#include <ctype.h>

enum { LONGEST = 1000 };

static const struct kind {
    const char *prefix;
    int type;
} kinds[] = { { "DNS:", GEN_DNS }, { "IP:", GEN_IPADD }, { "email:", GEN_EMAIL }, { "URI:", GEN_URI } };

static const struct kind *
kind_of(const char *text)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return &kinds[i];
    return NULL;
}

/* An address as inet_ntop() writes it; NULL: it is none. */
static const char *
address(rhost_ctx *ctx, const char *text)
{
    unsigned char bytes[16];
    int family = strchr(text, ':') ? AF_INET6 : AF_INET;
    char *out = rhost_alloc(ctx, INET6_ADDRSTRLEN);

    return inet_pton(family, text, bytes) == 1 ? inet_ntop(family, bytes, out, INET6_ADDRSTRLEN) : NULL;
}

static const char *
lower(rhost_ctx *ctx, const char *text)
{
    char *copy = rhost_strdup(ctx, text);

    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

static int
is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c <= ' ' || *c > '~')
            return 0;
    return *text && strlen(text) < LONGEST;
}

/* NULL with the reason given. */
static const char *
tidy(rhost_ctx *ctx, const char *text)
{
    const struct kind *kind = kind_of(text);
    const char *value = kind ? text + strlen(kind->prefix) : text, *ip;

    if (!is_plain(value)) {
        (void)rhost_fail_attr(ctx, "subject_alt_names",
                              "'%s' must be plain ASCII without blanks; other domain names begin with xn--",
                              text);
        return NULL;
    }
    ip = kind && kind->type != GEN_IPADD ? NULL : address(ctx, value);
    if (ip)
        return rhost_fmt(ctx, "IP:%s", ip);
    if (kind && kind->type == GEN_IPADD) {
        (void)rhost_fail_attr(ctx, "subject_alt_names", "'%s' is not an IP address", value);
        return NULL;
    }
    if (!kind && strchr(value, '@'))
        return rhost_fmt(ctx, "email:%s", value);
    if (!kind && strchr(value, ':')) {
        (void)rhost_fail_attr(ctx, "subject_alt_names",
                              "'%s' has no known kind: expected DNS:, IP:, email: or URI:", text);
        return NULL;
    }
    return !kind || kind->type == GEN_DNS ? rhost_fmt(ctx, "DNS:%s", lower(ctx, value)) : text;
}

int32_t
names_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *list = rhost_get(resource, "subject_alt_names");
    rhost_value *built, *all;

    if (!rhost_count(list))
        return 0;
    built = ctx->host->new_hash(ctx);
    all = ctx->host->put_array(built, "all");
    for (size_t i = 0; i < rhost_count(list); i++) {
        const char *text = rhost_str_at(list, i);
        const char *name = text ? tidy(ctx, text) : NULL;

        if (text && !name)
            return -1;
        if (name)
            rhost_put_str(all, NULL, name);
    }
    rhost_put_copy(resource, "subject_alt_names", all);
    return 0;
}

GENERAL_NAMES *
names_make(rhost_ctx *ctx, const rhost_value *list)
{
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();

    for (size_t i = 0; names && i < rhost_count(list); i++) {
        const char *text = rhost_str_at(list, i);
        const struct kind *kind = text ? kind_of(text) : NULL;
        /* Takes the value as it is: a comma in it begins nothing. */
        GENERAL_NAME *name =
            kind ? a2i_GENERAL_NAME(NULL, NULL, NULL, kind->type, text + strlen(kind->prefix), 0) : NULL;

        if (name && sk_GENERAL_NAME_push(names, name) > 0)
            continue;
        GENERAL_NAME_free(name);
        GENERAL_NAMES_free(names);
        (void)crypto_fail(ctx, "cannot use the alternative name", text ? text : "");
        return NULL;
    }
    if (!names)
        (void)rhost_fail(ctx, "out of memory");
    return names;
}

/* NULL: it is of another kind. */
static const char *
name_text(rhost_ctx *ctx, const GENERAL_NAME *name)
{
    char text[INET6_ADDRSTRLEN];
    const ASN1_STRING *s = name->type == GEN_IPADD ? name->d.iPAddress : name->d.ia5;
    const struct kind *kind = NULL;
    const unsigned char *p;
    int n;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == name->type)
            kind = &kinds[i];
    if (!kind)
        return NULL;
    p = ASN1_STRING_get0_data(s);
    n = ASN1_STRING_length(s);
    if (kind->type == GEN_IPADD)
        return (n == 4 || n == 16) && inet_ntop(n == 4 ? AF_INET : AF_INET6, p, text, sizeof text)
                   ? rhost_fmt(ctx, "IP:%s", text)
                   : NULL;
    if (n <= 0 || n >= LONGEST || memchr(p, '\0', (size_t)n))
        return NULL;
    return rhost_fmt(ctx, "%s%.*s", kind->prefix, n, (const char *)p);
}

void
names_report(rhost_ctx *ctx, const GENERAL_NAMES *names, rhost_value *current)
{
    rhost_value *built = ctx->host->new_hash(ctx), *all = ctx->host->put_array(built, "all");

    for (int i = 0; names && i < sk_GENERAL_NAME_num(names); i++) {
        const char *text = name_text(ctx, sk_GENERAL_NAME_value(names, i));

        if (!text || !is_plain(text))
            return;
        rhost_put_str(all, NULL,
                      strncmp(text, "DNS:", 4) == 0 ? rhost_fmt(ctx, "DNS:%s", lower(ctx, text + 4)) : text);
    }
    rhost_put_copy(current, "subject_alt_names", all);
}
