/* SPDX-License-Identifier: Apache-2.0 */
/* runtime-parts - the runtime's inside, for the files of this room that share it. */
#ifndef RH_PROVIDER_RUNTIME_PARTS_H
#define RH_PROVIDER_RUNTIME_PARTS_H

#include "base/cleanup.h"
#include "base/map.h"
#include "base/secrets.h"
#include "provider/call.h"
#include "provider/ids.h"
#include "provider/runtime.h"

#include <rhost/bridge.h>
#include <stdbool.h>

struct rh_arena;
struct rh_attr;
struct rh_buf;
struct rh_error;
struct rh_job;
struct rh_kept_state;
struct rh_runtime;
struct rh_value;
struct rhost_program;

/* What the provider is going to be asked about: ext-upcoming.c. */
struct rh_upcoming {
    enum { RH_UPCOMING_NOTHING, RH_UPCOMING_START, RH_UPCOMING_COMPARE } what;
    struct rh_job **jobs;
    size_t n, listed; /* the jobs; the first in the list of all */
    void (*add)(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *all); /* of what was read */
    const struct rh_value *values;                                                /* or these */
};

struct rh_runtime {
    struct rhost_provider provider;      /* our copy: what the plugin does not know is zero */
    const struct rhost_provider *served; /* the plugin's own */
    struct rhost_plugin plugin;          /* our copy, where its lookups and facts are asked for */
    const struct rhost_transport *route; /* and its transport's own */
    const struct rh_type *type;
    struct rh_value *description;
    struct rh_arena *arena; /* of the transaction */
    struct rh_runtime_options options;
    struct rh_sink sink;
    struct rhost_run run;              /* the options that a program may know */
    struct rh_arena *arena_of_batch;   /* what outcomes are made in */
    struct rh_ids failed, changed;     /* resources of this run that ended so */
    struct rh_ids pending;             /* that wait for the next call of set */
    void *state;                       /* the plugin's word */
    struct rh_kept_state *kept;        /* further words, of ext-keep.c */
    const struct rhost_plugin *origin; /* the plugin itself */
    struct rhost_program *programs;    /* that it started and did not stop */
    struct rhost_transport transport;  /* the way to a device */
    const struct rh_value *info;       /* how it is reached; NULL: there is no device */
    void *transport_state;
    bool connected;
    bool opened;
    bool stopped;         /* a command was ended, since the run is to end */
    bool missing;         /* the last failure, while a dry run was reading: something does not exist */
    bool asked_extension; /* since it was last cleared */
    struct rh_upcoming upcoming;
    struct rh_job **ahead; /* those of the batch that come behind the one in hand */
    size_t n_ahead;
    struct rh_job **asked; /* those whose states were given ahead, and the host has not answered yet */
    size_t n_asked;
    bool running;      /* a batch is being brought to its wanted state */
    char *unavailable; /* why it can't be used any more in this run */
    unsigned unavailable_code;
    bool hides;                                      /* the type has sensitive attributes */
    struct rh_secrets secrets;                       /* wanted and read, of the transaction: secret.h */
    const struct rh_value *watched, *watched_should; /* is being filled in */
    double last_alive; /* when the host was last sent a sign that this goes on; 0: never */
    struct rh_pace {
        double second; /* in which so many were sent */
        unsigned sent;
        double heard; /* when the last request came */
        double until; /* that the host waits for the next sign of life */
        double end;   /* of what the resource may take, whatever is heard; 0: no limit */
        double shown; /* when how much is done was last sent */
    } pace;
    double reported; /* when the host last got what set() had reported */
    unsigned late_code;
    char *late; /* what went wrong about a job whose outcome the host has; or NULL */

    /* What get() has said, by the text of the name: see read-cache.c. */
    struct rh_arena *cache_arena;
    struct rh_map cache;
    struct rh_map otherwise;       /* the same by canonical names, as others reported it */
    struct rh_map unread;          /* names that could not be read, with the reason */
    size_t n_reported, n_examined; /* names that were reported, and how many of them were examined */
    bool cache_complete;           /* everything that exists is in it */
    const char **listed;           /* the names in it, in the order in which they were said */
    size_t n_listed, cap_listed;
    const char *repeated; /* a title that was said again; NULL: none */
};

/* read.c: fills in job->is for jobs that are not read yet; those that can't be read fail. */
void rh_read_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n);
RH_CHECKED int rh_read_open(struct rh_runtime *rt, struct rh_error *err);

/* One call of get, for these names or (NULL) for all. Failing makes the provider unavailable. */
RH_CHECKED int rh_read_get(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
                           const struct rh_value *asked, const struct rh_value *wanted, struct rh_error *err);

/* One call of load. `*is` becomes NULL when there is no such resource; `*attribute` the one at fault, or
 * NULL. */
