/* SPDX-License-Identifier: Apache-2.0 */
/* type - the file type.yaml, made into the descriptor that a shared object would have. */
#ifndef BRIDGE_TYPE_H
#define BRIDGE_TYPE_H

#include "keep.h"

#include <rhost/abi.h>
#include <rhost/bridge.h>
#include <stdbool.h>

/* A file with its program; it lives as long as the process does. */
struct description {
    struct rhost_plugin plugin;
    const char *folder, *program; /* where it runs, and what it is called in messages */
    const char **argv, **env;     /* NULL-terminated */
    struct list files;            /* among argv, which the host checks */
    uint32_t timeout;             /* milliseconds; 0: the host's own */
    bool several;                 /* it has `types`: each question says which one it is about */
    bool shared;                  /* its types and transports are in one process */
};

/* A type that is served. */
struct served {
    struct rhost_provider provider; /* first, so that the host's pointer to it leads here */
    const struct description *of;
    bool batch;          /* canonicalize and insync are asked for many at once */
    bool custom_insync;  /* insync is asked of the program */
    bool get_desired;    /* get has the desired state of each name */
    bool loose_equality; /* 22 and "22" are equal */
};

/* A transport that is served. */
struct route {
    struct rhost_transport transport; /* first, likewise */
    const struct description *of;
};

/* The callbacks that there are, of which each type takes what it has. */
extern const struct rhost_provider bridge_callbacks;
extern const struct rhost_transport bridge_transport;

/* Reads the text of a file. -1 with the reason. */
int type_read(struct description *description, const char *text, size_t n, struct text *why);

/* open.c: NULL after host->refuse(). */
const struct rhost_plugin *type_open(const struct rhost_bridge_host *host, const char *path);

#endif
