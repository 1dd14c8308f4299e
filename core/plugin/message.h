/* SPDX-License-Identifier: Apache-2.0 */
/* message - the requests and answers that frames carry.
 *
 *   host                              worker
 *   HELLO plugin, type, options  ──▶
 *                                ◀──  READY description | REFUSED why, passing
 *   WANTS some ... WANTS last    ──▶
 *                                ◀──  OUTCOME, LOG, BUSY, PROGRESS, SECRET_MET ...   DONE
 *                                ◀──  ASK type, title         (any time before DONE);
 *                                         without a type: the paths below `title` that are declared
 *                                ◀──  BACKUP state            (any time before DONE), of one or more; the
 * last one before a change is answered TOLD what is wanted of it    ──▶  or, of a backup, why it cannot be
 * kept READ names | all | known     ──▶ ◀──  ITEM ...                 DONE VALIDATE some ... last       ──▶
 *                                ◀──  ITEM for some            DONE
 *   SUITS                        ──▶
 *                                ◀──  ITEM [how well, why not] DONE
 *   FACTS                        ──▶  of the device
 *                                ◀──  ITEM                     DONE
 *   LOOKUP name, parameters      ──▶  or a fact
 *                                ◀──  ITEM [{value: ...}]      DONE
 *   FORGET                       ──▶  (no answer)
 *   RELEASE number               ──▶  (no answer): of a text that was sent beside the frames
 *   DESCRIBE path                ──▶
 *                                ◀──  READY description | REFUSED why
 *   SEAT number                  ──▶  (no answer): what follows is for this one of several providers
 *   BYE others                   ──▶  closes the provider       DONE, and ends unless others stay */
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
    RH_VALIDATE,
    RH_FORGET,
    RH_DESCRIBE,
    RH_BYE,
    RH_SUITS,
    RH_ANSWER,
    RH_FACTS,
    RH_RELEASE,
    RH_LOOKUP,
    RH_SEAT,
};

/* The first byte of RH_READ. */
enum { RH_READ_NAMED, RH_READ_ALL, RH_READ_KNOWN };

enum rh_answer {
    RH_READY = 1,
    RH_REFUSED,
    RH_OUTCOME,
    RH_LOG,
    RH_BUSY,
    RH_ITEM,
    RH_DONE,
    RH_ASK,
    RH_SECRET_MET,
    RH_PROGRESS,
    RH_BACKUP,
};

/* The most bytes that an answer of this type may have. */
uint32_t rh_message_largest(uint32_t answer);

/* A device, and how it is reached. */
struct rh_target {
    const char *path, *transport; /* of the plugin that has it, and its name */
    const struct rh_value *info;
    const struct rh_type *type; /* of the transport; NULL in a worker */
};

struct rh_hello {
    const char *path, *type, *provider;
    enum rh_strict strict;
    bool debug, diff, notices, noop, sole, live, tail;
    uint32_t time_limit;            /* seconds without a sign of life */
    const struct rh_target *target; /* or NULL; as taken it is the caller's `taken` */
    bool facts;                     /* the transport alone is wanted, as `type` */
    bool source;                    /* the lookups and facts of the plugin are, as `type` */
};

void rh_message_hello(struct rh_buf *b, const struct rh_hello *hello);
bool rh_message_take_hello(struct rh_in *in, struct rh_arena *a, struct rh_hello *hello,
                           struct rh_target *taken);

/* One want inside a WANTS frame, whose payload starts with u8 `last`; so does CANONICALIZE's. */
enum { RH_MOST_WANTS = 256 }; /* in one frame */

/* `way` may be NULL. */
void rh_message_want(struct rh_buf *b, const struct rh_want *want, const struct rh_text_way *way);
/* `t` tells which attributes of what is wanted are the name. */
bool rh_message_take_want(struct rh_in *in, struct rh_arena *a, const struct rh_type *t,
                          struct rh_want *want);

/* A question about the catalog; title NULL: all of the type. */
struct rh_question {
    const char *type, *title;
};

void rh_message_question(struct rh_buf *b, const struct rh_question *question);
bool rh_message_take_question(struct rh_in *in, struct rh_question *question);

/* Its answer, which may be NULL. What is too large or too deep to travel is not sent: `fits` says so
 * to the other side. */
void rh_message_answer(struct rh_buf *b, const struct rh_value *answer);
bool rh_message_take_answer(struct rh_in *in, struct rh_arena *a, const struct rh_value **answer, bool *fits);

void rh_message_outcome(struct rh_buf *b, const struct rh_outcome *outcome);
bool rh_message_take_outcome(struct rh_in *in, struct rh_arena *a, struct rh_outcome *outcome);

void rh_message_backup(struct rh_buf *b, const struct rh_backup_state *state, bool wait);
/* `wait`: the worker waits for an answer. */
bool rh_message_take_backup(struct rh_in *in, struct rh_arena *a, struct rh_backup_state *state, bool *wait);

void rh_message_progress(struct rh_buf *b, const struct rh_progress *progress);
bool rh_message_take_progress(struct rh_in *in, struct rh_progress *progress);

struct rh_log_record;

void rh_message_log(struct rh_buf *b, const struct rh_log_record *r);
/* `type` becomes the type of a record that has one. False when the frame is not well formed. */
bool rh_message_take_log(struct rh_in *in, struct rh_arena *a, const char *type, struct rh_log_record *r);

#endif