RH_CHECKED int rh_read_load(struct rh_runtime *rt, struct rh_arena *a, const char *title,
                            const struct rh_value *name, const struct rh_value *should,
                            const struct rh_value *wanted, bool noop, struct rh_value **is,
                            const char **attribute, struct rh_error *err);

/* read-check.c: holds one reading against the type; -1 when it does not fit and that is an error. What
 * was wanted (may be NULL) says which of its values are secret. */
RH_CHECKED int rh_read_check(struct rh_runtime *rt, struct rh_arena *a, const char *title,
                             const struct rh_value *should, struct rh_value **is, struct rh_error *err);

/* A copy of a reading in the form in which it is canonicalized; NULL where that is not done. */
struct rh_value *rh_read_prepared(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *should,
                                  const struct rh_value *is);

/* read-cache.c. What is remembered by the text of a name: NULL when it is not there, or (not *known)
 * nothing is known of it; by slot of the map, to see all. */
struct rh_value *rh_read_recall(struct rh_runtime *rt, const char *key, bool *known);
struct rh_value *rh_read_recall_at(const struct rh_runtime *rt, size_t i); /* i < rt->n_listed */
void rh_read_miss(struct rh_runtime *rt, const char *key);                 /* there is none of this name */

/* Why the provider could not read a name, and the attribute at fault. */
struct rh_unread {
    const char *text, *attribute;
};

const struct rh_unread *rh_read_unread(const struct rh_runtime *rt, const char *key); /* NULL: it could */
void rh_read_confirm(struct rh_runtime *rt, const struct rh_job *job); /* what set() made true */
void rh_read_drop(struct rh_runtime *rt, const struct rh_job *job);
void rh_read_trim(struct rh_runtime *rt); /* forgets what can be read again, when it is a lot */

/* canonicalize.c: brings what is wanted, and the name, into canonical form. -1 when the provider refuses
 * it. Attributes that it leaves undef are not managed. */
RH_CHECKED int rh_canonical_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job,
                                struct rh_error *err);

/* validate.c: whether what is wanted makes sense, as the provider's validate() says; -1 when not. */
RH_CHECKED int rh_provider_validate(struct rh_runtime *rt, struct rh_arena *a,
                                    const struct rh_value *resource, struct rh_refusal *refusal,
                                    struct rh_error *err);

/* The canonical name of what was read, NULL when the provider refuses it. */
RH_CHECKED struct rh_value *rh_canonical_name(struct rh_runtime *rt, struct rh_arena *a,
                                              const struct rh_value *is, struct rh_error *err);

/* edit.c: replaces each value that is marked `!append` or `!remove` by what the current value becomes.
 * -1 when there is nothing that it could be added to or removed from: the job has failed then. */
int rh_edit_should(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* compare.c: fills in differences; true when there is something to do. Fails the job when what is
 * asked for can't be (init_only, missing attributes on creation). */
bool rh_compare_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);
bool rh_compare_attr(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job,
                     const struct rh_attr *attr, const struct rh_value *should);
/* Completes what is wanted before a provider finds out itself; false when nothing is to be done, or
 * the job failed. */
bool rh_compare_prepare(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);
bool rh_compare_replace(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* replace.c: removes a resource and creates it again. */
void rh_replace_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* write.c: has the provider do it, for jobs that differ; all are done afterwards. */
void rh_write_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n, bool noop);
/* converge providers find out and write in one */
void rh_write_converge(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* job-outcome.c: gives the outcome of a job that has a status, once. */
void rh_job_give(struct rh_runtime *rt, struct rh_job *job);

/* verify.c: reads again those that were changed and are to be verified; a change that did not hold fails. */
void rh_verify_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n);

/* generated.c: about the resource of this id and title; RH_NOBODY: one without an id, or with title NULL
 * none. */
