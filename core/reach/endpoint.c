/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint - where a target is, as people write it. */
#include "config.h"

#include "reach/endpoint.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *scheme;
    enum rh_connector connector;
    const char *what; /* stands after the colon; NULL: nothing does */
} schemes[] = {
    { "ssh", RH_CONNECT_SSH, "a host" },
    { "chroot", RH_CONNECT_CHROOT, "a directory" },
    { "machine", RH_CONNECT_MACHINE, "the name of a machine, or the process id of its init" },
    { "podman", RH_CONNECT_PODMAN, "a container" },
    { "docker", RH_CONNECT_DOCKER, "a container" },
    { "local", RH_CONNECT_LOCAL, NULL },
};

enum { N_SCHEMES = sizeof schemes / sizeof schemes[0], LONGEST = 1024 };

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char host_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

bool
rh_endpoint_is_uri(const char *text)
{
    size_t n = strspn(text, letters);

    return n > 0 && text[n] == ':';
}

/* What becomes an argument of a program must not look like an option of it. */
static bool
is_plain(const char *text, size_t n, const char *more)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr(host_characters, text[i]) && !(more && strchr(more, text[i])))
            return false;
    return n > 0 && text[0] != '-';
}

bool
rh_endpoint_is_path(const char *text)
{
    return is_plain(text, strlen(text), "/+");
}

static int
read_port(struct rh_endpoint *e, const char *text, struct rh_error *err)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    if (strspn(text, "0123456789") != strlen(text) || end == text || port < 1 || port > 65535)
        return rh_error_set(err, RH_EINPUT,
                            "invalid port '%s' in '%s': expected a number between 1 and 65535", text,
                            e->text);
    e->port = (unsigned)port;
    return 0;
}

/* How long the address of IPv6 is, with the zone that may follow it: fe80::1%eth0; 0: it is none. */
static size_t
address_length(const char *text)
{
    size_t n = strspn(text, "0123456789abcdefABCDEF:."), zone;

    if (!n || text[n] != '%')
        return n;
    zone = strspn(text + n + 1, host_characters);
    return zone ? n + 1 + zone : 0;
}

/* [USER@]HOST[:PORT], with an address of IPv6 in brackets */
static int
read_ssh(struct rh_endpoint *e, struct rh_arena *a, const char *text, struct rh_error *err)
{
    const char *at = strrchr(text, '@'), *host = at ? at + 1 : text, *end;

    if (at) {
        if (memchr(text, ':', (size_t)(at - text)))
            return rh_error_set(err, RH_EINPUT, "a URI must not have a password: use keys or an agent");
        if (!is_plain(text, (size_t)(at - text), "@\\$+"))
            return rh_error_set(err, RH_EINPUT, "invalid user in '%s'", e->text);
        e->user = rh_arena_strndup(a, text, (size_t)(at - text));
    }
    if (*host == '[') {
        end = host + 1 + address_length(host + 1);
        if (*end != ']' || end == host + 1)
            return rh_error_set(err, RH_EINPUT, "invalid address in '%s'", e->text);
        e->place = rh_arena_strndup(a, host + 1, (size_t)(end - host - 1));
        end++;
    } else {
        end = host + strcspn(host, ":/");
        if (!is_plain(host, (size_t)(end - host), NULL))
            return rh_error_set(err, RH_EINPUT, "invalid host in '%s'", e->text);
        e->place = rh_arena_strndup(a, host, (size_t)(end - host));
    }
    if (*end == ':') {
        const char *port = rh_arena_strndup(a, end + 1, strcspn(end + 1, "/"));

        if (read_port(e, port, err) < 0)
            return -1;
        end += 1 + strlen(port);
    }
    if (*end && strcmp(end, "/") != 0)
        return rh_error_set(err, RH_EINPUT, "unexpected '%s' after the host in '%s'", end, e->text);
    return 0;
}

static int
refuse_scheme(const char *text, struct rh_error *err)
{
    rh_autofree char *scheme = rh_xstrndup(text, strcspn(text, ":"));
    struct rh_suggest s;

    rh_suggest_init(&s, scheme);
    for (size_t i = 0; i < N_SCHEMES; i++)
        rh_suggest_try(&s, schemes[i].scheme);
    (void)rh_error_set(err, RH_EINPUT, "unknown connector '%s' in '%s'", scheme, text);
    return rh_error_suggest(err, s.best,
                            "connectors are ssh, chroot, machine, podman, docker and local; "
                            "a host with a port is ssh://HOST:PORT");
}

int
rh_endpoint_read(struct rh_endpoint *e, struct rh_arena *a, const char *text, struct rh_error *err)
{
    size_t n = strcspn(text, ":"), i = 0;
    const char *rest = text[n] ? text + n + 1 : "";

    *e = (struct rh_endpoint){ .connector = RH_CONNECT_SSH };
    if (strlen(text) > LONGEST)
        return rh_error_set(err, RH_EINPUT, "the URI of a target is longer than %d bytes", LONGEST);
    e->text = rh_arena_strdup(a, text);
    if (!rh_endpoint_is_uri(text))
        return read_ssh(e, a, text, err);
    while (i < N_SCHEMES && (strlen(schemes[i].scheme) != n || strncmp(schemes[i].scheme, text, n) != 0))
        i++;
    if (i == N_SCHEMES)
        return refuse_scheme(text, err);
    e->connector = schemes[i].connector;
    if (strncmp(rest, "//", 2) == 0 && e->connector != RH_CONNECT_CHROOT)
        rest += 2;
    if (schemes[i].what && !*rest)
        return rh_error_set(err, RH_EINPUT, "'%s' lacks %s after the colon", text, schemes[i].what);
    if (!schemes[i].what && *rest)
        return rh_error_set(err, RH_EINPUT, "unexpected '%s' after '%s:'", rest, schemes[i].scheme);
    if (e->connector == RH_CONNECT_SSH)
        return read_ssh(e, a, rest, err);
    if (e->connector == RH_CONNECT_LOCAL)
        return 0;
    if (e->connector == RH_CONNECT_CHROOT) {
        rest += strspn(rest, "/") > 1 ? strspn(rest, "/") - 1 : 0;
        if (*rest != '/' || !rest[1])
            return rh_error_set(err, RH_EINPUT,
                                "'%s' must have the absolute path of a directory other than /", text);
    } else if (!is_plain(rest, strlen(rest), ":@")) {
        return rh_error_set(err, RH_EINPUT, "invalid name in '%s'", text);
    }
    e->place = rh_arena_strdup(a, rest);
    return 0;
}
