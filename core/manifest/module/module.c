/* SPDX-License-Identifier: Apache-2.0 */
/* module - the modules of one site, each of which is checked once. */
#include "config.h"

#include "manifest/module/module.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "manifest/module/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A module, and what is known of it. */
struct known {
    struct known *next;
    const char *name;
    const struct rh_module_pin *pin; /* NULL: it is refused, or no module */
    const char *why, *hint;          /* why it is refused; NULL: it is not */
};

struct rh_modules {
    struct rh_arena *arena;
    const char *folder;
    bool read; /* the lock was; then it has `why`, or `lock` */
    const char *why;
    struct rh_module_lock lock;
    struct known *known;
};

struct rh_modules *
rh_modules_new(const char *folder)
{
    struct rh_modules *m = rh_xalloc(sizeof *m);

    *m = (struct rh_modules){ .arena = rh_arena_new(NULL) };
    m->folder = rh_arena_strdup(m->arena, folder);
    return m;
}

void
rh_modules_free(struct rh_modules *m)
{
    if (!m)
        return;
    rh_arena_free(m->arena);
    free(m);
}

/* Reads the lock, once. -1 with the reason. */
static int
open_lock(struct rh_modules *m, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    if (!m->read && rh_module_lock_read(m->arena, m->folder, &m->lock, &why) < 0)
        m->why = rh_arena_strdup(m->arena, why.message);
    m->read = true;
    return m->why ? rh_error_set(err, RH_EINPUT, "%s", m->why) : 0;
}

static void
refuse(struct rh_modules *m, struct known *k, const char *why, const char *hint)
{
    k->pin = NULL;
    k->why = rh_arena_strdup(m->arena, why);
    k->hint = hint;
}

static bool
has_description(const struct rh_modules *m, const char *name)
{
    rh_autofree char *path = rh_printf("%s" RH_MODULE_FOLDER "/%s/" RH_MODULE_DESCRIPTION, m->folder, name);

    return access(path, F_OK) == 0 || errno != ENOENT;
}

/* Whether its files are those of the lock. */
static void
check_files(struct rh_modules *m, struct known *k)
{
    rh_autofree char *modules = rh_printf("%s" RH_MODULE_FOLDER, m->folder), *why = NULL;
    rh_autofree char *path = rh_printf("%s/%s", modules, k->name);
    rh_autoclose int dir = open(modules, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rh_autoerror struct rh_error err = { 0 };
    enum rh_module_state state = dir >= 0          ? rh_module_compare(dir, path, k->pin, &err)
                                 : errno == ENOENT ? RH_MODULE_MISSING
                                                   : RH_MODULE_REFUSED;

    if (dir < 0 && state == RH_MODULE_REFUSED)
        why = rh_printf("cannot open the directory '%s': %s", modules, strerror(errno));
    else if (state == RH_MODULE_MISSING)
        why = rh_printf("module '%s' %s is not installed in '%s'", k->name, k->pin->version, path);
    else if (err.message)
        why = rh_xstrdup(err.message);
    else if (state == RH_MODULE_DIFFERENT)
        why = rh_printf("the files in '%s' are not those of module '%s' %s in modules.lock", path, k->name,
                        k->pin->version);
    if (why)
        refuse(m, k, why,
               state == RH_MODULE_MISSING     ? "'rhost module install' fetches what modules.lock has"
               : state == RH_MODULE_DIFFERENT ? "'rhost module install --force' restores them"
                                              : NULL);
}

static struct known *
check_once(struct rh_modules *m, const char *name)
{
    struct known *k = m->known;

    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    if (k)
        return k;
    k = rh_arena_alloc(m->arena, sizeof *k);
    *k = (struct known){ .next = m->known, .name = rh_arena_strdup(m->arena, name) };
    m->known = k;
    k->pin = rh_module_lock_find(&m->lock, name);
    if (k->pin) {
        check_files(m, k);
    } else if (has_description(m, name)) {
        rh_autofree char *why = rh_printf("modules.lock does not have module '%s'", name);

        refuse(m, k, why, "'rhost module add SOURCE' adds it, with a digest of its files");
    }
    return k;
}

const struct rh_module_pin *
rh_modules_find(struct rh_modules *m, const char *name, struct rh_error *err)
{
    struct known *k;

    if (!rh_module_is_name(name) || open_lock(m, err) < 0)
        return NULL;
    k = check_once(m, name);
    if (k->why) {
        (void)rh_error_set(err, RH_EINPUT, "%s", k->why);
        rh_discard(rh_error_suggest(err, NULL, k->hint));
    }
    return k->pin;
}

int
rh_modules_guard(struct rh_modules *m, const char *path, struct rh_error *err)
{
    static const char folder[] = RH_MODULE_FOLDER "/";
    rh_autofree char *name = NULL;
    rh_autoerror struct rh_error why = { 0 };

    if (strncmp(path, folder, sizeof folder - 1) != 0)
        return 0;
    path += sizeof folder - 1;
    name = rh_xstrndup(path, strcspn(path, "/"));
    if (rh_modules_find(m, name, &why) || !why.message)
        return 0;
    rh_error_move(err, &why);
    return -1;
}
