/* SPDX-License-Identifier: Apache-2.0 */
/* server-parts - what the worker's side of the frames has, and how it answers. */
#ifndef RH_PLUGIN_SERVER_PARTS_H
#define RH_PLUGIN_SERVER_PARTS_H

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "plugin/large-text.h"
#include "plugin/server.h"
#include "plugin/side-effects.h"
#include "provider/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_value;

/* A request that has to wait for its turn. */
struct rh_deferred_request {
    struct rh_deferred_request *next;
    uint32_t type;
    char *payload;
    size_t n;
};

enum rh_ahead { RH_AHEAD_NONE, RH_AHEAD_ASKED, RH_AHEAD_GRANTED, RH_AHEAD_REFUSED };

struct rh_server {
    struct rh_server_io io;
    struct rh_runtime *rt;
    bool collects; /* the provider wants to see many at once */
    struct rh_buf out;
    struct rh_large_texts texts;
    struct rh_arena *batch; /* of the requests that are being worked on, with their frames */
    struct rh_want *wants;
    size_t n_wants, cap_wants, bytes; /* of their frames */
    struct rh_error unshown;          /* why something that was read was not sent */
    size_t n_validated;               /* resources of this request */
    bool not_yet;                     /* the provider can't validate before something has run */
    struct rh_deferred_request *later, **last_later; /* requests that came while an answer was awaited */
    enum rh_ahead ahead; /* what the host has answered to states that were given ahead */
    bool owed;           /* something happened that must not be lost when the plugin runs again */
    bool live;           /* somebody watches: what happened is sent at once */
    size_t kept;         /* so much of `out` is safe until it is sent */
    double flushed;
    bool connected; /* the provider has a transport */
};

/* server-answer.c: answers wait for each other, but nobody waits long for them. */
void rh_server_flush(struct rh_server *s);
void rh_server_flush_some(struct rh_server *s);

/* If the next resource crashes us, what was changed did happen. */
void rh_server_keep_owed(struct rh_server *s);

void rh_server_send_text(struct rh_server *s, uint32_t type, const char *text);
void rh_server_send_done(struct rh_server *s,
                         const struct rh_error *trouble); /* NULL, or without a message: none */

/* Whom the runtime tells; `data` is the server. */
struct rh_sink rh_server_sink(struct rh_server *s);
void rh_server_item(void *data, const struct rh_value *item);
void rh_server_doing(void *data, uint32_t id, const char *verb);

#endif
