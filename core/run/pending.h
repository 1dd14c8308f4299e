/* SPDX-License-Identifier: Apache-2.0 */
/* pending - notifications not yet delivered, on disk: a crash, a kill or a failure loses none.
 *
 * A debt is noted, and on disk, before the change that may cause it is begun; it is certain when
 * that change was confirmed, and dropped when it was delivered, or when nothing was changed after
 * all. What stands in the file when a run starts was left by an earlier one. */
#ifndef RH_RUN_PENDING_H
#define RH_RUN_PENDING_H

#include "base/cleanup.h"
#include "catalog/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;
struct rh_error;
struct rh_pending_list;

struct rh_pending {
    const char *type, *title, *action; /* the target, and what is to be done to it */
    const char *by;                    /* the notifier, as "type[title]" */
    const char *run, *since;           /* the run that caused it, and when that began */
    enum rh_on_failure on_failure;
    bool certain; /* false: the notifier failed or was killed, and may have changed something */
    bool dropped;
};

/* Reads the file. `run` and `started` are of the run that begins; NULL: nothing is written, as
 * for noop and for looking. A line that was not written to its end is nothing; zeros, which a power loss
 * leaves for lines that were not on disk yet, are a warning; anything else that can't be read is an error,
 * for what it says would be lost. */
RH_CHECKED struct rh_pending_list *rh_pending_open(const char *state_dir, const char *run,
                                                   const char *started, struct rh_error *err);

/* All of them, in the order in which they were noted; dropped ones too. */
size_t rh_pending_count(const struct rh_pending_list *o);
const struct rh_pending *rh_pending_at(const struct rh_pending_list *o, size_t i);

/* Notes a debt that a change may cause; returns its number. It is on disk after rh_pending_sync. */
size_t rh_pending_note(struct rh_pending_list *o, const struct rh_pending *pending);
RH_CHECKED int rh_pending_sync(struct rh_pending_list *o, struct rh_error *err);

void rh_pending_certain(struct rh_pending_list *o, size_t i);
void rh_pending_drop(struct rh_pending_list *o, size_t i);

/* Hands the last two to the system: they outlive this process, though maybe not a power cut, after
 * which something is then delivered once too often. */
RH_CHECKED int rh_pending_flush(struct rh_pending_list *o, struct rh_error *err);

/* The file stays as it is, whatever is noted or dropped after this. */
void rh_pending_abandon(struct rh_pending_list *o);

/* Leaves just what is still pending in the file, and no file when that is nothing. */
RH_CHECKED int rh_pending_close(struct rh_pending_list *o, struct rh_error *err);

/* Adds the members of its hash, without the braces: as in the file, and as `rhost pending` prints it. */
void rh_pending_to_json(struct rh_buf *b, const struct rh_pending *d);

#endif
