/* SPDX-License-Identifier: Apache-2.0 */
/* confinement - builds a plan, shows it, and answers whether it covers an access. */
#include "config.h"

#include "sandbox/parts.h"

#include "base/alloc.h"
#include "base/capability-name.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"

#include <string.h>

/* Shared libraries of each layout, and what the C library reads by itself. */
static const char *const runtime_read[] = {
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/dev/random",
    "/dev/urandom",
};
static const char *const runtime_edit[] = { "/dev/full", "/dev/null", "/dev/zero" };

struct rh_confinement *
rh_confinement_new(void)
{
    struct rh_confinement *c = rh_xalloc(sizeof *c);

    c->network = c->way_back = -1;
    return c;
}

void
rh_confinement_free(struct rh_confinement *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->n_paths; i++) {
        rh_cleanup_close(&c->paths[i].fd);
        free(c->paths[i].path);
        free(c->paths[i].real);
    }
    rh_map_clear(&c->index[0]);
    rh_map_clear(&c->index[1]);
    free(c->paths);
    free(c->ports);
    free(c->limits);
    free(c);
}

/* The path without ".", ".." and "//"; the caller's. */
static char *
clean_path(const char *path)
{
    char *clean = rh_xalloc(strlen(path) + 2);
    size_t n = 0;

    for (const char *p = path; *(p += strspn(p, "/"));) {
        size_t len = strcspn(p, "/");

        if (len == 2 && p[0] == '.' && p[1] == '.') {
            while (n > 0 && clean[--n] != '/')
                ;
        } else if (len != 1 || p[0] != '.') {
            clean[n++] = '/';
            memcpy(clean + n, p, len);
            n += len;
        }
        p += len;
    }
    if (n == 0)
        clean[n++] = '/';
    clean[n] = '\0';
    return clean;
}

/* Takes `path`. */
static struct rh_confined_path *
add_path(struct rh_confinement *c, unsigned access, char *path, bool runtime)
{
    struct rh_map *index = &c->index[runtime];
    const char *known = rh_map_get(index, path);
    struct rh_confined_path *p = c->paths;

    if (known) {
        while (p->path != known)
            p++;
        p->access |= access;
        free(path);
        return p;
    }
    c->paths = rh_xgrow(c->paths, &c->cap_paths, c->n_paths, sizeof *c->paths);
    p = &c->paths[c->n_paths++];
    *p = (struct rh_confined_path){ .path = path, .access = access, .runtime = runtime, .fd = -1 };
    (void)rh_map_put(index, path, path);
    return p;
}

int
rh_confinement_path(struct rh_confinement *c, unsigned access, const char *path, struct rh_error *err)
{
    if (path[0] != '/')
        return rh_error_set(err, RH_EINPUT, "path '%s' of a confinement is not absolute", path);
    (void)add_path(c, access & RH_ACCESS_ALL, clean_path(path), false);
    return 0;
}

void
rh_confinement_runtime(struct rh_confinement *c)
{
    for (size_t i = 0; i < sizeof runtime_read / sizeof *runtime_read; i++)
        (void)add_path(c, RH_ACCESS_READ, rh_xstrdup(runtime_read[i]), true);
    for (size_t i = 0; i < sizeof runtime_edit / sizeof *runtime_edit; i++)
        (void)add_path(c, RH_ACCESS_READ | RH_ACCESS_EDIT, rh_xstrdup(runtime_edit[i]), true);
    add_path(c, RH_ACCESS_READ, rh_xstrdup("/proc/self"), true)->lasting = true;
}

void
rh_confinement_add_runtime(struct rh_confinement *c, unsigned access, const char *path)
{
    (void)add_path(c, access, rh_xstrdup(path), true);
}

int
rh_confinement_capability(struct rh_confinement *c, const char *name, struct rh_error *err)
{
    int number = rh_capability_number(name);

    if (number < 0) {
        struct rh_suggest s;

        rh_suggest_init(&s, name);
        for (int i = 0; rh_capability_name(i); i++)
            rh_suggest_try(&s, rh_capability_name(i));
        (void)rh_error_set(err, RH_EINPUT, "unknown capability '%s'", name);
        return rh_error_suggest(err, s.best, NULL);
    }
    c->capabilities |= UINT64_C(1) << number;
    return 0;
}

void
rh_confinement_permit(struct rh_confinement *c, unsigned permissions)
{
    c->permissions |= permissions & RH_PERMIT_ALL;
}

int
rh_confinement_tcp(struct rh_confinement *c, bool bind, unsigned port, struct rh_error *err)
{
    if (port < 1 || port > 65535)
        return rh_error_set(err, RH_EINPUT, "TCP port %u is not between 1 and 65535", port);
    for (size_t i = 0; i < c->n_ports; i++)
        if (c->ports[i].bind == bind && c->ports[i].port == port)
            return 0;
    c->ports = rh_xgrow(c->ports, &c->cap_ports, c->n_ports, sizeof *c->ports);
    c->ports[c->n_ports++] = (struct rh_confined_port){ .bind = bind, .port = (uint16_t)port };
    return 0;
}

void
rh_confinement_limit(struct rh_confinement *c, int resource, uint64_t most)
{
    c->limits = rh_xgrow(c->limits, &c->cap_limits, c->n_limits, sizeof *c->limits);
    c->limits[c->n_limits++] = (struct rh_confined_limit){ .resource = resource, .most = most };
}

void
rh_confinement_network(struct rh_confinement *c, int fd)
{
    c->network = fd;
}

void
rh_confinement_network_left(struct rh_confinement *c, int way_back)
{
    c->way_back = way_back;
}

