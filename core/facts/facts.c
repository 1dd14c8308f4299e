/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what is so of this machine, found out when somebody asks. */
#include "config.h"

#include "facts/facts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/value.h"
#include "facts/builtin.h"
#include "facts/own.h"
#include "facts/probe.h"

#include <stdlib.h>
#include <string.h>

enum { OF_MACHINE = 1 }; /* of the machine that builds an image, and not of the image: not known there */

static const struct {
    const char *name;
    struct rh_value *(*gather)(const struct rh_probe *l);
    unsigned flags;
} builtins[] = {
    { "apparmor", rh_fact_apparmor, 0 },
    { "architecture", rh_fact_architecture, 0 },
    { "boot_time", rh_fact_boot_time, OF_MACHINE },
    { "disks", rh_fact_disks, OF_MACHINE },
    { "dmi", rh_fact_dmi, OF_MACHINE },
    { "domain", rh_fact_domain, 0 },
    { "fqdn", rh_fact_fqdn, 0 },
    { "hostname", rh_fact_hostname, 0 },
    { "identity", rh_fact_identity, 0 },
    { "init", rh_fact_init, 0 },
    { "kernel", rh_fact_kernel, 0 },
    { "locale", rh_fact_locale, 0 },
    { "memory", rh_fact_memory, 0 },
    { "mounts", rh_fact_mounts, OF_MACHINE },
    { "network", rh_fact_network, OF_MACHINE },
    { "os", rh_fact_os, 0 },
    { "package_manager", rh_fact_package_manager, 0 },
    { "package_managers", rh_fact_package_managers, 0 },
    { "processors", rh_fact_processors, 0 },
    { "rhost", rh_fact_rhost, 0 },
    { "selinux", rh_fact_selinux, 0 },
    { "time", rh_fact_time, 0 },
    { "timezone", rh_fact_timezone, 0 },
    { "uptime", rh_fact_uptime, OF_MACHINE },
    { "users", rh_fact_users, 0 },
    { "virtualization", rh_fact_virtualization, 0 },
};

enum { N_BUILTINS = sizeof builtins / sizeof builtins[0] };

struct rh_facts {
    struct rh_probe probe;
    struct rh_own *own;
    struct rh_facts_plugins plugins; /* `get` NULL: there are none */
    const struct rh_value *known[N_BUILTINS];
    bool gathered[N_BUILTINS];
    const struct rh_value *readings; /* of an earlier run, that count; or NULL */
};

static int
find_builtin(const char *name)
{
    for (int i = 0; i < N_BUILTINS; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return i;
    return -1;
}

static bool
is_builtin(const char *name)
{
    return find_builtin(name) >= 0;
}

struct rh_facts *
rh_facts_new(const struct rh_facts_options *options)
{
    struct rh_facts *f = rh_xalloc(sizeof *f);

    f->probe.arena = rh_arena_new(NULL);
    f->probe.root = rh_arena_strdup(f->probe.arena, options->root ? options->root : "");
    f->probe.live = !*f->probe.root;
    f->own = rh_own_new(options, is_builtin);
    return f;
}

void
rh_facts_free(struct rh_facts *f)
{
    if (!f)
        return;
    rh_own_free(f->own);
    rh_arena_free(f->probe.arena);
    free(f);
}

static bool
is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* Whether a part of a fact of `depth` 0 or more below it is another one at each reading. */
static bool
varies(const char *name, int depth)
{
    static const char *const whole[] = { "time", "uptime", NULL }, *const parts[] = { "free", "available",
                                                                                      NULL };

    return is_one_of(depth ? parts : whole, name);
}

static bool
has_parts(const char *name)
{
    return is_one_of((const char *const[]){ "memory", "mounts", NULL }, name);
}

/* What varies of this one; NULL: nothing. */
static struct rh_value *
reading_of(struct rh_arena *a, const char *name, const struct rh_value *v, int depth)
{
    struct rh_value *all;

    if (v && varies(name, depth))
        return rh_value_copy(a, v);
    if (!rh_value_is(v, RH_HASH) || (!depth && !has_parts(name)))
        return NULL;
    all = rh_value_new(a, RH_HASH);
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        struct rh_value *part = reading_of(a, e->key, e->value, depth + 1);

        if (part)
            rh_value_put(all, e->key, part);
    }
    return all->count ? all : NULL;
}

