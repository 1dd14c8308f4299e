/* SPDX-License-Identifier: Apache-2.0 */
/* talk - a request to a worker while it is under way: what it answers, and waiting for that. Private
 * to the files of this room that are the host's end of a worker. */
#ifndef RH_PLUGIN_TALK_H
#define RH_PLUGIN_TALK_H

#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "plugin/large-text.h"
#include "plugin/link.h"
#include "plugin/worker.h"
#include "provider/ids.h"

#include <sys/types.h>

/* seat.c: where workers run. */
struct rh_worker_process {
    struct rh_link link;
    bool shared;      /* several providers of a plugin may be in it */
    size_t users;     /* workers that were not stopped */
    uint32_t n_seats; /* that were given */
    uint32_t seat;    /* that frames are for, once one was chosen */
    bool chosen;
    unsigned starts;                  /* processes so far */
    struct rh_privileges *privileges; /* that it has confined itself to, or NULL */
    ino_t accounts[2]; /* the databases of accounts that it may read: a new one is another file */
    bool exact;        /* a resource failed for what the list left out */
    int mounts;        /* the list of mounts, open since it was confined, or -1 */
};

struct rh_sent_want {
    uint32_t id;
    bool again; /* it was sent twice */
    bool waits; /* it was skipped for one that is sent again, and so is sent with it */
    const struct rh_value *name, *should;
};

struct rh_worker {
    const struct rh_type *type;
    struct rh_worker_options options;
    struct rh_worker_process *process;
    struct rh_link *link; /* of the process */
    uint32_t seat;        /* in it */
    unsigned hailed;      /* in which of its starts hello was said; 0: in none */
    struct rh_large_texts texts;
    struct rh_arena *arena;   /* of one answer */
    struct rh_ids waiting;    /* ids that are owed an outcome */
    uint32_t lowest, highest; /* of them */
    size_t n_waiting;
    uint32_t *sent; /* ids of the batch, in the order in which they were sent */
    size_t n_sent, cap_sent;
    unsigned restarts; /* new processes of this run, after one that timed out */
    bool timed_out;
    size_t logged;
    uint64_t answered;               /* up to where of all that is sent to it the last answer goes */
    struct rh_secrets *secrets, own; /* what was wanted, and what was read, that nobody may see */
    size_t secret_bytes;             /* bytes */
    char *gone;                      /* why nothing can be asked of it any more */
    unsigned gone_code;              /* of that message, or 0 */
    double alive, patience;
    double progress;     /* when it last finished something */
    double limit, until; /* of a request; 0: none */
    bool greeted;
    bool dismissed;
    struct rh_sent_want *wants; /* of a process that is confined: those that were sent */
    size_t n_wants, cap_wants;
    const struct rh_value *names; /* that are read next, and what they need is to be permitted; or NULL */
    struct rh_want next;          /* that the process is not permitted to apply; the next one is */
    bool deferred, retries;       /* `retries`: so it is with one that has failed */
    bool lists;                   /* all resources are read */
    const struct rh_type *asked;  /* the lookup that is asked next with these parameters, or NULL */
    const struct rh_value *parameters;
};

/* restart.c: what puts large texts of a value beside the frames. */
struct rh_text_way rh_worker_text_way(struct rh_worker *w);

/* Gives it a process, that of `beside` (or NULL) where it may: true when that was there already. */
bool rh_seat_take(struct rh_worker *w, const struct rh_worker *beside);

/* Says hello in the process that runs now; and whether that was done. */
void rh_seat_hail(struct rh_worker *w);
bool rh_seat_is_known(const struct rh_worker *w);

/* Begins a frame of a request, for this worker. */
size_t rh_seat_begin(struct rh_worker *w, enum rh_request type);

/* Asks it to close; false when there is nothing that it could close, and nobody is told. */
RH_CHECKED bool rh_seat_bye(struct rh_worker *w);
void rh_seat_leave(struct rh_worker *w);

/* The format of that message: provider, version, why. */
#define rh_worker_unavailable RH_WORDING("provider '%s' %s is unavailable: %s")

enum { RH_PART_BYTES = 64 << 10 }; /* of a request in one frame */

/* One request while it is under way. */
struct rh_talk {
    struct rh_worker *w;
    const struct rh_sink *sink;
    const struct rh_wants *wants; /* or NULL */
    struct rh_error *err;
    bool more; /* wants are still to come, so it can't be done */
    bool done, failed;
};

/* It has finished something, and may be silent for the time limit. */
void rh_talk_alive(struct rh_worker *w);

/* The worker is dead: everybody who waits learns of it, and those who still come. */
void rh_talk_worker_ended(struct rh_talk *t);

/* Takes what has arrived; and waits a while for more, ending a worker that shows no sign of life. */
void rh_talk_listen(struct rh_talk *t);
void rh_talk_wait(struct rh_talk *t);

/* A warning of the host itself, about the provider. */
void rh_talk_log(struct rh_talk *t, bool generated, unsigned code, const char *text);

/* Reports what the plugin printed although it must not. */
void rh_talk_printed(struct rh_talk *t);

/* Logs the commands that the broker has started, for debugging: the broker records them, and not the worker,
 * which could leave one out. */
void rh_talk_commands(struct rh_worker *w);

/* The same for a link without a worker; `who` begins each line. */
struct rh_intake;
void rh_talk_log_commands(struct rh_link *l, const struct rh_intake *intake, const char *who);

/* What was printed is told; -1 when the request failed. */
int rh_talk_end(struct rh_talk *t);

/* Whether a resource may time out without making the provider unavailable: the rest of the batch is
 * given to a new process. */
bool rh_talk_can_restart(const struct rh_talk *t);

/* Starts a worker's process, and greets it unless others share it. */
RH_CHECKED int rh_restart_connect(struct rh_worker *w, struct rh_error *err);

/* Sends what has no outcome yet to a new process, if the one before has timed out. */
void rh_restart(struct rh_talk *t);

/* permit.c: what a process is confined to. Whether the one that runs may apply this. */
bool rh_permits(const struct rh_worker *w, const struct rh_want *want);
bool rh_permits_question(const struct rh_worker *w, const struct rh_type *lookup,
                         const struct rh_value *parameters);
/* Whether the machine has new accounts or mounts since, which the process may not see; asked at the beginning
 * of a request, and true once for each change of the mounts. */
bool rh_permit_is_outdated(const struct rh_worker *w);
/* Makes the list of privileges for the process that is started next. */
void rh_permit_prepare(struct rh_worker *w);
/* Notes what is sent to a process that is confined. */
void rh_permit_note(struct rh_worker *w, const struct rh_want *want);
/* Whether a resource that has failed is applied once more, by another process: what it needs is there only
 * now. */
bool rh_permit_tries_again(struct rh_talk *t, const struct rh_outcome *o);

/* renew.c: a new process, which may do more. Before resources of these names are read: */
RH_CHECKED int rh_renew_for_names(struct rh_worker *w, const struct rh_value *names, struct rh_error *err);
/* Before all are read: */
RH_CHECKED int rh_renew_for_question(struct rh_worker *w, const struct rh_type *lookup,
                                     const struct rh_value *parameters, struct rh_error *err);
RH_CHECKED int rh_renew_for_list(struct rh_worker *w, struct rh_error *err);
/* After a batch: goes on with what was held back. */
void rh_renew_continue(struct rh_talk *t);

/* restart.c: sends what has no outcome yet once more, as the caller says anew what is wanted of each. */
void rh_restart_send(struct rh_talk *t);

/* Runs a request whose frame is in w->link->out. */
RH_CHECKED int rh_talk_run(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err);

#endif
