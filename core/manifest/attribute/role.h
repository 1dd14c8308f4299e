/* SPDX-License-Identifier: Apache-2.0 */
/* role - roles and environments: files of a shape of their own, found by their names.
 *
 *   # roles/web.yaml                      # environments/production.yaml
 *   desc: Serves pages.                   desc: What customers see.
 *   roles: [base]                         default: {web: {workers: 8}}
 *   default: {web: {port: 80}}            override: {web: {debug: false}}
 *   override: {}
 *   include: ../common/tls.yaml
 *   resources:
 *     - package: nginx
 *
 * They lie beside the manifest that the command line names, in roles/ and environments/. */
#ifndef RH_MANIFEST_ATTRIBUTE_ROLE_H
#define RH_MANIFEST_ATTRIBUTE_ROLE_H

#include "base/place.h"
#include "manifest/load/file.h"

#include <stdbool.h>

struct rh_load;
struct rh_value;

/* The file of the role or environment of this name, beside source `home`. NULL when there is none:
 * with `place` a complaint there (or about `option`, which says what was written on the command
 * line). */
struct rh_file *rh_role_find(struct rh_load *load, enum rh_file_kind kind, const char *name, unsigned home,
                             struct rh_place place, const char *option);

/* Whether there is one. */
bool rh_role_exists(const struct rh_load *load, enum rh_file_kind kind, const char *name, unsigned home);

/* Calls `fn` with the name of each that is beside a manifest in this directory, "" or with a slash at its
 * end. */
void rh_role_each_name(enum rh_file_kind kind, const char *beside, void (*fn)(void *data, const char *name),
                       void *data);

/* The same for a value: complains when it is no name. */
struct rh_file *rh_role_read_name(struct rh_load *load, enum rh_file_kind kind, const struct rh_value *v,
                                  unsigned home);

/* Complains of what a role or environment may not have. */
void rh_role_check(struct rh_load *load, const struct rh_file *file);

/* Where `file` names the role `inner`. */
struct rh_place rh_role_named(const struct rh_file *file, const struct rh_file *inner);

#endif
