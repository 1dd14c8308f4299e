/* SPDX-License-Identifier: Apache-2.0 */
/* duration - how long resources took, from the journals of runs. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "run/journal-read.h"

struct known {
    uint32_t node;
    size_t run; /* plus 1, in which it was found */
};

static double
number_of(const struct rh_value *v)
{
    return rh_value_is(v, RH_FLOAT) ? v->u.real : rh_value_is(v, RH_INTEGER) ? (double)v->u.integer : -1;
}

/* What a resource took in one run counts together: its turns, and notifications. */
static void
take_line(struct rh_graph *g, const struct rh_map *by_name, const struct rh_value *line, size_t run)
{
    const char *type = rh_value_get_str(line, "type", NULL), *title = rh_value_get_str(line, "title", NULL);
    double seconds = number_of(rh_value_get(line, "seconds"));
    struct known *known;

    if (!type || !title || seconds < 0)
        return;
    known = rh_map_get(by_name, rh_arena_printf(g->arena, "%s[%s]", type, title));
    if (!known || (known->run && known->run != run))
        return;
    known->run = run;
    g->nodes[known->node].seconds =
        seconds + (g->nodes[known->node].seconds > 0 ? g->nodes[known->node].seconds : 0);
}

static void
read_journal(struct rh_graph *g, const struct rh_map *by_name, const char *state_dir, const char *name,
             size_t run)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_journal journal;

    if (rh_run_journal_read(state_dir, name, &journal, &err) < 0) {
        rh_debug("%s", err.message);
        return;
    }
    for (size_t i = 0; i < rh_value_count(journal.lines); i++)
        take_line(g, by_name, rh_value_at(journal.lines, i), run);
    rh_run_journal_clear(&journal);
}

void
rh_graph_read_durations(struct rh_graph *g, const char *state_dir)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_automap struct rh_map by_name = { 0 };
    struct known *known = rh_arena_alloc(g->arena, rh_xmul(g->n, sizeof *known));
    struct rh_run_names names;

    if (rh_run_names_read(state_dir, &names, &err) < 0) {
        rh_debug("%s", err.message);
        return;
    }
    for (uint32_t i = 0; i < g->n; i++) {
        const struct rh_resource *r = g->nodes[i].resource;

        known[i].node = i;
        rh_map_put(&by_name, rh_arena_printf(g->arena, "%s[%s]", r->type->type, r->title), &known[i]);
    }
    for (size_t i = 0; i < names.n; i++)
        read_journal(g, &by_name, state_dir, names.v[i], i + 1);
    rh_run_names_clear(&names);
}
