/* SPDX-License-Identifier: Apache-2.0 */
/* privileges - what the process of a provider may do in this run. */
#include "config.h"

#include "plugin/privileges.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/map.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/value.h"
#include "schema/need.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A need, "write /etc/motd", or a path that was granted for one, "W /etc". */
struct privilege {
    bool missing; /* what it takes was not there */
    char key[];
};

struct rh_privileges {
    struct rh_map needs;
    struct rh_buf text;
    bool unlimited;
};

static struct privilege *
find(const struct rh_privileges *p, const char *key)
{
    return rh_map_get(&p->needs, key);
}

/* NULL: it is known already. */
static struct privilege *
note(struct rh_privileges *p, const char *key)
{
    struct privilege *one;

    if (find(p, key))
        return NULL;
    one = rh_xalloc(sizeof *one + strlen(key) + 1);
    memcpy(one->key, key, strlen(key) + 1);
    rh_map_put(&p->needs, one->key, one);
    return one;
}

/* Puts a line into the text, once. */
static void
grant(struct rh_privileges *p, const char *kind, const char *value)
{
    rh_autofree char *line = rh_printf("%s %s", kind, value);

    if (note(p, line))
        rh_buf_addn(&p->text, line, strlen(line) + 1);
}

struct rh_privileges *
rh_privileges_new(const char *plugin)
{
    struct rh_privileges *p = rh_xalloc(sizeof *p);
    const char *slash = plugin ? strrchr(plugin, '/') : NULL;

    if (slash) {
        rh_autofree char *directory = rh_xstrndup(plugin, (size_t)(slash - plugin));

        grant(p, "plugin", directory);
    }
    return p;
}

void
rh_privileges_free(struct rh_privileges *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < rh_map_slots(&p->needs); i++)
        free(rh_map_slot(&p->needs, i));
    rh_map_clear(&p->needs);
    rh_buf_clear(&p->text);
    free(p);
}

/* "~anna/.ssh" becomes a path; NULL: there is no such user. The caller's. */
static char *
expand(const char *path)
{
    const char *rest = strchr(path, '/');
    rh_autofree char *user = *path == '~' ? rh_xstrndup(path + 1, (size_t)(rest - path - 1)) : NULL;
    const struct passwd *pw;

    if (!user)
        return rh_xstrdup(path);
    pw = getpwnam(user);
    return pw && pw->pw_dir && *pw->pw_dir == '/' ? rh_printf("%s%s", pw->pw_dir, rest) : NULL;
}

/* The directory above; of "/a", that is "/". The caller's. */
static char *
parent_of(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    while (n > 1 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return rh_xstrndup(path, n);
}

/* Where a link leads that no lesser user could have made: what is replaced is there. NULL: nowhere. */
static char *
target_of(const char *path)
{
    rh_autoclose int fd = rh_safe_open(path, true, O_PATH, 0, NULL);
    char link[32], target[4096];
    ssize_t n;

    if (fd < 0)
        return NULL;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, target, sizeof target);
    return n > 0 && (size_t)n < sizeof target && *target == '/' ? rh_xstrndup(target, (size_t)n) : NULL;
}

/* Whoever makes, replaces or removes something needs its directory, since that is where the kernel looks.
 * False: that is not there. */
static bool
grant_parent(struct rh_privileges *p, const char *path)
{
    rh_autofree char *parent = parent_of(path);
    struct stat st;

    grant(p, "W", parent);
    return stat(parent, &st) == 0;
}

static bool
grant_write(struct rh_privileges *p, const char *path, bool absent)
{
    struct stat st;
    bool there = lstat(path, &st) == 0;

    if (there && S_ISDIR(st.st_mode) && !absent) {
        grant(p, "W", path);
        return true;
    }
    if (there && S_ISLNK(st.st_mode)) {
        rh_autofree char *target = target_of(path);

        if (target && stat(target, &st) == 0 && S_ISDIR(st.st_mode))
            grant(p, "W", target);
        else if (target)
            (void)grant_parent(p, target);
    }
    return grant_parent(p, path);
}

static bool
grant_read(struct rh_privileges *p, const char *path)
{
    struct stat st;

    grant(p, "R", path);
    return stat(path, &st) == 0;
}

struct adding {
    struct rh_privileges *p;
    bool absent;
};

static void
add(void *data, enum rh_need_kind kind, const char *value)
{
    struct adding *a = data;
    rh_autofree char *key = value ? rh_printf("%s %s", rh_need_word(kind), value) : NULL, *path = NULL;
    struct privilege *one;

    /* Who applies says nothing about what the process does. */
    if (kind == RH_NEED_ROOT || kind == RH_NEED_USER || !(one = note(a->p, key)))
        return;
    if (kind != RH_NEED_WRITE && kind != RH_NEED_READ) {
        rh_buf_addn(&a->p->text, key, strlen(key) + 1);
        return;
    }
    path = expand(value);
    one->missing =
        !path || !(kind == RH_NEED_WRITE ? grant_write(a->p, path, a->absent) : grant_read(a->p, path));
}

static bool
is_absent(const struct rh_value *should)
{
    return should && strcmp(rh_value_get_str(should, "ensure", ""), "absent") == 0;
}

void
rh_privileges_add(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                  const struct rh_value *should)
{
    struct adding a = { p, is_absent(should) };

    p->unlimited |= !t->declares_needs;
    rh_needs_each(t, name, should, add, &a);
}

/* Whether it is there now, in which case a process that was confined before may not use it. */
static bool
has_appeared(enum rh_need_kind kind, const char *value)
{
    rh_autofree char *path = expand(value), *place = NULL;
    struct stat st;

    if (!path)
        return false;
    place = kind == RH_NEED_WRITE ? parent_of(path) : rh_xstrdup(path);
    return stat(place, &st) == 0;
}

struct looking {
    const struct rh_privileges *p;
    bool lacking;
};

static void
look(void *data, enum rh_need_kind kind, const char *value)
{
    struct looking *l = data;
    rh_autofree char *key = value ? rh_printf("%s %s", rh_need_word(kind), value) : NULL;
    const struct privilege *one;

    if (l->lacking || kind == RH_NEED_ROOT || kind == RH_NEED_USER)
        return;
    one = find(l->p, key);
    l->lacking = !one || (one->missing && has_appeared(kind, value));
    if (l->lacking)
        rh_debug("a worker is confined anew: it needs '%s'%s", key, one ? ", which is there now" : "");
}

bool
rh_privileges_suffice(const struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                      const struct rh_value *should)
{
    struct looking l = { p, false };

    if (p->unlimited)
        return true;
    if (t->declares_needs)
        rh_needs_each(t, name, should, look, &l);
    return t->declares_needs && !l.lacking;
}

bool
rh_privileges_are_limited(const struct rh_privileges *p)
{
    return !p->unlimited;
}

const struct rh_buf *
rh_privileges_text(const struct rh_privileges *p)
{
    return &p->text;
}
