/* SPDX-License-Identifier: Apache-2.0 */
/* budget - how much may come of a manifest. */
#include "config.h"

#include "manifest/load/budget.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"

/* Entries that are written out take less than half of this for each byte. */
enum { MEMORY_PER_BYTE = 64 };

static const struct rh_budget usual = {
    .resources = 250000, .elements = 1000000, .memory = (size_t)512 << 20, .text = (size_t)64 << 20
};

static const struct rh_budget *
budget_of(const struct rh_load *load)
{
    return load->types->budget ? load->types->budget : &usual;
}

/* Nothing more is read, and what others name of it is no second error. */
static int
stop(struct rh_load *load)
{
    load->spent.exceeded = true;
    rh_catalog_note_refused(load->catalog, NULL, NULL);
    return -1;
}

static size_t
memory_of(const struct rh_load *load)
{
    const struct rh_catalog *c = load->catalog;

    return rh_arena_size(c->arena) - load->spent.memory_before + c->cap_list * sizeof *c->list
           + c->cap_resources * sizeof(struct rh_resource *);
}

int
rh_budget_check(struct rh_load *load, struct rh_place place)
{
    size_t most = budget_of(load)->memory;

    if (load->spent.exceeded)
        return -1;
    if (memory_of(load) <= most + load->spent.bytes * MEMORY_PER_BYTE)
        return 0;
    rh_complain(load->complaints, place,
                "aliases, definitions, loops or expressions multiply it; apply it in parts",
                "the manifests expand to more than %zu MiB", most >> 20);
    return stop(load);
}

int
rh_budget_add_resource(struct rh_load *load, struct rh_place place)
{
    size_t most = budget_of(load)->resources;

    if (rh_budget_check(load, place) < 0)
        return -1;
    if ((!load->context.container && !load->spent.loops) || ++load->spent.resources <= most)
        return 0;
    rh_complain(load->complaints, place, "apply it in parts, or write the resources out",
                "definitions and loops declare more than %zu resources", most);
    return stop(load);
}

int
rh_budget_add_element(struct rh_load *load, struct rh_place place)
{
    size_t most = budget_of(load)->elements;

    if (rh_budget_check(load, place) < 0)
        return -1;
    if (++load->spent.elements <= most)
        return 0;
    rh_complain(load->complaints, place, "apply it in parts, or write the entries out",
                "loops go through more than %zu elements", most);
    return stop(load);
}

int
rh_budget_check_text(struct rh_load *load, const struct rh_value *v, size_t n)
{
    size_t most = budget_of(load)->text;

    if (n <= most)
        return rh_budget_check(load, rh_value_place(v));
    rh_complain(load->complaints, rh_value_place(v), NULL,
                "expressions expand this text to more than %zu MiB", most >> 20);
    return -1;
}
