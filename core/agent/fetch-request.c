/* SPDX-License-Identifier: Apache-2.0 */
/* fetch-request - reads what the agent asks of the programs that speak to the network. */
#include "config.h"

#include "agent/fetch-request.h"

#include "agent/fetch-wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_BODY = 64 << 20 };

static bool
add(struct rh_fetch_text *t, const char *p, size_t n)
{
    char *s = t->n + n > MOST_BODY ? NULL : realloc(t->s, t->n + n + 1);

    if (!s)
        return false;
    memcpy(s + t->n, p, n);
    t->s = s;
    t->n += n;
    s[t->n] = '\0';
    return true;
}

static bool
read_bytes(int fd, unsigned char *p, size_t n)
{
    while (n) {
        ssize_t got = read(fd, p, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static struct rh_fetch_text *
part_of(struct rh_fetch_parts *r, char type)
{
    switch (type) {
    case RH_FETCH_URL:
        return &r->url;
    case RH_FETCH_METHOD:
        return &r->method;
    case RH_FETCH_ETAG:
        return &r->etag;
    case RH_FETCH_FROM:
        return &r->from;
    case RH_FETCH_LIMIT:
        return &r->limit;
    case RH_FETCH_SECONDS:
        return &r->seconds;
    case RH_FETCH_PLAIN:
        return &r->plain;
    case RH_FETCH_CA:
        return &r->ca;
    case RH_FETCH_CERTIFICATE:
        return &r->certificate;
    case RH_FETCH_KEY:
        return &r->key;
    case RH_FETCH_BODY:
        return &r->body;
    default:
        return NULL;
    }
}

bool
rh_fetch_read_request(int fd, struct rh_fetch_parts *r)
{
    unsigned char head[RH_FETCH_HEAD], *piece = malloc(RH_FETCH_PIECE);
    bool good = piece;
    char type = '\0';
    size_t n;

    while (good && type != RH_FETCH_END) {
        struct rh_fetch_text *to;

        good = read_bytes(fd, head, sizeof head) && rh_fetch_read_head(head, &type, &n)
               && read_bytes(fd, piece, n);
        if (!good || type == RH_FETCH_END)
            break;
        to = part_of(r, type);
        good = to && add(to, (const char *)piece, n);
    }
    free(piece);
    return good && r->url.s && r->limit.s && r->seconds.s;
}

bool
rh_fetch_is_local(const char *url, const char *scheme)
{
    static const char *const hosts[] = { "127.0.0.1", "[::1]", "localhost" };
    size_t at = strlen(scheme);

    if (strncasecmp(url, scheme, at) != 0 || memchr(url + at, '@', strcspn(url + at, "/?#")))
        return false;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        size_t n = strlen(hosts[i]);
        char end = strncasecmp(url + at, hosts[i], n) == 0 ? url[at + n] : 'x';

        if (end == '/' || end == ':' || !end)
            return true;
    }
    return false;
}
