/* SPDX-License-Identifier: Apache-2.0 */
/* type - the file type.yaml, made into the descriptor that a shared object would have. */
#ifndef BRIDGE_TYPE_H
#define BRIDGE_TYPE_H

#include <rhost/abi.h>
#include <rhost/bridge.h>
#include <stdbool.h>

/* What is served; it lives as long as the process does. */
struct served {
    struct rhost_provider provider; /* first, so that the host's pointer to it leads here */
    struct rhost_plugin plugin;
    const struct rhost_provider *list[2];
    const char *folder, *program; /* where it runs, and what it is called in messages */
    const char **argv, **env;     /* NULL-terminated */
    uint32_t timeout;             /* milliseconds; 0: the host's own */
    bool batch;                   /* canonicalize and insync are asked for many at once */
    bool custom_insync;           /* insync is asked of the program */
    bool get_desired;             /* get has the desired state of each name */
    bool loose_equality;          /* 22 and "22" are equal */
};

/* The callbacks that there are, of which each type takes what it has. */
extern const struct rhost_provider bridge_callbacks;

/* NULL after host->refuse(). */
const struct rhost_plugin *type_open(const struct rhost_bridge_host *host, const char *path);

#endif
