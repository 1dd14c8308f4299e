/* SPDX-License-Identifier: Apache-2.0 */
/* registry - the types that are installed here: which plugins there are, and who serves what. */
#ifndef RH_PLUGIN_REGISTRY_H
#define RH_PLUGIN_REGISTRY_H

#include "plugin/worker.h"

#include <stddef.h>

struct rh_error;
struct rh_registry;
struct rh_suggest;
struct rh_type;

struct rh_registry_options {
    const char *const *folders; /* searched in order; a file name found in several counts once */
    size_t n_folders;
    const char *cache; /* file for descriptions, or NULL */
    enum rh_isolation isolation;
};

/* Finds and describes. Plugins that can't be used are left out, with a problem each; a folder that
 * does not exist is empty. Never NULL. */
struct rh_registry *rh_registry_open(const struct rh_registry_options *options);
void rh_registry_free(struct rh_registry *r);

/* The type, as `provider` (NULL: the only or first one) serves it. NULL without a message: nobody
 * serves it; with one: somebody does, but can't be used, and why. */
const struct rh_type *rh_registry_find(struct rh_registry *r, const char *type,
                                       const char *provider, struct rh_error *err);

/* The transport of this name as a type, whose attributes are its connection info; NULL as above. */
const struct rh_type *rh_registry_transport(struct rh_registry *r, const char *name,
                                            struct rh_error *err);
void rh_registry_suggest_transport(const struct rh_registry *r, struct rh_suggest *s);

void rh_registry_suggest(const struct rh_registry *r, struct rh_suggest *s);

/* All of them, sorted by type; those that can't be used are left out. */
void rh_registry_each(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t),
                      void *data);

/* What is wrong with plugins that were found, a sentence each. */
size_t rh_registry_problems(const struct rh_registry *r);
const char *rh_registry_problem(const struct rh_registry *r, size_t i);

#endif
