/* SPDX-License-Identifier: Apache-2.0 */
/* registry-parts - what the registry has: filled by registry-open.c, asked through registry.h. */
#ifndef RH_PLUGIN_REGISTRY_PARTS_H
#define RH_PLUGIN_REGISTRY_PARTS_H

#include "base/cleanup.h"
#include "base/map.h"
#include "plugin/description-cache.h"
#include "plugin/registry.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_type;
struct rh_value;

/* A provider that some plugin describes; read into a type when somebody asks for it. */
struct rh_registry_entry {
    const char *type, *provider, *path;
    size_t folder;           /* its place in the order of the search */
    const char *description; /* JSON */
    struct rh_type *read;
    struct rh_candidate candidate;
    bool refused; /* a problem says why */
    bool transport;
    bool sole; /* nobody else serves the type */
};

struct rh_registry {
    struct rh_arena *arena;
    enum rh_isolation isolation;
    bool passive, confined;
    const struct rh_provider_policy *policy;
    struct rh_description_cache cache;
    size_t folder; /* the one that is being searched */
    struct rh_registry_entry *entries;
    size_t n, cap;
    struct rh_registry_entry *transports;
    size_t n_transports, cap_transports;
    struct rh_lookup *lookups;
    size_t n_lookups, cap_lookups;
    struct rh_fact *facts;
    size_t n_facts, cap_facts;
    struct rh_error *problems;
    size_t n_problems, cap_problems;
    struct rh_map files;      /* names that were found already */
    struct rh_map warned;     /* who declares no needs, of which a problem says so */
    struct rh_map data_types; /* names that plugins declared */
    rh_suits_fn *suits;       /* or NULL */
    rh_suits_soon_fn *suits_soon;
    void *suits_data;
};

/* registry.c: a sentence about what is wrong with a plugin. */
void rh_registry_add_problem(struct rh_registry *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* `provider` NULL: the first one of the type. NULL when there is none. */
struct rh_registry_entry *rh_registry_entry(const struct rh_registry *r, const char *type,
                                            const char *provider);
struct rh_registry_entry *rh_registry_transport_entry(const struct rh_registry *r, const char *name);

/* registry-lookup.c: the lookups and facts of a plugin by their description, which is JSON; NULL: it has
 * none. */
void rh_registry_add_source(struct rh_registry *r, const char *path, const char *description);

/* How many entries, from the first one of a type on, are of that type. */
size_t rh_registry_count(const struct rh_registry *r, size_t first);

/* The description becomes a type; one that can't be one is a problem, said once. */
RH_CHECKED const struct rh_type *rh_registry_read(struct rh_registry *r, struct rh_registry_entry *e,
                                                  struct rh_error *err);

#endif
