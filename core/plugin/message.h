/* SPDX-License-Identifier: Apache-2.0 */
/* message - the requests and answers that frames carry.
 *
 *   host                              worker
 *   HELLO plugin, type, options  ──▶
 *                                ◀──  READY description | REFUSED why, passing
 *   WANTS some ... WANTS last    ──▶
 *                                ◀──  OUTCOME, LOG, BUSY ...   DONE
 *   READ names | all             ──▶
 *                                ◀──  ITEM ...                 DONE
 *   CANONICALIZE some ... last   ──▶
 *                                ◀──  ITEM for some            DONE
 *   SUITS                        ──▶
 *                                ◀──  ITEM [how well, why not] DONE
 *   FORGET                       ──▶  (no answer)
 *   DESCRIBE path                ──▶
 *                                ◀──  READY description | REFUSED why
 *   BYE                          ──▶  closes the provider       DONE, and ends */
#ifndef RH_PLUGIN_MESSAGE_H
#define RH_PLUGIN_MESSAGE_H

#include "plugin/frame.h"
#include "provider/outcome.h"

#include <stdbool.h>

struct rh_type;

enum rh_request {
    RH_HELLO = 1,
    RH_WANTS,
    RH_READ,
    RH_CANONICALIZE,
    RH_FORGET,
    RH_DESCRIBE,
    RH_BYE,
    RH_SUITS,
};

enum rh_answer {
    RH_READY = 1,
    RH_REFUSED,
    RH_OUTCOME,
    RH_LOG,
    RH_BUSY,
    RH_ITEM,
    RH_DONE,
};

struct rh_hello {
    const char *path, *type, *provider;
    enum rh_strict strict;
    bool debug, diff, tell, sole;
};

void rh_message_hello(struct rh_buf *b, const struct rh_hello *hello);
bool rh_message_take_hello(struct rh_in *in, struct rh_hello *hello);

/* One want inside a WANTS frame, whose payload starts with u8 `last`; so does CANONICALIZE's. */
void rh_message_want(struct rh_buf *b, const struct rh_want *want);
/* `t` tells which attributes of what is wanted are the name. */
bool rh_message_take_want(struct rh_in *in, struct rh_arena *a, const struct rh_type *t,
                          struct rh_want *want);

void rh_message_outcome(struct rh_buf *b, const struct rh_outcome *outcome);
bool rh_message_take_outcome(struct rh_in *in, struct rh_arena *a, struct rh_outcome *outcome);

#endif
