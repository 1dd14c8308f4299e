/* SPDX-License-Identifier: Apache-2.0 */
/* records - the records of a reply as texts. */

#include "records.h"

#include <ares.h>
#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; /* records; a reply has 64 KiB */

static void
add(rhost_ctx *ctx, const char ***texts, size_t *n, const char *text)
{
    if (!*texts)
        *texts = rhost_alloc(ctx, MOST * sizeof **texts);
    if (*n < MOST)
        (*texts)[(*n)++] = text;
}

static int
read_a(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_addrttl *found = rhost_alloc(ctx, MOST * sizeof *found);
    int count = MOST, status = ares_parse_a_reply(r->message, r->len, NULL, found, &count);
    char text[INET_ADDRSTRLEN];

    for (int i = 0; status == ARES_SUCCESS && i < count; i++)
        if (inet_ntop(AF_INET, &found[i].ipaddr, text, sizeof text))
            add(ctx, texts, n, rhost_copy(ctx, text, strlen(text)));
    return status;
}

static int
read_aaaa(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_addr6ttl *found = rhost_alloc(ctx, MOST * sizeof *found);
    int count = MOST, status = ares_parse_aaaa_reply(r->message, r->len, NULL, found, &count);
    char text[INET6_ADDRSTRLEN];

    for (int i = 0; status == ARES_SUCCESS && i < count; i++)
        if (inet_ntop(AF_INET6, &found[i].ip6addr, text, sizeof text))
            add(ctx, texts, n, rhost_copy(ctx, text, strlen(text)));
    return status;
}

static int
read_mx(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_mx_reply *found = NULL;
    int status = ares_parse_mx_reply(r->message, r->len, &found);

    for (struct ares_mx_reply *m = found; m; m = m->next)
        add(ctx, texts, n, rhost_fmt(ctx, "%d %s", m->priority, m->host));
    ares_free_data(found);
    return status;
}

static int
read_srv(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_srv_reply *found = NULL;
    int status = ares_parse_srv_reply(r->message, r->len, &found);

    for (struct ares_srv_reply *s = found; s; s = s->next)
        add(ctx, texts, n, rhost_fmt(ctx, "%d %d %d %s", s->priority, s->weight, s->port, s->host));
    ares_free_data(found);
    return status;
}

static int
read_caa(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_caa_reply *found = NULL;
    int status = ares_parse_caa_reply(r->message, r->len, &found);

    for (struct ares_caa_reply *c = found; c; c = c->next)
        add(ctx, texts, n,
            rhost_fmt(ctx, "%d %s \"%s\"", c->critical, (const char *)c->property, (const char *)c->value));
    ares_free_data(found);
    return status;
}

/* A record of text is in parts of up to 255 bytes, which belong together. */
static int
read_txt(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct ares_txt_ext *found = NULL;
    int status = ares_parse_txt_reply_ext(r->message, r->len, &found);
    const char *text = NULL;

    for (struct ares_txt_ext *t = found; t; t = t->next) {
        if (t->record_start && text)
            add(ctx, texts, n, text);
        text = rhost_fmt(ctx, "%s%.*s", text && !t->record_start ? text : "", (int)t->length,
                         (const char *)t->txt);
    }
    if (text)
        add(ctx, texts, n, text);
    ares_free_data(found);
    return status;
}

static int
read_names(rhost_ctx *ctx, struct hostent *host, const char ***texts, size_t *n)
{
    for (char **name = host->h_aliases; name && *name; name++)
        add(ctx, texts, n, rhost_copy(ctx, *name, strlen(*name)));
    ares_free_hostent(host);
    return ARES_SUCCESS;
}

static int
read_ns(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct hostent *host = NULL;
    int status = ares_parse_ns_reply(r->message, r->len, &host);

    return status == ARES_SUCCESS ? read_names(ctx, host, texts, n) : status;
}

static int
read_ptr(rhost_ctx *ctx, const struct ask_reply *r, const char ***texts, size_t *n)
{
    struct hostent *host = NULL;
    int status = ares_parse_ptr_reply(r->message, r->len, NULL, 0, AF_INET, &host);

    return status == ARES_SUCCESS ? read_names(ctx, host, texts, n) : status;
}

static const struct records_type types[] = {
    { "A", ns_t_a, read_a },       { "AAAA", ns_t_aaaa, read_aaaa }, { "CAA", 257, read_caa },
    { "MX", ns_t_mx, read_mx },    { "NS", ns_t_ns, read_ns },       { "PTR", ns_t_ptr, read_ptr },
    { "SRV", ns_t_srv, read_srv }, { "TXT", ns_t_txt, read_txt },
};

const struct records_type *
records_type(const char *name)
{
    const struct records_type *type = types;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].name, name) == 0)
            type = &types[i];
    return type;
}

const char *
records_reverse(rhost_ctx *ctx, const char *address)
{
    unsigned char b[16];
    char text[80];
    size_t used = 0;

    if (inet_pton(AF_INET, address, b) == 1)
        return rhost_fmt(ctx, "%d.%d.%d.%d.in-addr.arpa", b[3], b[2], b[1], b[0]);
    if (inet_pton(AF_INET6, address, b) != 1)
        return NULL;
    for (int i = 15; i >= 0; i--)
        used += (size_t)snprintf(text + used, sizeof text - used, "%x.%x.", b[i] & 15, b[i] >> 4);
    return rhost_fmt(ctx, "%sip6.arpa", text);
}

static int
in_order(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return strcmp(*x, *y);
}

int32_t
records_put(rhost_ctx *ctx, const struct records_type *type, const struct ask_reply *reply,
            rhost_value *answer)
{
    const char **texts = NULL;
    size_t n = 0;
    int status = type->read(ctx, reply, &texts, &n);
    rhost_value *list;

    if (status == ARES_ENODATA || (status == ARES_SUCCESS && !n))
        return RHOST_ABSENT;
    if (status != ARES_SUCCESS)
        return rhost_fail(ctx, "cannot read the answer of the name server: %s", ares_strerror(status));
    qsort(texts, n, sizeof *texts, in_order);
    list = answer->host->put_array(answer, "value");
    for (size_t i = 0; i < n; i++)
        rhost_put_str(list, NULL, texts[i]);
    return 0;
}
