/* SPDX-License-Identifier: Apache-2.0 */
/* privileges - what the process of a provider may do in this run. */
#include "config.h"

#include "plugin/privileges.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/log.h"
#include "base/map.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/value.h"
#include "plugin/libraries.h"
#include "plugin/load.h"
#include "plugin/neighbours.h"
#include "plugin/policy.h"
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

enum { NEAR = 64 };

/* A need, "write /etc/motd", or a path that was granted for one, "W /etc". */
struct privilege {
    bool missing; /* what it takes was not there */
    char key[];
};

struct rh_privileges {
    const struct rh_provider_policy *policy;
    struct rh_map needs;
    struct rh_buf text;
    bool unlimited;
    bool keeps; /* what is kept may be written */
    bool exact;
    bool lacks;                   /* something of it was missing when it was added */
    const struct rh_type **types; /* whose needs that are the same for all of its resources are there */
    size_t n_types, cap_types;
    char *parent; /* that was granted last */
    bool parent_is_there, parent_is_granted;
    struct rh_neighbours neighbours;
    const struct rh_value **added; /* the desired values of resources, in the order of the catalog */
    size_t n_added, cap_added, at; /* `at`: of them, the one that is expected next */
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
    size_t n = strlen(key) + 1;
    struct privilege *one = rh_xalloc(sizeof *one + n);

    memcpy(one->key, key, n);
    if (!rh_map_put(&p->needs, one->key, one))
        return one;
    free(one);
    return NULL;
}

/* "write /etc/motd"; the text is `room`, or the caller's where it does not fit. */
struct key {
    char *text, room[512];
};

static void
clear_key(struct key *k)
{
    if (k->text != k->room)
        free(k->text);
}

static void
make_key(struct key *k, enum rh_need_kind kind, const char *value)
{
    const char *word = rh_need_word(kind);
    size_t n = strlen(word), len = strlen(value);

    k->text = n + len + 2 <= sizeof k->room ? k->room : rh_xalloc(n + len + 2);
    memcpy(k->text, word, n);
    k->text[n] = ' ';
    memcpy(k->text + n + 1, value, len + 1);
}

/* Puts a line into the text, once. */
static void
put_line(struct rh_privileges *p, const char *kind, const char *value)
{
    rh_autofree char *line = rh_printf("%s %s", kind, value);

    if (note(p, line))
        rh_buf_addn(&p->text, line, strlen(line) + 1);
}

struct adding {
    struct rh_privileges *p;
    const struct rh_type *type;
    const struct rh_value *should;
    bool lists;
    bool links_wait; /* where symbolic links lead may be found out later */
};

/* The same, unless the policy denies it: false. */
static bool
grant(const struct adding *a, enum rh_need_kind kind, const char *word, const char *value)
{
    bool denied = rh_policy_denies(a->p->policy, a->type, kind, value);

    if (denied)
        rh_debug("'%s' denies provider '%s' its need '%s[%s]'", a->p->policy->path, a->type->provider,
                 rh_need_word(kind), value);
    else
        put_line(a->p, word, value);
    return !denied;
}

/* The loader reads the plugin, and the bridge what is beside it. */
static void
put_directory(struct rh_privileges *p, const char *kind, const char *file)
{
    const char *slash = strrchr(file, '/');
    rh_autofree char *directory = slash ? rh_xstrndup(file, (size_t)(slash - file)) : NULL;

    if (directory)
        put_line(p, kind, directory);
}

/* What is linked with the plugin. */
static void
add_library(void *data, const char *library)
{
    put_line(data, "plugin", library);
}

struct rh_privileges *
rh_privileges_new(const char *plugin, const struct rh_provider_policy *policy)
{
    struct rh_privileges *p = rh_xalloc(sizeof *p);

    p->policy = policy;
    if (plugin && rh_bridge_is_file(plugin)) {
        rh_autofree char *bridge = rh_bridge_path();

        put_directory(p, "program", plugin);
        put_directory(p, "plugin", bridge);
    } else if (plugin) {
        put_directory(p, "plugin", plugin);
        rh_libraries_each(plugin, add_library, p);
    }
    return p;
}

void
rh_privileges_may_keep(struct rh_privileges *p)
{
    p->keeps = true;
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
    free(p->types);
    free(p->added);
    free(p->parent);
    rh_neighbours_clear(&p->neighbours);
    free(p);
}

