/* SPDX-License-Identifier: Apache-2.0 */
/* server - the worker's side of the frames: takes requests, runs them, answers. It serves a worker
 * process, and just the same the inline mode, where both sides are one process. */
#ifndef RH_PLUGIN_SERVER_H
#define RH_PLUGIN_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_seats;
struct rh_server;
struct rh_side_effects;

/* What is under way, where it can be read by whoever finds this process dead. */
struct rh_doing {
    volatile uint32_t id;
    char verb[60];
};

struct rh_server_io {
    void *data;
    void (*write)(void *data, const char *frames, size_t n); /* whole frames */
    /* The next frame, while a request is being worked on; the payload is the server's. Ends the
     * process rather than returning without one, or returns false. */
    bool (*read)(void *data, uint32_t *type, char **payload, size_t *n);
    /* Frames that will be written later, and must not be lost should we die before; the first `kept`
     * bytes of them were kept already. False when they don't fit. NULL: nobody would survive us. */
    bool (*keep)(void *data, const char *frames, size_t kept, size_t n);
    struct rh_doing *doing;
    struct rh_side_effects
        *side_effects; /* of the process, which may be held to them; NULL: it is the host's */
};

struct rh_server *rh_server_new(const struct rh_server_io *io);
void rh_server_free(struct rh_server *s);

/* Takes over a descriptor that came with a request: a large text. False when it is none. */
bool rh_server_take_text(struct rh_server *s, int fd);

/* One request. The payload must stay until the request is answered, and may be pointed into until
 * the end of its batch: `keep` says so, and the server frees it then. Returns false when the server
 * is done, or what came makes no sense. */
bool rh_server_handle(struct rh_server *s, uint32_t type, char *payload, size_t n);

/* server-seats.c: the same for a process with several providers, each of which has a server. */
struct rh_seats *rh_seats_new(const struct rh_server_io *io);
void rh_seats_free(struct rh_seats *s);
bool rh_seats_take_text(struct rh_seats *s, int fd);
bool rh_seats_handle(struct rh_seats *s, uint32_t type, char *payload, size_t n);

#endif
