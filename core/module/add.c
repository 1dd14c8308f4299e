/* SPDX-License-Identifier: Apache-2.0 */
/* add - modules that are fetched, with what they require, and recorded in the lock. */
#include "config.h"

#include "module/module.h"
#include "module/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

/* What is fetched for one command. The lock on disk is not changed before all of it is. */
struct additions {
    struct rh_module_site *site;
    struct rh_module_lock lock; /* as it will be */
    struct rh_module_fetched *v;
    const char **required_by; /* of each; or NULL */
    size_t n, cap, cap_required;
    struct rh_error *err;
};

static int add_source(struct additions *all, const char *source, const char *name, const char *required_by);

static const struct rh_module_fetched *
find_added(const struct additions *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->v[i].pin.name, name) == 0)
            return &all->v[i];
    return NULL;
}

/* One that another requires: fetched, unless it is here from the same source. */
static int
add_required(struct additions *all, const char *by, const struct rh_entry *e)
{
    const char *source = rh_value_str(e->value, "");
    const struct rh_module_pin *has = rh_module_lock_find(&all->lock, e->key);

    if (!has)
        return add_source(all, source, e->key, by);
    if (strcmp(has->source, source) == 0)
        return 0;
    if (has->dependency && !find_added(all, e->key))
        return add_source(all, source, e->key, by);
    return rh_error_set(all->err, RH_EINPUT,
                        "module '%s' requires '%s' from '%s', and the site has it from '%s'", by, e->key,
                        source, has->source);
}

/* Those that require it from elsewhere would not get what they ask for. */
static int
check_others(const struct additions *all, const struct rh_module_pin *pin)
{
    for (size_t i = 0; i < all->lock.n; i++) {
        const struct rh_module_pin *other = &all->lock.v[i];
        const char *source =
            rh_value_get_str(rh_value_get(other->requires, "modules"), pin->name, pin->source);

        if (strcmp(other->name, pin->name) != 0 && strcmp(source, pin->source) != 0)
            return rh_error_set(all->err, RH_EINPUT,
                                "module '%s' requires '%s' from '%s', and it would be from '%s'", other->name,
                                pin->name, source, pin->source);
    }
    return 0;
}

/* `name`: as which it is required, or NULL. */
static int
add_source(struct additions *all, const char *source, const char *name, const char *required_by)
{
    const struct rh_module_pin *has;
    struct rh_module_fetched one;
    const struct rh_value *modules;

    if (all->n >= RH_MODULE_MOST)
        return rh_error_set(all->err, RH_EINPUT, "more than %d modules are required", RH_MODULE_MOST);
    if (rh_module_fetch(all->site, source, NULL, &one, all->err) < 0)
        return required_by ? rh_error_prefix(all->err, "module '%s' requires '%s'", required_by, name) : -1;
    if (name && strcmp(one.pin.name, name) != 0)
        return rh_error_set(all->err, RH_EINPUT, "module '%s' requires '%s' from '%s', which is module '%s'",
                            required_by, name, source, one.pin.name);
    if (rh_module_check_rhost(&one.pin, all->err) < 0 || check_others(all, &one.pin) < 0)
        return -1;
    has = rh_module_lock_find(&all->lock, one.pin.name);
    one.pin.dependency = required_by && (!has || has->dependency);
    all->v = rh_xgrow(all->v, &all->cap, all->n, sizeof *all->v);
    all->required_by = rh_xgrow(all->required_by, &all->cap_required, all->n, sizeof *all->required_by);
    all->v[all->n] = one;
    all->required_by[all->n++] = required_by;
    rh_module_lock_put(all->site->arena, &all->lock, &one.pin);
    modules = rh_value_get(one.pin.requires, "modules");
    for (size_t i = 0; i < rh_value_count(modules); i++)
        if (add_required(all, one.pin.name, rh_value_entry(modules, i)) < 0)
            return -1;
    return 0;
}

/* Puts one into place. What is there, and is not what the lock has, is not replaced. */
static int
place(struct additions *all, size_t i, const struct rh_module_pin *had)
{
    struct rh_module_site *site = all->site;
    const struct rh_module_pin *pin = &all->v[i].pin;
    enum rh_module_state state = rh_module_site_compare(site, had ? had : pin, all->err);
    bool same = had && strcmp(had->digest, pin->digest) == 0;

    if (state == RH_MODULE_REFUSED)
        return -1;
    rh_error_clear(all->err);
    if (state == RH_MODULE_DIFFERENT && had)
        return rh_error_set(
            all->err, RH_EINPUT,
            "the files of module '%s' were changed here; 'rhost module install --force' takes "
            "that back",
            pin->name);
    if (state == RH_MODULE_DIFFERENT)
        return rh_error_set(all->err, RH_EINPUT,
                            "'%s/%s' exists, and modules.lock does not have it: move it away", site->modules,
                            pin->name);
    if (state == RH_MODULE_MISSING || (had && !same))
        if (rh_module_place(site, &all->v[i], all->err) < 0)
            return -1;
    rh_module_note(site, pin,
                   !had                                            ? "added"
                   : same && strcmp(had->commit, pin->commit) == 0 ? "unchanged"
                                                                   : "updated",
                   had ? had->version : NULL, all->required_by[i]);
    return 0;
}

/* Puts all into place, and then writes the lock. */
static int
finish(struct additions *all)
{
    struct rh_module_site *site = all->site;
    const struct rh_module_lock before = site->lock;

    for (size_t i = 0; i < all->n; i++)
        if (place(all, i, rh_module_lock_find(&before, all->v[i].pin.name)) < 0)
            return -1;
    site->lock = all->lock;
    return rh_module_finish(site, &before, false, all->err);
}

/* A copy, which can be changed. */
static struct additions
begin(struct rh_module_site *site, struct rh_error *err)
{
    struct additions all = { .site = site, .err = err };

    for (size_t i = 0; i < site->lock.n; i++)
        rh_module_lock_put(site->arena, &all.lock, &site->lock.v[i]);
    return all;
}

static void
clear(struct additions *all)
{
    free(all->v);
    free((void *)all->required_by);
}

int
rh_module_add(struct rh_module_site *site, const char *source, struct rh_error *err)
{
    __attribute__((cleanup(clear))) struct additions all = begin(site, err);
    struct rh_module_pin *pin;

    if (add_source(&all, source, NULL, NULL) < 0)
        return -1;
    pin = rh_module_lock_find(&all.lock, all.v[0].pin.name);
    pin->dependency = false;
    return finish(&all);
}

int
rh_module_update(struct rh_module_site *site, const char *const *names, size_t n, struct rh_error *err)
{
    __attribute__((cleanup(clear))) struct additions all = begin(site, err);

    for (size_t i = 0; i < n; i++)
        if (!rh_module_lock_find(&site->lock, names[i]))
            return rh_module_refuse_name(&site->lock, names[i], err);
    for (size_t i = 0; i < site->lock.n; i++) {
        const struct rh_module_pin *pin = &site->lock.v[i];
        bool wanted = !n && !pin->dependency;
        struct rh_module_pin *now;

        for (size_t k = 0; k < n; k++)
            wanted |= strcmp(names[k], pin->name) == 0;
        if (!wanted || find_added(&all, pin->name))
            continue;
        if (add_source(&all, pin->source, NULL, NULL) < 0)
            return -1;
        now = rh_module_lock_find(&all.lock, pin->name);
        if (!now || !find_added(&all, pin->name))
            return rh_error_set(err, RH_EINPUT, "'%s' is no longer the source of module '%s'", pin->source,
                                pin->name);
        now->dependency = pin->dependency;
    }
    return finish(&all);
}