/* "~anna/.ssh" becomes a path; NULL: there is no such user. The caller's. */
static char *
expand(const char *path)
{
    const char *rest = path + strcspn(path, "/");
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

/* Whether it is in the directory that was granted last, as most often. */
static bool
is_in_last_parent(const struct rh_privileges *p, const char *path)
{
    size_t n = p->parent ? strlen(p->parent) : 0;

    return n > 1 && strncmp(path, p->parent, n) == 0 && path[n] == '/' && path[n + 1]
           && !strchr(path + n + 1, '/');
}

/* Whoever makes, replaces or removes something needs its directory, since that is where the kernel looks.
 * False: that is not there. */
static bool
grant_parent(const struct adding *a, const char *path)
{
    rh_autofree char *parent = NULL;
    struct rh_privileges *p = a->p;
    struct stat st;

    if (is_in_last_parent(p, path))
        return p->parent_is_there;
    parent = parent_of(path);
    p->parent_is_granted = grant(a, RH_NEED_WRITE, "W", parent);
    free(p->parent);
    p->parent = rh_take(&parent);
    return p->parent_is_there = stat(p->parent, &st) == 0;
}

/* "/etc/rc2.d/": what is in the directory, and not the directory. */
static bool
is_inside(const char *path)
{
    size_t n = strlen(path);

    return n > 1 && path[n - 1] == '/';
}

static bool
grant_write(const struct adding *a, const char *path)
{
    struct stat st;
    bool there;

    if (is_inside(path) && !rh_type_wants_gone(a->type, a->should)) { /* else the directory goes as well */
        there = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (there)
            (void)grant(a, RH_NEED_WRITE, "W", path);
        return there;
    }
    there = !rh_neighbours_are_plain(&a->p->neighbours, path) && lstat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode) && !rh_type_wants_gone(a->type, a->should)) {
        (void)grant(a, RH_NEED_WRITE, "W", path);
        return true;
    }
    if (there && S_ISLNK(st.st_mode)) {
        rh_autofree char *target = target_of(path);

        if (target && stat(target, &st) == 0 && S_ISDIR(st.st_mode))
            (void)grant(a, RH_NEED_WRITE, "W", target);
        else if (target)
            (void)grant_parent(a, target);
    }
    return grant_parent(a, path);
}

static bool
grant_read(const struct adding *a, const char *path)
{
    struct stat st;

    (void)grant(a, RH_NEED_READ, "R", path);
    return stat(path, &st) == 0;
}

static bool
grant_path(const struct adding *a, enum rh_need_kind kind, const char *path)
{
    return kind == RH_NEED_WRITE ? grant_write(a, path) : grant_read(a, path);
}

static const char all_homes[] = "~*/";

static bool
is_in_all_homes(const char *value)
{
    return strncmp(value, all_homes, sizeof all_homes - 1) == 0;
}

/* Of each user that has a home. */
static void
grant_homes(const struct adding *a, enum rh_need_kind kind, const char *rest)
{
    const struct passwd *pw;

    setpwent();
    while ((pw = getpwent()))
        if (pw->pw_dir && pw->pw_dir[0] == '/' && pw->pw_dir[1]) {
            rh_autofree char *path = rh_printf("%s/%s", pw->pw_dir, rest);

            (void)grant_path(a, kind, path);
        }
    endpwent();
}

/* Nothing is noted of one of many files in a directory that it has. */
static bool
is_in_granted_parent(const struct adding *a, const char *path)
{
    struct rh_privileges *p = a->p;

    return is_in_last_parent(p, path) && p->parent_is_there && p->parent_is_granted
           && (a->links_wait || rh_neighbours_are_plain(&p->neighbours, path));
}

static void
add(void *data, enum rh_need_kind kind, const char *value)
{
    const struct adding *a = data;
    struct key key __attribute__((cleanup(clear_key)));
    rh_autofree char *path = NULL;
    struct privilege *one;

    key.text = key.room;

    if (kind == RH_NEED_WRITE && is_in_granted_parent(a, value))
        return;
    /* Who applies says nothing about what the process does. */
    if (kind == RH_NEED_ROOT || kind == RH_NEED_USER || (is_in_all_homes(value) && !a->lists))
        return;
    make_key(&key, kind, value);
    one = note(a->p, key.text);
    if (!one)
        return;
    if (kind != RH_NEED_WRITE && kind != RH_NEED_READ) {
        if (!rh_policy_denies(a->p->policy, a->type, kind, value))
            rh_buf_addn(&a->p->text, key.text, strlen(key.text) + 1);
        return;
    }
    if (is_in_all_homes(value)) {
        grant_homes(a, kind, value + sizeof all_homes - 1);
        return;
    }
    path = expand(value);
    one->missing = !path || !grant_path(a, kind, path);
    a->p->lacks |= one->missing;
}

