/* SPDX-License-Identifier: Apache-2.0 */
/* cluster - where resources were declared: the instance of a definition, a role, a file. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/source.h"
#include "catalog/catalog.h"

#include <string.h>

const char *
rh_cluster_word(enum rh_cluster_kind kind)
{
    static const char *const words[] = { "file", "role", "definition" };

    return words[kind];
}

/* The role that this file has, or NULL: roles/web.yaml has the role web. */
static const char *
role_of(struct rh_arena *a, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *dot = slash ? strrchr(slash, '.') : NULL;

    if (!dot || dot == slash + 1 || slash - file < 5 || strncmp(slash - 5, "roles", 5) != 0
        || (slash - file > 5 && slash[-6] != '/'))
        return NULL;
    return rh_arena_strndup(a, slash + 1, (size_t)(dot - slash - 1));
}

static uint32_t
add_cluster(struct rh_graph *g, const struct rh_cluster *cluster)
{
    g->clusters = rh_xgrow(g->clusters, &g->cap_clusters, g->n_clusters, sizeof *g->clusters);
    g->clusters[g->n_clusters] = *cluster;
    return (uint32_t)g->n_clusters++;
}

/* The cluster of a file, by its number. */
static uint32_t
cluster_of_file(struct rh_graph *g, uint32_t *by_file, struct rh_place place)
{
    const char *name = rh_sources_name(g->catalog->sources, place.file);
    const char *role = name ? role_of(g->arena, name) : NULL;

    if (by_file[place.file] == RH_GRAPH_NONE)
        by_file[place.file] = add_cluster(g, &(struct rh_cluster){
                                                 .kind = role ? RH_CLUSTER_ROLE : RH_CLUSTER_FILE,
                                                 .name = role   ? role
                                                         : name ? name
                                                                : "",
                                                 .instance = RH_GRAPH_NONE,
                                                 .at = { .file = place.file },
                                                 .parent = RH_GRAPH_NONE,
                                             });
    return by_file[place.file];
}

/* Instances come before their parts in the set, and so are there already where an instance is part of
 * another. */
static uint32_t
cluster_of(struct rh_graph *g, uint32_t *by_file, uint32_t *by_instance, const struct rh_resource *r)
{
    const struct rh_resource *instance = r->members ? r : r->container;
    uint32_t parent;

    if (!instance)
        return cluster_of_file(g, by_file, r->place);
    if (by_instance[instance->index] != RH_GRAPH_NONE)
        return by_instance[instance->index];
    parent = instance->container ? cluster_of(g, by_file, by_instance, instance->container)
                                 : cluster_of_file(g, by_file, instance->place);
    return by_instance[instance->index] = add_cluster(
               g, &(struct rh_cluster){
                      .kind = RH_CLUSTER_DEFINITION,
                      .name = rh_arena_printf(g->arena, "%s[%s]", instance->type->type, instance->title),
                      .instance = instance->index,
                      .at = instance->place,
                      .parent = parent,
                  });
}

void
rh_graph_make_clusters(struct rh_graph *g)
{
    size_t n_files = (size_t)UINT16_MAX + 1;
    rh_autofree uint32_t *by_file = rh_xalloc(rh_xmul(n_files, sizeof *by_file));
    rh_autofree uint32_t *by_instance = rh_xalloc(rh_xmul(g->n, sizeof *by_instance));

    for (size_t i = 0; i < n_files; i++)
        by_file[i] = RH_GRAPH_NONE;
    for (size_t i = 0; i < g->n; i++)
        by_instance[i] = RH_GRAPH_NONE;
    for (size_t i = 0; i < g->n; i++)
        if (g->shown[i])
            g->nodes[i].cluster = cluster_of(g, by_file, by_instance, g->nodes[i].resource);
}
