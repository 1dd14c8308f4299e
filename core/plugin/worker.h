/* SPDX-License-Identifier: Apache-2.0 */
/* worker - a provider at work, as the host sees it: in a process of its own, or inline.
 *
 * Whatever a provider does, each want that was taken from the caller gets exactly one outcome. When
 * the worker dies or talks nonsense, the resource it was at fails with what happened, the others that
 * it still had fail because the provider is unavailable, and so do all later ones. When it gives no
 * sign of life, the resource it was at fails, and the others go to a new process (restart.c). */
#ifndef RH_PLUGIN_WORKER_H
#define RH_PLUGIN_WORKER_H

#include "base/cleanup.h"

#include "plugin/message.h"

#include <stdbool.h>

struct rh_arena;
struct rh_error;
struct rh_privileges;
struct rh_provider_policy;
struct rh_secrets;
struct rh_type;
struct rh_value;
struct rh_worker;

enum rh_isolation { RH_ISOLATION_WORKER, RH_ISOLATION_NONE };

struct rh_worker_options {
    enum rh_isolation isolation;
    enum rh_strict strict;
    bool debug, diff, notices;
    bool noop;                      /* a dry run of everything */
    bool keeps;                     /* providers may begin to keep something in the state directory */
    bool tail;                      /* and what commands print, while they run */
    bool live;                      /* what was changed is told at once */
    const struct rh_target *target; /* the device that is managed, or NULL; outlives the worker */
    unsigned time_limit;            /* seconds without a sign of life; 0: RH_TIME_LIMIT */
    struct rh_secrets *secrets;     /* of the run, which all workers add to; NULL: each has its own */
    /* Workers confine themselves to what their providers declare; those that `policy` (or NULL) denies
     * something do in any case. */
    bool confined;
    const struct rh_provider_policy *policy;
    /* Adds what the resources of this run take that go to a process of this type's plugin (privileges.h);
     * NULL: none. */
    void (*privileges)(const void *data, const struct rh_type *type, struct rh_privileges *p);
    const void *privileges_data;
};

enum { RH_TIME_LIMIT = 600 };

/* Starts a worker for this provider; does not wait for it. Never NULL: what goes wrong comes with
 * the first request. `type` must outlive the worker. Where the plugin asks for one process, and `beside` (or
 * NULL), which is not gone, is a worker of it, they share one. */
struct rh_worker *rh_worker_start(const struct rh_type *type, const struct rh_worker_options *options,
                                  const struct rh_worker *beside);
bool rh_worker_is_gone(const struct rh_worker *w);         /* nothing can be asked of it any more */
void rh_worker_limit(struct rh_worker *w, double seconds); /* for each request; 0: none beyond the
                                                            * time limit without a sign of life */

/* What it has in hand now: the id of a want, or RH_NOBODY when it can't tell. */
uint32_t rh_worker_at(const struct rh_worker *w);

/* What it does: "updating", without the secrets of the run, and fit to be shown; "" when it has nothing in
 * hand. The caller's. */
char *rh_worker_verb(const struct rh_worker *w);

void rh_worker_stop(struct rh_worker *w); /* lets the provider close; NULL is fine */

/* Tells a worker that is going to be stopped: it closes while others are told, and else is tidied. */
void rh_worker_dismiss(struct rh_worker *w);

/* Gives wants one by one, until it returns false. What a want points to must stay until its
 * outcome was given. `title_of` names a want for messages about a crash. */
struct rh_wants {
    void *data;
    bool (*next)(void *data, struct rh_want *want);
    const char *(*title_of)(void *data, uint32_t id);
    /* What is wanted of one that was given already, and has no outcome, for a new process after the one
     * before has timed out; false: it has got its outcome now, and is not to be sent. NULL: none is
     * started, and all fail. */
    bool (*again)(void *data, uint32_t id, struct rh_want *want);
    /* What a provider of `asker` may see of type[title], or all of the type (title NULL); may be NULL,
     * where there is nothing to see. The answer, or NULL, is in `a`. */
    const struct rh_value *(*visible)(void *data, const struct rh_type *asker, struct rh_arena *a,
                                      const char *type, const char *title);
};

/* Runs a batch; outcomes, with what they point to, are valid while sink->outcome runs. -1 when
 * something is wrong beyond single resources. */
RH_CHECKED int rh_worker_converge(struct rh_worker *w, const struct rh_wants *wants,
                                  const struct rh_sink *sink, struct rh_error *err);

/* Reads: all (names NULL) or these; each goes to sink->item. */
RH_CHECKED int rh_worker_read(struct rh_worker *w, const struct rh_value *names, const struct rh_sink *sink,
                              struct rh_error *err);

/* Reads all in the middle of a run, without reading again what a batch of it has read. */
RH_CHECKED int rh_worker_list(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err);

/* Canonicalizes a list of resources, before the run, and has the provider validate them: not those that
 * are names alone, as `names` says of each (NULL: all are). [index, name] goes to sink->item for each whose
 * name is not the same afterwards. [index, null, message, path or null, whether that may pass, code, further
 * messages and paths] of those that the provider did not take; after one that may pass no other was tried.
 * [-1, [index, ...], [index, ...]] names those that are no names alone and have other attributes afterwards,
 * and those that have not, but could later in the run. */
RH_CHECKED int rh_worker_validate(struct rh_worker *w, const struct rh_value *resources, const bool *names,
                                  const struct rh_sink *sink, struct rh_error *err);
/* Of an item of its answer that refuses a resource: the code of the message, or 0. */
unsigned rh_worker_refusal_code(const struct rh_value *item);

/* How well the provider fits this machine: 0 with the reason, which may be that it crashed or was too
 * slow, or more. Only sink->log is used, without data. */
RH_CHECKED int rh_worker_suits(struct rh_worker *w, const struct rh_sink *logs, struct rh_error *why);

/* Which one a worker that is gone was at, of the list it got last; `otherwise` when it can't tell. */
size_t rh_worker_was_at(const struct rh_worker *w, size_t otherwise);

/* What the target says of itself, one hash for sink->item; for a worker that was started for the
 * target's transport, as a type. */
RH_CHECKED int rh_worker_facts(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err);

/* The answer of a lookup with these parameters, or of a fact (`lookup` and `parameters` are NULL): {value:
 * ...} goes to sink->item, or nothing where there is none. For a worker that was started for a source
 * (registry.h). */
RH_CHECKED int rh_worker_lookup(struct rh_worker *w, const struct rh_type *lookup, const char *name,
                                const struct rh_value *parameters, const struct rh_sink *sink,
                                struct rh_error *err);

/* For sink->item: copies the answer into a hash, `to`, under "value". */
void rh_worker_take_answer(void *to, const struct rh_value *item);

void rh_worker_forget(struct rh_worker *w);

/* What plugin `path` describes itself as (provider/describe.h), by a worker of its own, which may read the
 * plugin and no more if it is `confined`. An error of
 * RH_EINPUT is a refusal of what the plugin says, and comes again; any other may pass: a crash, a
 * kill, an error of input or output, no answer in time. */
RH_CHECKED struct rh_value *rh_worker_describe(struct rh_arena *a, const char *path,
                                               enum rh_isolation isolation, bool confined,
                                               struct rh_error *err);

#endif
