/* SPDX-License-Identifier: Apache-2.0 */
/* incoming - the way into the host: what a worker sends, or runs into when it ends, without the secrets of
 * the run.
 *
 * Each answer is taken out of its frame and redacted here, before anything else in the host sees it: a
 * provider knows its own secrets only, and may meet those of others. Nothing else in the host reads a
 * worker's frames. */
#ifndef RH_PLUGIN_INCOMING_H
#define RH_PLUGIN_INCOMING_H

#include "plugin/message.h"
#include "provider/log-record.h"

struct rh_arena;
struct rh_secrets;
struct rh_type;
struct rh_value;

/* Who reads. */
struct rh_intake {
    struct rh_secrets *secrets; /* of the run; NULL: none are known yet */
    struct rh_arena *arena;     /* of one answer */
    const struct rh_type *type; /* that the worker serves; may be NULL before it is known */
};

/* An answer; what it points to lives as long as its frame and the arena. */
struct rh_incoming {
    enum rh_answer type;
    struct rh_outcome outcome;     /* of OUTCOME */
    struct rh_log_record log;      /* of LOG */
    struct rh_progress progress;   /* of PROGRESS */
    struct rh_backup_state backup; /* of BACKUP: attributes with a secret are marked */
    struct rh_question question;   /* of ASK; names that are looked up, and not shown */
    struct rh_value *item;         /* of ITEM */
    const char *text;              /* of READY, REFUSED and DONE */
    const struct rh_value *secret; /* of SECRET_MET: as it is, to be learnt */
    bool wait;                     /* of BACKUP: an answer is waited for */
    uint32_t silence;              /* of BUSY: milliseconds */
    unsigned code;                 /* of the text of REFUSED and DONE; or 0 */
    bool passing;                  /* of REFUSED: the plugin itself has not been asked */
};

/* The name of an answer, like "OUTCOME"; NULL for a number that is none. */
const char *rh_incoming_name(uint32_t type);

/* False when the frame makes no sense. */
bool rh_incoming_take(const struct rh_intake *intake, uint32_t type, char *payload, size_t n,
                      struct rh_incoming *to);

/* Text of a worker that comes outside of frames: what it printed, and words in the memory that it shares. The
 * caller's. */
char *rh_incoming_text(const struct rh_intake *intake, const char *text, size_t n);

#endif
