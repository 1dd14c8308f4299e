/* SPDX-License-Identifier: Apache-2.0 */
/* remove - modules that a site does not need any more. */
#include "config.h"

#include "module/module.h"
#include "module/parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/suggest.h"
#include "base/value.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* A module of the lock that requires this one, or NULL. */
static const struct rh_module_pin *
find_user(const struct rh_module_lock *lock, const char *name)
{
    for (size_t i = 0; i < lock->n; i++)
        if (rh_value_get(rh_value_get(lock->v[i].requires, "modules"), name))
            return &lock->v[i];
    return NULL;
}

/* What came as a dependency, and nothing requires. */
static void
drop_unused(struct rh_module_site *site)
{
    size_t i = 0;

    while (i < site->lock.n) {
        const struct rh_module_pin pin = site->lock.v[i];

        if (!pin.dependency || find_user(&site->lock, pin.name)) {
            i++;
            continue;
        }
        rh_module_note(site, &pin, "removed", NULL, NULL);
        rh_module_lock_drop(&site->lock, pin.name);
        i = 0; /* what it required may be unused now */
    }
}

/* Before anything is removed: files that were changed here are nowhere else. */
static int
check_removed(const struct rh_module_site *site, const struct rh_module_lock *before, struct rh_error *err)
{
    for (size_t i = 0; i < before->n; i++) {
        enum rh_module_state state;

        if (rh_module_lock_find(&site->lock, before->v[i].name))
            continue;
        state = rh_module_site_compare(site, &before->v[i], err);
        if (state == RH_MODULE_REFUSED)
            return -1;
        rh_error_clear(err);
        if (state != RH_MODULE_DIFFERENT)
            continue;
        (void)rh_error_set(err, RH_EINPUT, "the files of module '%s' were changed here: nothing was removed",
                           before->v[i].name);
        return rh_error_suggest(err, NULL, "'rhost module remove --force' removes them");
    }
    return 0;
}

static int
remove_directories(const struct rh_module_site *site, const struct rh_module_lock *before,
                   struct rh_error *err)
{
    for (size_t i = 0; i < before->n; i++) {
        rh_autofree char *path = rh_printf("%s/%s", site->modules, before->v[i].name);

        if (rh_module_lock_find(&site->lock, before->v[i].name))
            continue;
        rh_remove_tree(path);
        if (access(path, F_OK) == 0)
            return rh_error_set(err, RH_ESYSTEM, "cannot remove all of '%s'", path);
    }
    return 0;
}

int
rh_module_finish(struct rh_module_site *site, const struct rh_module_lock *before, bool force,
                 struct rh_error *err)
{
    drop_unused(site);
    if (!force && check_removed(site, before, err) < 0)
        return -1;
    if (rh_module_lock_write(site->folder, &site->lock, err) < 0)
        return -1;
    return remove_directories(site, before, err);
}

int
rh_module_refuse_name(const struct rh_module_lock *lock, const char *name, struct rh_error *err)
{
    struct rh_suggest near;

    rh_suggest_init(&near, name);
    for (size_t i = 0; i < lock->n; i++)
        rh_suggest_try(&near, lock->v[i].name);
    (void)rh_error_set(err, RH_EINPUT, "the site does not have module '%s'", name);
    return rh_error_suggest(err, near.best, "'rhost module list' shows those that it has");
}

int
rh_module_remove(struct rh_module_site *site, const char *const *names, size_t n, bool force,
                 struct rh_error *err)
{
    struct rh_module_lock before = { 0 };

    for (size_t i = 0; i < site->lock.n; i++)
        rh_module_lock_put(site->arena, &before, &site->lock.v[i]);
    for (size_t i = 0; i < n; i++) {
        const struct rh_module_pin *pin = rh_module_lock_find(&site->lock, names[i]);

        if (!pin)
            return rh_module_refuse_name(&before, names[i], err);
        rh_module_note(site, pin, "removed", NULL, NULL);
        rh_module_lock_drop(&site->lock, names[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const struct rh_module_pin *user = find_user(&site->lock, names[i]);

        if (user)
            return rh_error_set(err, RH_EINPUT, "module '%s' is required by '%s'", names[i], user->name);
    }
    return rh_module_finish(site, &before, force, err);
}
