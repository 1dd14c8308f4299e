/* SPDX-License-Identifier: Apache-2.0 */
/* confined - the process of a provider confines itself, before it loads the plugin. */
#include "config.h"

#include "plugin/confined-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/mounted.h"
#include "base/text.h"
#include "plugin/privileges.h"
#include "provider/private-store.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
rh_privilege_next(const char **at, const char *end, char kind[RH_PRIVILEGE_KIND], const char **value)
{
    const char *line = *at, *stop = line < end ? memchr(line, '\0', (size_t)(end - line)) : NULL;
    const char *space = stop ? strchr(line, ' ') : NULL;

    if (!space || space - line >= RH_PRIVILEGE_KIND)
        return false;
    memcpy(kind, line, (size_t)(space - line));
    kind[space - line] = '\0';
    *value = space + 1;
    *at = stop + 1;
    if (strcmp(kind, "filter") == 0) {
        *value = *at;
        *at = end;
    }
    return true;
}

static int
permit_network(struct rh_confinement *c, const char *value, struct rh_error *err)
{
    if (strcmp(value, "udp") == 0)
        rh_confinement_permit(c, RH_PERMIT_UDP);
    else if (strcmp(value, "tcp") == 0)
        rh_confinement_permit(c, RH_PERMIT_NETWORK);
    else if (strncmp(value, "tcp:", 4) == 0)
        return rh_confinement_tcp(c, false, (unsigned)strtoul(value + 4, NULL, 10), err);
    return 0;
}

static int
permit_capability(struct rh_confinement *c, const char *value, struct rh_error *err)
{
    static const struct {
        const char *capability;
        unsigned permissions;
    } calls[] = {
        { "fsetid", RH_PERMIT_SETID },   { "kill", RH_PERMIT_SIGNAL },    { "net_admin", RH_PERMIT_NETLINK },
        { "net_raw", RH_PERMIT_PACKET }, { "sys_time", RH_PERMIT_CLOCK },
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(value, calls[i].capability) == 0)
            rh_confinement_permit(c, calls[i].permissions);
    return rh_confinement_capability(c, value, err);
}

/* The loader reads the plugin, and the bridge what is beside it. */
static int
permit(struct rh_confinement *c, const char *kind, const char *value, struct rh_error *err)
{
    if (strcmp(kind, "W") == 0)
        return rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_WRITE, value, err);
    if (strcmp(kind, "R") == 0 || strcmp(kind, "plugin") == 0 || strcmp(kind, "program") == 0)
        return rh_confinement_path(c, RH_ACCESS_READ, value, err);
    if (strcmp(kind, "capability") == 0)
        return permit_capability(c, value, err);
    if (strcmp(kind, "network") == 0)
        return permit_network(c, value, err);
    if (strcmp(kind, "socket") == 0 || strcmp(kind, "dbus") == 0)
        rh_confinement_permit(c, RH_PERMIT_UNIX);
    else if (strcmp(kind, "run") == 0 && (strcmp(value, "mount") == 0 || strcmp(value, "umount") == 0))
        rh_confinement_permit(c, RH_PERMIT_MOUNT); /* whoever has them run can do as much */
    else if (strcmp(kind, "run") != 0 && strcmp(kind, RH_PRIVILEGE_KEEPS) != 0
             && strcmp(kind, RH_PRIVILEGE_KEPT) != 0)
        return rh_error_set(err, RH_EINPUT, "cannot confine the process: unknown privilege '%s'", kind);
    return 0;
}

int
rh_privileges_permit(struct rh_confinement *c, const char *text, size_t n, struct rh_error *err)
{
    const char *at = text, *end = text + n, *value;
    char kind[RH_PRIVILEGE_KIND];

    rh_confinement_runtime(c);
    /* An empty /tmp would say that a file is not there, where a need is missing: it is to be refused. */
    rh_confinement_permit(c, RH_PERMIT_TMP);
    while (rh_privilege_next(&at, end, kind, &value))
        if ((strcmp(kind, "filter") == 0 ? rh_confinement_filter(c, value, (size_t)(end - value), err)
                                         : permit(c, kind, value, err))
            < 0)
            return -1;
    if (at != end)
        return rh_error_set(err, RH_EINPUT, "cannot confine the process: the list of privileges is damaged");
    return 0;
}

