/* SPDX-License-Identifier: Apache-2.0 */
/* module-definitions - the definitions of a module, read when the first of its types is used. */
#include "config.h"

#include "manifest/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "base/version.h"
#include "catalog/catalog.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/load/root.h"
#include "manifest/module/lock.h"
#include "manifest/module/module.h"
#include "schema/type.h"

#include <string.h>

/* A module that is about to be read. */
struct opening {
    struct rh_load *load;
    struct rh_modules *modules;
    const struct rh_module_pin *pin;
    struct rh_error *err;
};

static int
check_plugin(const struct opening *o, const struct rh_entry *e)
{
    const struct rh_known_type *known = rh_load_type(o->load, e->key, NULL);
    const char *wanted = rh_value_str(e->value, "");

    if (!known->type || known->type->defined)
        return rh_error_set(o->err, RH_EINPUT,
                            "module '%s' %s requires plugin '%s' %s, which is not installed", o->pin->name,
                            o->pin->version, e->key, wanted);
    if (rh_version_meets(known->type->version, wanted))
        return 0;
    return rh_error_set(o->err, RH_EINPUT, "module '%s' %s requires plugin '%s' %s; %s is installed",
                        o->pin->name, o->pin->version, e->key, wanted, known->type->version);
}

static int
check_module(const struct opening *o, const char *name)
{
    if (rh_modules_find(o->modules, name, o->err))
        return 0;
    if (o->err->message)
        return rh_error_prefix(o->err, "module '%s' requires '%s'", o->pin->name, name);
    (void)rh_error_set(o->err, RH_EINPUT,
                       "module '%s' requires module '%s', which modules.lock does not have", o->pin->name,
                       name);
    return rh_error_suggest(o->err, NULL, "'rhost module add' of this module again adds what it requires");
}

/* What it requires of this machine, and of the site. */
static int
check_requirements(const struct opening *o)
{
    const struct rh_value *plugins = rh_value_get(o->pin->requires, "plugins"),
                          *modules = rh_value_get(o->pin->requires, "modules");

    if (rh_module_check_rhost(o->pin, o->err) < 0)
        return -1;
    for (size_t i = 0; i < rh_value_count(plugins); i++)
        if (check_plugin(o, rh_value_entry(plugins, i)) < 0)
            return -1;
    for (size_t i = 0; i < rh_value_count(modules); i++)
        if (check_module(o, rh_value_entry(modules, i)->key) < 0)
            return -1;
    return 0;
}

static int
read_main(const struct opening *o, unsigned from)
{
    struct rh_load *load = o->load;
    const struct rh_load_context context = load->context;
    rh_autofree char *hint = NULL, *path = rh_printf(RH_MODULE_FOLDER "/%s/" RH_MODULE_MAIN, o->pin->name);
    size_t before = rh_complaints_count(load->complaints);
    struct rh_file *file = rh_file_named(load, path, from, o->err, &hint);

    if (!file)
        return rh_error_prefix(o->err, "module '%s' has no manifest", o->pin->name);
    if (file->active || file->done)
        return 0;
    if (rh_file_enter(load, file, (struct rh_place){ 0 }) < 0)
        return rh_error_set(o->err, RH_EINPUT, "modules are nested more than %d deep", RH_FILES_DEEPEST);
    /* Whatever is around its first use is nothing to it. */
    load->context = (struct rh_load_context){ .module = o->pin->name };
    rh_include_check_attributes(load, file);
    rh_body_read(load, file);
    load->context = context;
    rh_file_leave(load, file);
    if (rh_complaints_count(load->complaints) > before)
        rh_catalog_note_refused(load->catalog, NULL, NULL); /* what it would have defined is unknown */
    return 0;
}

/* Of a module that was read, and is complete. */
static int
refuse_type(const struct opening *o, const char *type)
{
    struct rh_suggest near;

    rh_suggest_init(&near, type);
    rh_load_suggest_definition(o->load, &near);
    (void)rh_error_set(o->err, RH_EINPUT, "module '%s' %s does not define '%s'", o->pin->name,
                       o->pin->version, type);
    return rh_error_suggest(o->err, near.best, NULL);
}

int
rh_module_definitions_read(struct rh_load *load, const char *type, struct rh_error *err)
{
    const struct rh_file *reading = load->files.reading ? load->files.reading : load->files.first;
    const struct rh_reference any = { .type = "", .title = "" };
    const char *colons = strstr(type, "::");
    struct opening o = { .load = load, .err = err };
    rh_autofree char *name = colons ? rh_xstrndup(type, (size_t)(colons - type)) : NULL;

    if (!name || !reading)
        return 0;
    o.modules = rh_roots_modules(&load->roots, reading->home);
    o.pin = o.modules ? rh_modules_find(o.modules, name, err) : NULL;
    if (!o.pin)
        return err->message ? -1 : 0;
    if (load->context.module && strcmp(load->context.module, name) == 0)
        return 0; /* it is being read */
    if (!rh_map_put_const(&load->known.modules, o.pin->name, o.pin)
        && (check_requirements(&o) < 0 || read_main(&o, reading->home) < 0))
        return -1;
    if (rh_map_get(&load->known.definitions, type) || rh_catalog_is_refused(load->catalog, &any))
        return 0;
    return refuse_type(&o, type);
}