/* The value with what was read earlier in the place of what varies. */
static const struct rh_value *
as_read(struct rh_arena *a, const char *name, const struct rh_value *v, const struct rh_value *reading,
        int depth)
{
    struct rh_value *all;

    if (!v || !reading)
        return v;
    if (varies(name, depth))
        return v->kind == reading->kind ? reading : v;
    if (!rh_value_is(v, RH_HASH) || !rh_value_is(reading, RH_HASH))
        return v;
    all = rh_value_copy_top(a, v);
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        rh_value_put_ref(all, e->key, as_read(a, e->key, e->value, rh_value_get(reading, e->key), depth + 1));
    }
    return all;
}

struct rh_value *
rh_facts_readings(const struct rh_facts *f, struct rh_arena *a)
{
    struct rh_value *all = rh_value_new(a, RH_HASH);

    for (int i = 0; i < N_BUILTINS; i++) {
        struct rh_value *v = reading_of(a, builtins[i].name, f->known[i], 0);

        if (v)
            rh_value_put(all, builtins[i].name, v);
    }
    return all;
}

void
rh_facts_give_readings(struct rh_facts *f, const struct rh_value *readings)
{
    f->readings = readings;
}

static const struct rh_value *
gather(struct rh_facts *f, int i)
{
    double start;

    if (f->gathered[i])
        return f->known[i];
    f->gathered[i] = true;
    start = rh_now();
    if (!(builtins[i].flags & OF_MACHINE) || rh_probe_image(&f->probe) <= 0)
        f->known[i] = builtins[i].gather(&f->probe);
    f->known[i] = as_read(f->probe.arena, builtins[i].name, f->known[i],
                          rh_value_get(f->readings, builtins[i].name), 0);
    rh_debug("Gathered the fact '%s' in %.2f ms", builtins[i].name, (rh_now() - start) * 1000);
    return f->known[i];
}

const struct rh_value *
rh_facts_get(struct rh_facts *f, const char *name)
{
    const struct rh_value *own = rh_value_get(rh_own_files(f->own), name);
    int i = find_builtin(name);

    if (own)
        return own;
    if (i >= 0)
        return gather(f, i);
    own = f->plugins.get ? f->plugins.get(f->plugins.data, name) : NULL;
    return own ? own : rh_value_get(rh_own_programs(f->own), name);
}

void
rh_facts_set_plugins(struct rh_facts *f, const struct rh_facts_plugins *plugins)
{
    f->plugins = *plugins;
}

/* The names of plugins' facts that nothing else has. */
struct naming {
    void (*one)(void *to, const char *name);
    void *to;
    const struct rh_value *files, *programs;
};

static void
name_of_plugin(void *data, const char *name)
{
    const struct naming *n = data;

    if (!is_builtin(name) && !rh_value_get(n->files, name) && !rh_value_get(n->programs, name))
        n->one(n->to, name);
}

void
rh_facts_names(struct rh_facts *f, void (*one)(void *to, const char *name), void *to)
{
    const struct rh_value *files = rh_own_files(f->own), *programs = rh_own_programs(f->own);

    for (int i = 0; i < N_BUILTINS; i++)
        one(to, builtins[i].name);
    for (size_t i = 0; i < rh_value_count(files); i++)
        if (!is_builtin(rh_value_entry(files, i)->key))
            one(to, rh_value_entry(files, i)->key);
    for (size_t i = 0; i < rh_value_count(programs); i++)
        if (!rh_value_get(files, rh_value_entry(programs, i)->key))
            one(to, rh_value_entry(programs, i)->key);
    if (f->plugins.names) {
        struct naming n = { .one = one, .to = to, .files = files, .programs = programs };

        f->plugins.names(f->plugins.data, name_of_plugin, &n);
    }
}
