/* SPDX-License-Identifier: Apache-2.0 */
/* manifest - files to a catalog. */
#include "config.h"

#include "manifest/manifest.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/complaint.h"
#include "catalog/catalog.h"
#include "manifest/data/data.h"
#include "manifest/entry/define.h"
#include "manifest/entry/entry.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/schedule.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/parts.h"
#include "node/node.h"
#include "script/script.h"

#include <stdlib.h>
#include <string.h>

/* With the types, since values that are known later are evaluated when the caller has gone on. */
struct kept_load {
    struct rh_load load;
    struct rh_manifest_types types;
};

static struct rh_load *
open_load(struct rh_catalog *c, const struct rh_manifest_types *types, struct rh_complaints *complaints)
{
    struct kept_load *kept = rh_xalloc(sizeof *kept);
    struct rh_load *load = &kept->load;

    kept->types = *types;
    types = &kept->types;
    *load = (struct rh_load){
        .catalog = c,
        .include = rh_include_read,
        .module = rh_module_definitions_read,
        .types = types,
        .complaints = complaints,
        .roots = { .sources = c->sources, .outside = types->outside, .guarded = types->guarded },
        .spent.memory_before = rh_arena_size(c->arena),
        .attributes.node = types->node ? types->node : rh_node_new(),
    };
    return load;
}

static void
free_load(void *data)
{
    struct rh_load *load = data;

    rh_data_close(load);
    rh_load_clear(load); /* with the script, which knows the node */
    if (!load->types->node)
        rh_node_free(load->attributes.node);
    free(load);
}

/* In order: roles, then the files of the command line. */
static void
read_all(struct rh_load *load, struct rh_file *const *arguments, size_t n)
{
    size_t n_roles;
    struct rh_file **roles = rh_node_attributes_read(load, arguments, n, &n_roles);

    rh_define_tree(load);
    for (size_t i = 0; i < n_roles + n; i++) {
        struct rh_file *file = i < n_roles ? roles[i] : arguments[i - n_roles];

        if (!file || file->done || rh_file_enter(load, file, (struct rh_place){ 0 }) < 0)
            continue;
        rh_body_read(load, file);
        rh_file_leave(load, file);
    }
    free((void *)roles);
}

static int
close_load(struct rh_load *load, size_t before)
{
    int rc;

    rh_entry_edit_late(load);
    rh_schedules_resolve(load);
    if (load->catalog->later.free)
        rh_data_evaluate_all(load); /* another load is kept */
    rc = rh_complaints_count(load->complaints) > before ? -1 : 0;
    if (load->expressions.later && !load->catalog->later.free) {
        rh_resolve_open(load);
        if (load->types->secrets)
            rh_script_add_secrets(load->expressions.script, load->types->secrets);
        load->catalog->later.free = free_load;
    } else if (rh_data_waits(load) && !load->catalog->later.free) {
        load->catalog->later.data = load;
        load->catalog->later.free = free_load;
    } else {
        free_load(load);
    }
    return rc;
}

int
rh_manifest_load(struct rh_catalog *c, const struct rh_manifest_types *types, const char *const *files,
                 size_t n, struct rh_complaints *complaints)
{
    struct rh_file **arguments = rh_xalloc(rh_xmul(n, sizeof(struct rh_file *)));
    size_t before = rh_complaints_count(complaints);
    struct rh_load *load = open_load(c, types, complaints);

    for (size_t i = 0; i < n; i++)
        arguments[i] = rh_file_argument(load, files[i]);
    read_all(load, arguments, n);
    free((void *)arguments);
    return close_load(load, before);
}

int
rh_manifest_load_text(struct rh_catalog *c, const struct rh_manifest_types *types, const char *name,
                      const char *text, size_t n, struct rh_complaints *complaints)
{
    size_t before = rh_complaints_count(complaints);
    struct rh_load *load = open_load(c, types, complaints);
    struct rh_file *file = rh_file_text(load, name, rh_xstrndup(text, n), n);

    read_all(load, &file, 1);
    return close_load(load, before);
}

int
rh_manifest_load_compiled(struct rh_catalog *c, const struct rh_manifest_types *types, struct rh_value *v,
                          struct rh_complaints *complaints)
{
    size_t before = rh_complaints_count(complaints);
    struct rh_load *load = open_load(c, types, complaints);

    rh_compiled_read(load, v);
    return close_load(load, before);
}

const struct rh_type *
rh_manifest_own_type(struct rh_arena *a, const char *name, struct rh_error *err)
{
    return strcmp(name, "tree") == 0 ? rh_define_tree_type(a, err) : NULL;
}