bool
rh_confinement_has_network(const struct rh_confinement *c)
{
    return c->n_ports > 0
           || (c->permissions & (RH_PERMIT_NETWORK | RH_PERMIT_UDP | RH_PERMIT_NETLINK | RH_PERMIT_PACKET));
}

/* The words of an access: "write" for all that changes. Each is added by `add`. */
static void
add_access(struct rh_buf *b, unsigned access, const char *path)
{
    static const struct {
        unsigned access;
        const char *word;
    } words[] = {
        { RH_ACCESS_READ, "read" },     { RH_ACCESS_EXECUTE, "execute" }, { RH_ACCESS_WRITE, "write" },
        { RH_ACCESS_EDIT, "edit" },     { RH_ACCESS_MAKE, "make" },       { RH_ACCESS_REMOVE, "remove" },
        { RH_ACCESS_DEVICE, "device" },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((access & words[i].access) == words[i].access) {
            rh_buf_addf(b, "%s %s\n", words[i].word, path);
            access &= ~words[i].access;
        }
}

char *
rh_confinement_text(const struct rh_confinement *c)
{
    static const struct {
        unsigned permission;
        const char *text;
    } permissions[] = {
        { RH_PERMIT_MOUNT, "mount" },
        { RH_PERMIT_EXECUTE, "execute" },
        { RH_PERMIT_UNIX, "unix" },
        { RH_PERMIT_NETWORK, "network" },
        { RH_PERMIT_UDP, "network udp" },
        { RH_PERMIT_NETLINK, "network netlink" },
        { RH_PERMIT_PACKET, "network packet" },
        { RH_PERMIT_CLOCK, "clock" },
        { RH_PERMIT_HOSTNAME, "hostname" },
        { RH_PERMIT_SETID, "setid" },
        { RH_PERMIT_SIGNAL, "signal" },
        { RH_PERMIT_TMP, "tmp" },
    };
    rh_autobuf struct rh_buf b = { 0 };

    for (size_t i = 0; i < c->n_paths; i++) {
        rh_autobuf struct rh_buf path = { 0 };

        if (c->paths[i].runtime)
            continue;
        rh_buf_add_safe(&path, c->paths[i].path, strlen(c->paths[i].path), false);
        add_access(&b, c->paths[i].access, rh_buf_text(&path));
    }
    for (int n = 0; n < 64; n++)
        if (c->capabilities >> n & 1)
            rh_buf_addf(&b, "capability %s\n", rh_capability_name(n));
    for (size_t i = 0; i < c->n_ports; i++)
        rh_buf_addf(&b, "network tcp %s %u\n", c->ports[i].bind ? "bind" : "connect",
                    (unsigned)c->ports[i].port);
    for (size_t i = 0; i < sizeof permissions / sizeof *permissions; i++)
        if (c->permissions & permissions[i].permission)
            rh_buf_addf(&b, "%s\n", permissions[i].text);
    return b.s ? rh_buf_take(&b) : rh_xstrdup("");
}

/* Whether a path is `top`, or below it. */
static bool
is_within(const char *path, const char *top)
{
    size_t n = strlen(top);

    return strncmp(path, top, n) == 0 && (n == 1 || path[n] == '\0' || path[n] == '/');
}

bool
rh_confinement_reaches(const struct rh_confinement *c, const char *top)
{
    for (size_t i = 0; i < c->n_paths; i++) {
        const struct rh_confined_path *p = &c->paths[i];

        if (!p->runtime
            && (is_within(p->path, top) || is_within(top, p->path)
                || (p->real && (is_within(p->real, top) || is_within(top, p->real)))))
            return true;
    }
    return false;
}

bool
rh_confinement_covers(const struct rh_confinement *c, unsigned access, const char *path)
{
    rh_autofree char *clean = clean_path(path);
    unsigned has = c->permissions & RH_PERMIT_MOUNT ? (unsigned)RH_ACCESS_ALL : 0;

    for (size_t i = 0; i < c->n_paths; i++) {
        const struct rh_confined_path *p = &c->paths[i];

        if (is_within(clean, p->path) || (p->real && is_within(clean, p->real)))
            has |= p->access;
    }
    return (access & ~has) == 0;
}

/* The word for what was tried, of which there may be several. */
static const char *
access_word(unsigned access)
{
    if (access & RH_ACCESS_WRITE)
        return "write";
    if (access & RH_ACCESS_DEVICE)
        return "device";
    return access & RH_ACCESS_EXECUTE ? "execute" : "read";
}

int
rh_confinement_explain(const struct rh_confinement *c, const char *provider, unsigned access,
                       const char *path, struct rh_error *err)
{
    rh_autofree char *clean = clean_path(path);
    const char *word = access_word(access);

    if (rh_confinement_covers(c, access, path))
        return 0;
    return rh_error_set(err, RH_EPROVIDER,
                        "provider '%s' tried to %s '%s', which it does not declare ('%s %s')", provider,
                        access & RH_ACCESS_DEVICE ? "use the device" : word, clean, word, clean);
}

void
rh_confinement_assume(struct rh_confinement *c, const struct rh_mechanisms *m)
{
    c->assumed = true;
    c->mechanisms = *m;
}

const char *
rh_confinement_pending(const struct rh_confinement *c, size_t at)
{
    for (size_t i = 0; i < c->n_paths; i++) {
        enum rh_granted granted = c->paths[i].granted;

        if (!c->paths[i].runtime && (granted == RH_GRANTED_PENDING || granted == RH_GRANTED_NOT) && at-- == 0)
            return c->paths[i].path;
    }
    return NULL;
}