void rh_provider_log(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title,
                     const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same with a code that is known, or 0. */
void rh_provider_log_code(struct rh_runtime *rt, enum rh_level level, uint32_t id, const char *title,
                          unsigned code, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
#define rh_provider_debug(rt, title, ...)                                                                    \
    do {                                                                                                     \
        if ((rt)->options.debug)                                                                             \
            rh_provider_log((rt), RH_DEBUG, RH_NOBODY, (title), __VA_ARGS__);                                \
    } while (0)

static inline const rhost_value *
rh_outside(const struct rh_value *v)
{
    return (const rhost_value *)(const void *)v;
}

/* pace.c: tells the host that this goes on, now and then; may be called often. */
void rh_runtime_alive(struct rh_runtime *rt);

/* The same for a step that was taken with the host's help: a short one, so the host waits no longer than
 * otherwise for the next, and is not told of the first. */
void rh_runtime_moved(struct rh_runtime *rt);

/* What was written is about to be brought to disk, and nothing can be said until it is. */
void rh_runtime_waits_for_disk(struct rh_runtime *rt);

/* What is done now may take so long, whatever the host hears; 0: no limit. */
void rh_runtime_limit(struct rh_runtime *rt, double seconds);

static inline void
rh_runtime_doing(struct rh_runtime *rt, const struct rh_job *job, const char *verb)
{
    rt->sink.doing(rt->sink.data, job ? job->want->id : RH_NOBODY, verb);
}

/* remote.c: the transport of a runtime, as the rest of this room sees it. */

/* Takes over the transport that the runtime is to use, if any, with its description. */
RH_CHECKED int rh_remote_take(struct rh_runtime *rt, const struct rh_remote *remote,
                              struct rh_value **description, struct rh_error *err);

RH_CHECKED int rh_remote_open(struct rh_runtime *rt, struct rh_error *err); /* once; then held */
void rh_remote_close(struct rh_runtime *rt);

/* What host->transport() hands out; NULL without a device. */
const void *rh_remote_api(struct rh_runtime *rt, struct rh_arena *a, const char *id);

/* expected.c: whether a resource may be changed (struct rh_expected).

 * Takes what job->is says of what is managed; false when the plan has another state: the job has failed. */
bool rh_expected_allows(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* The job differs from the desired state; false when the plan does not change it, or it is not what the run
 * has left: the job has failed. */
bool rh_expected_allows_change(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* Whether the run that is undone has left a secret there. */
bool rh_expected_is_secret(const struct rh_job *job, const char *attribute);

/* backup-read.c: reads a job as a whole. */

/* The job again, before it is read: with its parameters, and with `desired` beside them (a hash, or NULL).
 * What a provider reports does not depend on the desired state then. */
struct rh_job *rh_backup_unread(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
                                const struct rh_value *desired);

/* All that the provider reports of it, also what it reports only where that is desired, as far as `desired`
 * (a hash) has it. NULL: it is absent, or, where not *known, it cannot be read. */
const struct rh_value *rh_backup_read(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
                                      const struct rh_value *desired, bool *known);

/* A value in the form in which it is recorded: bytes that are text as text, since whether a provider reports
 * the one or the other may depend on what is desired; and sorted, where its order has no meaning. */
const struct rh_value *rh_backup_form(struct rh_arena *a, const struct rh_attr *attr,
                                      const struct rh_value *v);

/* backup.c: the state of resources before and after they are changed, for the host to keep.

 * Reads the jobs as a whole and gives that to the host, before anything is changed. Returns those that may be
 * changed, and how many they are; the others have failed. */
struct rh_job **rh_backup_before(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t *n);

/* Takes the host's answer to the states that were given ahead. */
void rh_backup_take_grant(struct rh_runtime *rt);

/* The same for one that is being converged: what was read of it for the comparison. False: it has failed. */
bool rh_backup_known(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* Whether a value of it is a secret: by its type, by a mark, or since a secret stands in it. */
bool rh_backup_is_secret(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
                         const struct rh_attr *attr, const struct rh_value *v);

/* Whether one of these states is that of this file: many resources may edit one. */
bool rh_backup_has_file(const struct rh_backup_state *states, size_t n, const char *file);

/* backup-after.c: gives the host a record of those that were changed, which are read again where that is
 * needed. What is as desired is not given: the outcome says so. */
void rh_backup_after(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n);

/* Decides that for a job whose outcome is given before the others are done. */
void rh_backup_conclude(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job);

/* backup-file.c: a file that a resource edits a part of. */

/* The path of it; NULL: it edits none, or that is not all that it does. */
const char *rh_backup_edited(const struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job);

/* Where that leads: a link to the file is followed. */
const char *rh_backup_edited_file(struct rh_arena *a, const char *path);

/* Whether something sensitive is desired of a job: what it replaces in the file may be sensitive as well. */
bool rh_backup_wants_secret(const struct rh_runtime *rt, const struct rh_job *job);

/* Its state, as the type 'file' has it; NULL: it is absent. False when it cannot be kept. `secret`: the
 * content is sensitive, whatever is in it. */
bool rh_backup_file(struct rh_runtime *rt, struct rh_arena *a, const struct rh_backup *how, const char *path,
                    enum rh_backup_stage stage, bool secret, const struct rh_value **state);

/* result.c: what a resource is after its turn, where other resources use that. */

/* What a provider emits while it changes a resource: read-only attributes that only the change knows. 0, or
 * -1 when a rule was broken. */
int32_t rh_result_emit(struct rh_call *call, const struct rh_value *resource);

/* The attributes of a job that has a status; NULL when nobody asks, or they are not known. */
const struct rh_value *rh_result_take(struct rh_runtime *rt, struct rh_job *job);

/* watch.c: attributes that somebody wants to know about, whether they are managed or not: a hash with a
 * record of each (provider/observed.h), so that nothing secret and nothing large leaves this room. */

/* What job->is says of what is watched. */
struct rh_value *rh_watch_take(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job);

/* The same after the job's change, read again. NULL when that can't be known. */
struct rh_value *rh_watch_again(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job);

#endif
