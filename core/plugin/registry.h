/* SPDX-License-Identifier: Apache-2.0 */
/* registry - the types that are installed here: which plugins there are, and who serves what. */
#ifndef RH_PLUGIN_REGISTRY_H
#define RH_PLUGIN_REGISTRY_H

#include "base/cleanup.h"
#include "plugin/choice.h"
#include "plugin/worker.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_provider_policy;
struct rh_registry;
struct rh_suggest;
struct rh_type;

struct rh_registry_options {
    /* Searched in order. A file name found in several counts once; a provider found in several is
     * used from the first of them, or from the first file by name of one folder, with a warning for each
     * other one. */
    const char *const *folders;
    size_t n_folders;
    const char *cache; /* file for descriptions, or NULL */
    enum rh_isolation isolation;
    bool passive; /* plugins whose descriptions are not kept are left out, and none is kept */
    const struct rh_provider_policy *policy; /* or NULL; outlives the registry */
    bool confined;                           /* plugins are asked by processes that are */
};

/* Finds and describes. Plugins that can't be used are left out, with a problem each; a folder that
 * does not exist is empty. Never NULL. */
struct rh_registry *rh_registry_open(const struct rh_registry_options *options);
void rh_registry_free(struct rh_registry *r);

/* Whom to ask how well providers suit this machine. Each is asked at most once, and only when there
 * are several for a type that somebody looks for without naming one. Until there is somebody to ask
 * all suit alike. */
void rh_registry_ask(struct rh_registry *r, rh_suits_fn *suits, rh_suits_soon_fn *soon, void *data);

/* The type, as `provider` serves it (NULL: the one that suits best). NULL without a message: nobody
 * serves it; with one: somebody does, but can't be used, and why: of the kind RH_EPROVIDER when none
 * suits. */
RH_CHECKED const struct rh_type *rh_registry_find(struct rh_registry *r, const char *type,
                                                  const char *provider, struct rh_error *err);

/* The next provider of a type, in the order of names: the first for `before` NULL; NULL at the end. */
const struct rh_type *rh_registry_next(struct rh_registry *r, const char *type, const struct rh_type *before);

/* What a provider says of itself and this machine, which it is asked if it was not. */
const struct rh_candidate *rh_registry_suits(struct rh_registry *r, const struct rh_type *t);

/* The first provider of the type that has this attribute, or NULL. */
const struct rh_type *rh_registry_owner(struct rh_registry *r, const char *type, const char *attr);
/* The transport of this name as a type, whose attributes are its connection info; NULL as above. */
RH_CHECKED const struct rh_type *rh_registry_transport(struct rh_registry *r, const char *name,
                                                       struct rh_error *err);
void rh_registry_suggest_transport(const struct rh_registry *r, struct rh_suggest *s);

/* A lookup of a plugin: its parameters, as the attributes of a type, and its `answer`; and the type that a
 * worker is started for to ask it. */
struct rh_lookup {
    const struct rh_type *type, *source;
};

struct rh_fact {
    const struct rh_attr *attr;
    const struct rh_type *source;
};

/* registry-lookup.c: by name, or NULL; and all, in the order of the search: NULL at the end. */
const struct rh_lookup *rh_registry_lookup(const struct rh_registry *r, const char *name);
const struct rh_fact *rh_registry_fact(const struct rh_registry *r, const char *name);
const struct rh_lookup *rh_registry_lookup_at(const struct rh_registry *r, size_t i);
const struct rh_fact *rh_registry_fact_at(const struct rh_registry *r, size_t i);
/* This provider, transport, or something of these lookups and facts is used. When it declares no needs, and
 * the policy says so, adds a problem, once: it is not confined. */
void rh_registry_warn_of_undeclared(struct rh_registry *r, const struct rh_type *t);
void rh_registry_suggest_lookup(const struct rh_registry *r, struct rh_suggest *s);

void rh_registry_suggest(const struct rh_registry *r, struct rh_suggest *s);

/* All of them, sorted by type; those that can't be used are left out. */
void rh_registry_each(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t), void *data);

/* And all transports. */
void rh_registry_each_transport(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t),
                                void *data);

/* What is wrong with plugins that were found, a sentence each. */
size_t rh_registry_problems(const struct rh_registry *r);
const struct rh_error *rh_registry_problem(const struct rh_registry *r, size_t i);

#endif
