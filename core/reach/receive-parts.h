/* SPDX-License-Identifier: Apache-2.0 */
/* receive-parts - what the files behind receive.h share. */
#ifndef RH_REACH_RECEIVE_PARTS_H
#define RH_REACH_RECEIVE_PARTS_H

#include "base/child.h"
#include "reach/push-record.h"
#include "reach/scratch-site.h"
#include "reach/wire.h"

#include <stdbool.h>
#include <time.h>

struct rh_arena;
struct rh_error;
struct rh_value;

enum rh_receive_step { RH_RECEIVE_REQUEST, RH_RECEIVE_FILES, RH_RECEIVE_RUN, RH_RECEIVE_END };

struct rh_receiver {
    struct rh_arena *arena;
    const char *state_dir;
    enum rh_receive_step step;
    struct rh_wire in;
    struct rh_buf out; /* not sent yet */
    size_t sent;       /* of `out` */
    double heard;      /* when something came last */
    bool disconnected; /* the controller can't be reached any more */
    bool acknowledged;
    struct rh_value *earlier; /* pushes whose end the controller gets told */

    /* The request. */
    const char *push, *from; /* its id, and who pushes: for the record */
    char *const *argv;       /* program and arguments, NULL-terminated */
    const char *report;      /* a file that the command writes; or NULL */
    const char *result;      /* another one, such as a plan; or NULL */
    bool detach;             /* go on when the connection is lost */
    bool changes;            /* it is recorded */
    struct rh_scratch_site site;
    struct rh_push_record record;

    struct rh_child child;
    int progress;  /* descriptor, or -1 */
    bool started;  /* the child was */
    bool stopping; /* it was asked to end */
    time_t began;
};

/* receive-request.c: the frames that a controller sends before it says go. */

/* Does what a frame asks for; -1 with an error when it can't be. */
RH_CHECKED int rh_receive_frame(struct rh_receiver *r, enum rh_wire_kind kind, const char *content, size_t n,
                                struct rh_error *err);

/* Asks the command to end, once: a second signal would end it in the middle of a change. */
void rh_receive_stop(struct rh_receiver *r);

/* receive-end.c: how it ended, for the controller or for the record. */

/* Sends the report and the end; keeps them where the controller is lost. */
void rh_receive_end(struct rh_receiver *r);

#endif
