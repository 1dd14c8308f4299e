/* SPDX-License-Identifier: Apache-2.0 */
/* accounts - the accounts of this machine, and that which rhost runs as.
 *
 * Read from the files: directories on the network, which the C library might ask, may not answer. */
#include "config.h"

#include "facts/builtin.h"

#include "base/value.h"
#include "facts/probe.h"

#include <string.h>
#include <unistd.h>

enum { MOST_USERS = 10000, MOST_FIELDS = 7 };

/* The fields of a line of /etc/passwd or /etc/group; how many there are. */
static size_t
split(char *line, char **fields)
{
    size_t n = 0;

    while (n < MOST_FIELDS) {
        char *colon = strchr(line, ':');

        fields[n++] = line;
        if (!colon)
            break;
        *colon = '\0';
        line = colon + 1;
    }
    return n;
}

struct rh_value *
rh_fact_users(const struct rh_probe *l)
{
    char *text = rh_probe_text(l, "/etc/passwd"), *line;
    struct rh_value *users = text ? rh_value_new(l->arena, RH_HASH) : NULL;

    while (users && rh_value_count(users) < MOST_USERS && (line = rh_probe_next(&text))) {
        char *f[MOST_FIELDS];
        struct rh_value *user;

        if (*line == '#' || split(line, f) < MOST_FIELDS || !rh_probe_string(l, f[0])
            || rh_probe_integer(f[2]) < 0 || rh_value_get(users, f[0]))
            continue;
        user = rh_value_new(l->arena, RH_HASH);
        rh_probe_put_number(l, user, "uid", rh_probe_integer(f[2]));
        rh_probe_put_number(l, user, "gid", rh_probe_integer(f[3]));
        f[4][strcspn(f[4], ",")] = '\0';
        rh_probe_put(l, user, "comment", f[4]);
        rh_probe_put(l, user, "home", f[5]);
        rh_probe_put(l, user, "shell", f[6]);
        rh_value_put(users, f[0], user);
    }
    return users;
}

/* The name of an id in /etc/passwd or /etc/group, which both have it third. */
static const char *
name_of(const struct rh_probe *l, const char *file, int64_t id)
{
    char *text = rh_probe_text(l, "%s", file), *line;

    while ((line = rh_probe_next(&text))) {
        char *f[MOST_FIELDS];

        if (split(line, f) >= 3 && rh_probe_integer(f[2]) == id)
            return f[0];
    }
    return NULL;
}

struct rh_value *
rh_fact_identity(const struct rh_probe *l)
{
    struct rh_value *identity = rh_value_new(l->arena, RH_HASH);

    rh_probe_put_number(l, identity, "uid", geteuid());
    rh_probe_put_number(l, identity, "gid", getegid());
    rh_probe_put(l, identity, "user", name_of(l, "/etc/passwd", geteuid()));
    rh_probe_put(l, identity, "group", name_of(l, "/etc/group", getegid()));
    rh_probe_put_boolean(l, identity, "privileged", geteuid() == 0);
    return identity;
}
