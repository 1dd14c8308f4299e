/* SPDX-License-Identifier: Apache-2.0 */
/* node-attributes - the attributes, before any resource is looked at.
 *
 * Facts are there from the start (and asked for when somebody reads them). Then come, each later one
 * over the earlier ones of its level: the environment; the roles, those of the manifests first and
 * those of the command line last, what a role names before the role; `attributes:` of each manifest,
 * behind those of the files that it includes whatever happens; --attributes; --attribute. */
#ifndef RH_MANIFEST_NODE_ATTRIBUTES_H
#define RH_MANIFEST_NODE_ATTRIBUTES_H

#include <stddef.h>

struct rh_file;
struct rh_load;

/* Settles them, for these files of the command line (NULL among them: what could not be read), and
 * returns the roles of the command line behind those of the manifests: the caller's, *n of them. */
struct rh_file **rh_settle(struct rh_load *load, struct rh_file *const *given, size_t n_given,
                           size_t *n);

/* Those of a file that is included now, and of what it includes: unless they are settled. */
void rh_settle_file(struct rh_load *load, struct rh_file *file);

#endif
