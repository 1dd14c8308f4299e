/* SPDX-License-Identifier: Apache-2.0 */
/* uri - the parts of a URI (RFC 3986). */
#include "config.h"

#include "datatype/uri.h"

#include "base/arena.h"

#include <string.h>

static const char *const names[RH_URI_PARTS] = {
    "scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque",
};

int
rh_uri_component(const char *name)
{
    for (int i = 0; i < RH_URI_PARTS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *
rh_uri_component_name(enum rh_uri_component part)
{
    return names[part];
}

static bool
is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool
allowed(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '%') {
            if (n - i < 3 || !is_hex(s[i + 1]) || !is_hex(s[i + 2]))
                return false;
        } else if (!is_alpha(s[i]) && !is_digit(s[i]) && (!s[i] || !strchr("-._~:/?#[]@!$&'()*+,;=", s[i]))) {
            return false;
        }
    }
    return true;
}

static size_t
find(const char *s, size_t n, const char *stop)
{
    size_t i = 0;

    while (i < n && (!s[i] || !strchr(stop, s[i])))
        i++;
    return i;
}

/* [userinfo@]host[:port] */
static bool
parse_authority(const char *s, size_t n, struct rh_uri *uri)
{
    size_t at = find(s, n, "@"), host;

    if (at < n) {
        uri->part[RH_URI_USERINFO] = (struct rh_word){ s, at };
        s += at + 1;
        n -= at + 1;
    }
    host = n && *s == '[' ? find(s, n, "]") + 1 : find(s, n, ":");
    if (host > n)
        return false;
    uri->part[RH_URI_HOST] = (struct rh_word){ s, host };
    if (host == n)
        return true;
    if (s[host] != ':')
        return false;
    for (size_t i = host + 1; i < n; i++)
        if (!is_digit(s[i]))
            return false;
    if (host + 1 < n)
        uri->part[RH_URI_PORT] = (struct rh_word){ s + host + 1, n - host - 1 };
    return true;
}

bool
rh_uri_parse(const char *s, size_t n, struct rh_uri *uri)
{
    size_t end;

    *uri = (struct rh_uri){ 0 };
    if (!n || !allowed(s, n))
        return false;
    end = find(s, n, ":/?#");
    if (end && end < n && s[end] == ':' && is_alpha(*s)) {
        uri->part[RH_URI_SCHEME] = (struct rh_word){ s, end };
        s += end + 1;
        n -= end + 1;
    } else if (end < n && s[end] == ':') {
        return false;
    }
    end = find(s, n, "#");
    if (end < n) {
        uri->part[RH_URI_FRAGMENT] = (struct rh_word){ s + end + 1, n - end - 1 };
        n = end;
    }
    if (uri->part[RH_URI_SCHEME].s && n && *s != '/') {
        uri->part[RH_URI_OPAQUE] = (struct rh_word){ s, n };
        return true;
    }
    end = find(s, n, "?");
    if (end < n) {
        uri->part[RH_URI_QUERY] = (struct rh_word){ s + end + 1, n - end - 1 };
        n = end;
    }
    if (n >= 2 && s[0] == '/' && s[1] == '/') {
        end = 2 + find(s + 2, n - 2, "/");
        if (!parse_authority(s + 2, end - 2, uri))
            return false;
        s += end;
        n -= end;
    }
    uri->part[RH_URI_PATH] = (struct rh_word){ s, n };
    return true;
}

static struct rh_word
lower(struct rh_arena *a, struct rh_word w)
{
    char *s = rh_arena_strndup(a, w.s, w.n);

    for (size_t i = 0; i < w.n; i++)
        if (s[i] >= 'A' && s[i] <= 'Z')
            s[i] = (char)(s[i] | 0x20);
    return (struct rh_word){ s, w.n };
}

static bool
is(struct rh_word w, const char *s)
{
    return w.n == strlen(s) && memcmp(w.s, s, w.n) == 0;
}

static bool
usual_port(struct rh_word scheme, struct rh_word port)
{
    static const struct {
        const char *scheme, *port;
    } usual[] = { { "http", "80" }, { "https", "443" } };

    for (size_t i = 0; scheme.s && i < sizeof usual / sizeof usual[0]; i++)
        if (is(scheme, usual[i].scheme) && is(port, usual[i].port))
            return true;
    return false;
}

size_t
rh_uri_to_parts(struct rh_arena *a, const struct rh_uri *uri, struct rh_uri_part *parts)
{
    struct rh_word scheme = { 0 };
    size_t n = 0;

    for (unsigned i = 0; i < RH_URI_PARTS; i++) {
        struct rh_word w = uri->part[i];

        if (!w.s || ((i == RH_URI_HOST || i == RH_URI_PATH) && !w.n))
            continue;
        if (i == RH_URI_SCHEME)
            scheme = w = lower(a, w);
        else if (i == RH_URI_HOST)
            w = lower(a, w);
        else
            w.s = rh_arena_strndup(a, w.s, w.n);
        if (i == RH_URI_PORT && usual_port(scheme, w))
            continue;
        parts[n++] = (struct rh_uri_part){ .part = (uint8_t)i, .word = w };
    }
    return n;
}
