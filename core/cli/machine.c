/* SPDX-License-Identifier: Apache-2.0 */
/* machine - the node of this machine: its attributes, with the facts as the automatic level. */
#include "config.h"

#include "cli/machine.h"

#include "base/arena.h"
#include "cli/options.h"
#include "cli/refusal.h"
#include "facts/facts.h"
#include "facts/folders.h"
#include "node/node.h"

#include <stdio.h>

static const struct rh_value *
get_fact(void *data, const char *key)
{
    struct rh_machine *m = data;

    return m->elsewhere ? NULL : rh_facts_get(m->facts, key);
}

static void
get_keys(void *data, void (*one)(void *to, const char *key), void *to)
{
    struct rh_machine *m = data;

    if (!m->elsewhere)
        rh_facts_names(m->facts, one, to);
}

void
rh_machine_open(struct rh_machine *m, const struct rh_settings *settings, struct rh_sources *sources)
{
    struct rh_facts_options options = { .root = "", .no_programs = settings->passive };

    *m = (struct rh_machine){ .complaints = { .sources = sources, .warn = true } };
    m->arena = rh_arena_new(NULL);
    m->node = rh_node_new();
    options.complaints = &m->complaints;
    options.folders =
        rh_facts_folders(m->arena, settings->facts_dirs.v, settings->facts_dirs.n, &options.n_folders);
    m->facts = rh_facts_new(&options);
    rh_node_set_facts(m->node, &(struct rh_node_facts){ .data = m, .get = get_fact, .keys = get_keys });
}

void
rh_machine_close(struct rh_machine *m)
{
    rh_node_free(m->node);
    rh_facts_free(m->facts);
    rh_complaints_clear(&m->complaints);
    rh_arena_free(m->arena);
}

void
rh_machine_warn(struct rh_machine *m, bool colour)
{
    if (!rh_refusal_takes_warnings(&m->complaints))
        rh_complaints_print(&m->complaints, stderr, colour);
    rh_complaints_clear(&m->complaints);
}