/* Whether the list has a line of this kind. */
static bool
has_kind(const char *text, size_t n, const char *wanted)
{
    const char *at = text, *end = text + n, *value;
    char kind[RH_PRIVILEGE_KIND];

    while (rh_privilege_next(&at, end, kind, &value))
        if (strcmp(kind, wanted) == 0)
            return true;
    return false;
}

/* What one provider keeps for its resources (rhost/private.h). Its directory is made here, since a confined
 * process has no right to: if that fails, rhost_private_put() says so later. A dry run makes none, and writes
 * nothing. */
static int
permit_private(struct rh_confinement *c, const char *owner, bool writes, struct rh_error *err)
{
    rh_autoclose int fd = rh_private_open(owner, writes);
    char link[32], path[PATH_MAX];
    ssize_t n;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = fd < 0 ? -1 : readlink(link, path, sizeof path - 1);
    if (n <= 0 || *path != '/')
        return 0;
    path[n] = '\0';
    return rh_confinement_path(c, writes ? RH_ACCESS_READ | RH_ACCESS_WRITE : RH_ACCESS_READ, path, err);
}

static int
permit_all_private(struct rh_confinement *c, const char *text, size_t n, struct rh_error *err)
{
    const char *at = text, *end = text + n, *value;
    char kind[RH_PRIVILEGE_KIND];

    while (rh_privilege_next(&at, end, kind, &value)) {
        bool writes = strcmp(kind, RH_PRIVILEGE_KEEPS) == 0;

        if ((writes || strcmp(kind, RH_PRIVILEGE_KEPT) == 0) && permit_private(c, value, writes, err) < 0)
            return -1;
    }
    return 0;
}

int
rh_confined_apply(const char *text, size_t n, int way_back, struct rh_error *err)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();

    if (rh_privileges_permit(c, text, n, err) < 0 || permit_all_private(c, text, n, err) < 0)
        return -1;
    rh_confinement_network_left(c, way_back);
    rh_mounts_keep();
    return rh_confine(c, err);
}

int
rh_confined_add_filter(struct rh_buf *text, struct rh_error *err)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    const char *at = text->s, *end = at + text->n, *value;
    rh_autobuf struct rh_buf code = { 0 };
    char kind[RH_PRIVILEGE_KIND];

    rh_confinement_permit(c, RH_PERMIT_TMP);
    while (rh_privilege_next(&at, end, kind, &value)) /* no path matters to it */
        if (kind[1] && strcmp(kind, "plugin") != 0 && strcmp(kind, "program") != 0
            && permit(c, kind, value, err) < 0)
            return -1;
    if (rh_confinement_export(c, &code, err) < 0)
        return -1;
    rh_buf_addn(text, "filter ", sizeof "filter ");
    rh_buf_addn(text, code.s ? code.s : "", code.n);
    return 0;
}

bool
rh_confined_is_program(const char *text, size_t n)
{
    return has_kind(text, n, "program");
}

const char **
rh_confined_programs(const char *text, size_t n)
{
    const char **programs = rh_xalloc(sizeof *programs);
    const char *at = text, *end = text + n, *value;
    size_t count = 0, cap = 1;
    char kind[RH_PRIVILEGE_KIND];

    while (rh_privilege_next(&at, end, kind, &value)) {
        if (strcmp(kind, "run") != 0)
            continue;
        if (strcmp(value, "*") == 0) {
            free(programs);
            return NULL;
        }
        programs = rh_xgrow(programs, &cap, count + 1, sizeof *programs);
        programs[count++] = value;
    }
    programs[count] = NULL;
    return programs;
}
