/* SPDX-License-Identifier: Apache-2.0 */
/* target - the device that a session manages instead of this machine. */
#ifndef RH_CLI_TARGET_H
#define RH_CLI_TARGET_H

#include "catalog/catalog.h"
#include "run/pool.h"

struct rh_session;

struct rh_reach {
    struct rh_session *session;
    struct rh_catalog targets;
    const struct rh_resource *resource; /* the target, as its file has it; NULL: none was named */
    struct rh_target target;
    struct rh_value *facts; /* NULL: not asked for yet */
};

/* Reads a file of targets: the session manages the one of this name from now on, and its facts are those
 * of expressions. With `name` NULL the file is only read, and devices are what manifests are for. -1
 * after saying why not. To be closed in any case, before the session. */
int rh_reach_open(struct rh_reach *reach, struct rh_session *s, const char *file, const char *name);
void rh_reach_close(struct rh_reach *reach);

#endif
