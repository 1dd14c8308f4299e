/* SPDX-License-Identifier: Apache-2.0 */
/* server-seats - the providers of one process: each has a server, and a frame says for which the next ones
 * are. */
#include "config.h"

#include "plugin/server.h"

#include "base/alloc.h"
#include "plugin/message.h"
#include "plugin/side-effects.h"

#include <stdlib.h>

enum { MOST_SEATS = 10000 }; /* providers of a plugin, each started anew some times */

struct rh_seats {
    struct rh_server_io io;
    struct rh_server **v; /* NULL: it has not begun, or said goodbye */
    size_t n, cap, at;
    struct rh_side_effects side_effects;
};

struct rh_seats *
rh_seats_new(const struct rh_server_io *io)
{
    struct rh_seats *s = rh_xalloc(sizeof *s);

    s->io = *io;
    s->io.side_effects = &s->side_effects;
    rh_side_effects_note(&s->side_effects);
    return s;
}

void
rh_seats_free(struct rh_seats *s)
{
    for (size_t i = 0; i < s->n; i++)
        rh_server_free(s->v[i]);
    free(s->v);
    free(s);
}

/* The server that frames are for now. */
static struct rh_server *
current(struct rh_seats *s)
{
    while (s->n <= s->at) {
        s->v = rh_xgrow(s->v, &s->cap, s->n, sizeof(struct rh_server *));
        s->v[s->n++] = NULL;
    }
    if (!s->v[s->at])
        s->v[s->at] = rh_server_new(&s->io);
    return s->v[s->at];
}

bool
rh_seats_take_text(struct rh_seats *s, int fd)
{
    return rh_server_take_text(current(s), fd);
}

static bool
choose(struct rh_seats *s, char *payload, size_t n)
{
    struct rh_in in = { .at = payload, .end = payload + n };

    s->at = rh_take_u32(&in);
    free(payload);
    return !in.bad && s->at < MOST_SEATS;
}

bool
rh_seats_handle(struct rh_seats *s, uint32_t type, char *payload, size_t n)
{
    bool others = type == RH_BYE && n && payload[0];

    if (type == RH_SEAT)
        return choose(s, payload, n);
    if (rh_server_handle(current(s), type, payload, n))
        return true;
    if (!others)
        return false;
    rh_server_free(s->v[s->at]);
    s->v[s->at] = NULL;
    return true;
}