static bool
knows_type(const struct rh_privileges *p, const struct rh_type *t)
{
    for (size_t i = 0; i < p->n_types; i++)
        if (p->types[i] == t)
            return true;
    return false;
}

/* What the provider keeps for its resources is its own, and no other's. */
static void
add_private(struct rh_privileges *p, const struct rh_type *t)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    put_line(p, p->keeps ? RH_PRIVILEGE_KEEPS : RH_PRIVILEGE_KEPT, rh_type_with_provider(t, a));
}

static void
add_needs(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
          const struct rh_value *should, bool links_wait, bool keeps)
{
    struct adding a = { p, t, should, !name && !should, links_wait };

    p->unlimited |= !t->declares_needs;
    if (a.lists) {
        rh_needs_each(t, name, should, add, &a);
    } else if (knows_type(p, t)) {
        rh_needs_each_varying(t, name, should, add, &a);
    } else {
        p->types = rh_xgrow(p->types, &p->cap_types, p->n_types, sizeof *p->types);
        p->types[p->n_types++] = t;
        if (keeps)
            add_private(p, t);
        rh_needs_each(t, name, should, add, &a);
    }
}

void
rh_privileges_add(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                  const struct rh_value *should)
{
    add_needs(p, t, name, should, false, true);
}

void
rh_privileges_add_question(struct rh_privileges *p, const struct rh_type *t,
                           const struct rh_value *parameters)
{
    add_needs(p, t, NULL, parameters, false, false);
}

void
rh_privileges_be_exact(struct rh_privileges *p)
{
    p->exact = true;
}

void
rh_privileges_add_lasting(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                          const struct rh_value *should)
{
    add_needs(p, t, name, should, !p->exact, true);
    p->added = rh_xgrow(p->added, &p->cap_added, p->n_added, sizeof *p->added);
    p->added[p->n_added++] = should;
}

bool
rh_privileges_have_added(struct rh_privileges *p, const struct rh_value *should)
{
    if (p->lacks || !should)
        return false;
    for (size_t i = p->at; i < p->n_added && i < p->at + NEAR; i++)
        if (p->added[i] == should) {
            p->at = i + 1;
            return true;
        }
    return false;
}

/* Whether it is there now, in which case a process that was confined before may not use it. */
static bool
has_appeared(enum rh_need_kind kind, const char *value)
{
    rh_autofree char *path = expand(value), *place = NULL;
    struct stat st;

    if (!path)
        return false;
    place = kind == RH_NEED_WRITE && !is_inside(path) ? parent_of(path) : rh_xstrdup(path);
    return stat(place, &st) == 0;
}

/* It was not noted, or is new, and is in a directory that was granted. */
static bool
is_plain_in_granted(const struct rh_privileges *p, const char *path)
{
    rh_autofree char *parent = *path == '/' && !is_inside(path) ? parent_of(path) : NULL;
    rh_autofree char *line = parent ? rh_printf("W %s", parent) : NULL;
    struct stat st;

    if (!line || !find(p, line) || stat(parent, &st) < 0)
        return false;
    return lstat(path, &st) < 0 ? errno == ENOENT : S_ISREG(st.st_mode);
}

struct looking {
    const struct rh_privileges *p;
    bool lacking, lists;
};

static void
look(void *data, enum rh_need_kind kind, const char *value)
{
    struct looking *l = data;
    struct key key __attribute__((cleanup(clear_key)));
    const struct privilege *one;

    key.text = key.room;

    if (l->lacking || kind == RH_NEED_ROOT || kind == RH_NEED_USER || (is_in_all_homes(value) && !l->lists))
        return;
    make_key(&key, kind, value);
    one = find(l->p, key.text);
    if (!one && kind == RH_NEED_WRITE && is_plain_in_granted(l->p, value))
        return;
    l->lacking = !one || (one->missing && has_appeared(kind, value));
    if (l->lacking)
        rh_debug("a worker is confined anew: it needs '%s'%s", key.text, one ? ", which is there now" : "");
}

bool
rh_privileges_suffice(const struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                      const struct rh_value *should)
{
    struct looking l = { p, false, !name && !should };

    if (p->unlimited)
        return true;
    if (!t->declares_needs)
        return false;
    if (p->lacks || l.lists || !knows_type(p, t))
        rh_needs_each(t, name, should, look, &l);
    else
        rh_needs_each_varying(t, name, should, look, &l);
    return !l.lacking;
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
