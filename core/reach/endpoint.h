/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint - where a target is, as people write it: ssh://admin@web1:2222, chroot:/srv/image, podman:web. */
#ifndef RH_REACH_ENDPOINT_H
#define RH_REACH_ENDPOINT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;

enum rh_connector {
    RH_CONNECT_SSH,
    RH_CONNECT_CHROOT,
    RH_CONNECT_MACHINE,
    RH_CONNECT_PODMAN,
    RH_CONNECT_DOCKER,
    RH_CONNECT_LOCAL,
    RH_CONNECT_COMMAND,
};

struct rh_endpoint {
    enum rh_connector connector;
    const char *text;            /* as it is shown: the URI */
    const char *user;            /* of ssh; NULL: none was given */
    unsigned port;               /* of ssh; 0: none was given */
    const char *place;           /* the host, directory, machine or container; NULL: none */
    const char *const *template; /* of RH_CONNECT_COMMAND: the arguments, NULL-terminated */
};

/* Reads a URI, or the name of a host, which means ssh. What it points to is the arena's. -1 with an error
 * that says what is wrong. */
RH_CHECKED int rh_endpoint_read(struct rh_endpoint *e, struct rh_arena *a, const char *text,
                                struct rh_error *err);

/* Whether a word is written as a URI of a connector: it begins with a scheme and a colon. An unknown scheme
 * is one as well, and rh_endpoint_read refuses it. */
bool rh_endpoint_is_uri(const char *text);

/* Whether a path goes through any shell as it is: letters, digits, '/', '.', '_', '+' and '-'. */
bool rh_endpoint_is_path(const char *text);

#endif
