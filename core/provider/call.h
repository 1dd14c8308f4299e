/* SPDX-License-Identifier: Apache-2.0 */
/* call - what stands behind the handle of one call into a plugin. Private to this room. */
#ifndef RH_PROVIDER_CALL_H
#define RH_PROVIDER_CALL_H

#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "provider/handle.h"
#include "provider/outcome.h"

#include <rhost/abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_call;
struct rh_job;
struct rh_runtime;
struct rh_scope;
struct rh_value;

struct rh_call {
    rhost_ctx *ctx; /* its handle, until rh_call_end() */
    struct rh_runtime *rt;
    struct rh_arena *arena; /* memory of the call */
    const char *what;       /* the callback: "get", "load", ... */
    struct rh_job **jobs;   /* the resources that this call is about */
    size_t n_jobs;
    const struct rh_value *wanted; /* a hash with the attributes that are looked at; NULL: all */
    struct rh_scope *scope;        /* innermost */
    struct rh_scope *detached;     /* that rhost.overlap/1 has open; in no order */
    uint64_t n_detached;           /* so many were opened */
    void (*definite)(struct rh_call *call, struct rh_job *job); /* the provider reported what came of a
                                                                 * job; may be NULL */
    const struct rh_value *asked; /* of get(): what the names are asked for; NULL: all are listed */
    bool noop, writing, may_emit;
    bool facts;         /* of a device: what is emitted is no resource */
    bool file_changed;  /* rhost.file/1 has changed something */
    bool file_kept;     /* a file that was to be all that changes was not replaced */
    const void *served; /* the plugin's lookup or fact that is asked for; NULL: the provider or transport */
    void **state;       /* the word that is kept for who is called */
    bool failed;
    char *message;             /* of fail(), the arena's */
    unsigned code;             /* of the message */
    const char *scope_failure; /* of fail() in a scope, should the callback return it as well */
    const char *attribute;     /* at fault, or NULL */
    const char *path;          /* into its value, as the provider wrote it, or NULL */
    size_t n_more;
    struct rh_fault *more;    /* of validate(): what it failed for besides, the last first */
    const char *last_failure; /* of the last fail(), wherever it went; or NULL */
    int32_t last_number;      /* the errno that it named, or 0 */
    bool unseen;              /* an extension has failed in a way that the provider does not see */
    const char *last_fault;   /* the attribute that it named, or NULL */
    bool passing;             /* that it failed is the system's doing, and may pass */
    char *words;              /* of explain() */
    char *broken;             /* the rule that was broken first */
    unsigned broken_code;
    bool broken_for_all;    /* some rule was broken about no resource in particular */
    struct rh_map by_title; /* of the jobs, once one was looked for among many */
};

/* A mistake that validate() found. */
struct rh_fault {
    struct rh_fault *next;
    const char *path; /* of the attribute, or NULL */
    const char *message;
};

/* One resource on its way through a batch. */
struct rh_job {
    const struct rh_want *want;
    const struct rh_value *name, *should; /* canonical */
    struct rh_value *own_should;          /* the same, once it was changed: see rh_job_own_should() */
    struct rh_value *is;                  /* NULL: absent */
    struct rh_value *was;                 /* what was read of what is watched */
    const struct rh_value *current;       /* what was read of what is managed, for a plan */
    struct rh_value *result;              /* what the provider emitted while it changed it; or NULL */
    const char *key;                      /* text of the name */
    const char *edited;                   /* the file of which a part is changed, and that is kept; or NULL */
    struct rhost_change change;           /* as the provider sees it */
    struct rh_difference *differences;
    size_t n_differences, cap_differences;
    char *reason;
    unsigned code;         /* of the reason, or 0 */
    const char *attribute; /* that it failed for, or NULL */
    uint32_t blame;        /* who a skip is due to */
    double started;
    bool is_read;
    bool whole;                  /* all of its attributes are read */
    bool backed;                 /* its state before the change was kept */
    bool as_desired;             /* see struct rh_outcome */
    bool examined;               /* it was examined before its own batch */
    bool foreseen;               /* its state was given before its own batch: */
    bool awaits;                 /* whether it was kept is not known yet */
    const struct rh_value *seen; /* what was read then; NULL: it was absent */
    bool done;                   /* has a status */
    bool definite;               /* the provider reported a status itself */
    bool logged;                 /* something was logged about it in this call */
    bool action_logged;
    bool creating;
    bool appeared;  /* it was there when it was to be created, and is read again */
    bool replacing; /* something differs that only creating it again can set */
    bool delivered; /* the host has its outcome, which stays */
    bool differs;   /* changed() found something to do */
    bool touched;   /* the provider was told to change it */
    bool stale;     /* something that it depends on was changed in this run */
    enum rh_status status;
};

/* The table that every handle leads to. */
extern const struct rhost_host rh_host_table;

/* table.c: for a check: called when the plugin asks the value that it found last, under this key, a question
 * of a kind that the value does not have. `kinds` has a bit for each enum rh_kind that could answer. */
typedef void rh_asked_fn(void *data, const char *key, const char *function, unsigned kinds);
void rh_table_watch(rh_asked_fn *fn, void *data); /* NULL: no more */

/* log-scope.c: likewise: called when a callback (`what`) has returned, or a block around it ends, and this
 * block is still open; `title` NULL: it is about several resources, or none. */
typedef void rh_left_open_fn(void *data, const char *what, const char *title);
void rh_scope_watch(rh_left_open_fn *fn, void *data); /* NULL: no more */

/* call.c: opening and ending a call. `end` returns what `rc` then means: 0 or more as it was, or -1 with
 * call->message set, whatever the plugin forgot to say. */
void rh_call_begin(struct rh_call *call, struct rh_runtime *rt, struct rh_arena *arena, const char *what,
                   struct rh_job **jobs, size_t n_jobs);
int rh_call_end(struct rh_call *call, int rc);

/* The plugin that is called: that of the provider, or of its transport. */
const struct rhost_plugin *rh_call_plugin(const struct rh_call *call);

/* Whether it is for a callback that changes resources. */
bool rh_call_changes(const struct rh_call *call);

/* A rule that the plugin broke: the call fails, whatever it returns, and the resource that it was
 * broken about; `job` may be NULL. */
void rh_call_break(struct rh_call *call, struct rh_job *job, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* job.c: says which attribute a job fails for, before it is marked failed; the first one counts, and NULL
 * says nothing. */
void rh_job_fault(struct rh_job *job, const char *attribute);

/* What a call that failed named: the attribute, the part of its value ("settings.x"), or NULL. */
const char *rh_call_fault(const struct rh_call *call);

/* A job fails of which the host has the outcome: that stays, and the batch fails. */
void rh_call_fail_late(struct rh_call *call, const struct rh_job *job, const char *text);

/* Marks a job failed, keeping the first reason; `attribute` may be NULL. Not one that was given. */
void rh_job_fail(struct rh_job *job, const char *attribute, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with the message and the code of an error; of the call that failed; or with a code that is known,
 * where 0 says that it is not. */
void rh_job_fail_error(struct rh_job *job, const char *attribute, const struct rh_error *err);
void rh_job_fail_call(struct rh_job *job, const char *attribute, const struct rh_call *call);
void rh_job_fail_code(struct rh_job *job, const char *attribute, unsigned code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Fails with the message of a call, and its code. */
int rh_call_error(const struct rh_call *call, enum rh_error_kind kind, struct rh_error *err);

/* How many bytes a value takes, about. */
size_t rh_job_value_size(const struct rh_value *v);

/* Whether a change of this attribute is nobody's to see: its type says so, either side is marked, or
 * what is wanted of it is. */
bool rh_job_hides(const struct rh_runtime *rt, const struct rh_job *job, const char *attribute,
                  const struct rh_value *from, const struct rh_value *to);

/* Notes a difference; values are copied, without what is sensitive. */
void rh_job_differs(struct rh_runtime *rt, struct rh_job *job, const char *attribute,
                    const struct rh_value *from, const struct rh_value *to, bool unknown,
                    const char *message);

/* Whether it is wanted that the resource is absent. */
bool rh_job_wants_gone(const struct rh_runtime *rt, const struct rh_job *job);

/* The change as the provider sees it, of what is known now. */
void rh_job_change(struct rh_job *job);

/* The attributes that are looked at: what is wanted, and what is watched beside it. */
const struct rh_value *rh_job_wanted(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job);

/* job->should for changing it: a copy of the caller's, made once. NULL when there is none. */
struct rh_value *rh_job_own_should(struct rh_arena *a, struct rh_job *job);

/* scope: the logging context's blocks, as the rest of this room sees them. */

/* A block for one job that is in none, and around none: others may be ended before it. `end` returns false
 * when it is not open; `failure` NULL: it was done. */
uint64_t rh_scope_detach(struct rh_call *call, struct rh_job *job, int32_t doing, const char *message);
bool rh_scope_end_detached(struct rh_call *call, uint64_t number, const char *failure);

/* Gives a failure to the innermost scope; false when none is open. */
bool rh_scope_fail(struct rh_call *call, const char *attribute, const char *text);

/* Returns `rc`, which a callback has returned that handles one resource. One of ours that has failed returns
 * -1: guarded builds (base/guarded.h) end here when it returns something else. The host takes it for failed
 * in any case. */
int rh_call_agree(const struct rh_call *call, int rc);

/* Opens a scope for one job on the provider's behalf, and ends it. */
uint64_t rh_scope_open(struct rh_call *call, struct rh_job *job, int doing);
void rh_scope_close(struct rh_call *call, uint64_t scope);
void rh_scope_drop(struct rh_call *call, uint64_t scope); /* as if it had not been opened */

/* The job of this title in the call; of title NULL the only one of the innermost scope, or of the call. NULL
 * when there is none: a title that is not of the call breaks a rule. */
struct rh_job *rh_scope_job(struct rh_call *call, const char *title);

/* Ends what the plugin left open, which it is told about. */
void rh_scope_end_all(struct rh_call *call);

/* call.c: the text of a failure as plugins give it, in memory of the call. */
char *rh_call_failure_text(struct rh_call *call, int32_t number, const char *attribute, const char *message);

/* read-cache.c */
int32_t rh_read_emit(struct rh_call *call, const struct rh_value *resource);
void rh_read_fail(struct rh_call *call, const struct rh_value *name, const char *attribute, const char *text);

/* write.c */
int32_t rh_write_changed(struct rh_call *call, struct rh_job *job, const char *const *attributes, size_t n);

/* table.c: the entries of the host's table that need the call they are made in. Each is documented
 * at its slot in <rhost/abi.h>. */

/* call.c: a rule for building values was broken: the call fails at its end. */
void rh_call_misused(const char *how);

/* answer.c */
int32_t rh_table_emit(rhost_ctx *ctx, const rhost_value *resource);
int32_t rh_table_changed(rhost_ctx *ctx, const struct rhost_change *change, const char *const *attributes,
                         size_t n);
int32_t rh_table_noop(rhost_ctx *ctx);
int32_t rh_table_wants(rhost_ctx *ctx, const char *attribute);
void **rh_table_state(rhost_ctx *ctx);
void *rh_table_alloc(rhost_ctx *ctx, size_t n);
const void *rh_table_transport(rhost_ctx *ctx, const char *id);
const void *rh_table_extension(rhost_ctx *ctx, const char *id);
const rhost_value *rh_table_asked(rhost_ctx *ctx);
int32_t rh_table_fail_name(rhost_ctx *ctx, const rhost_value *name, int32_t number, const char *attribute,
                           const char *message);

/* progress.c */
void rh_table_busy(rhost_ctx *ctx, double seconds, const char *text);
void rh_table_progress(rhost_ctx *ctx, const char *title, uint64_t done, uint64_t total, const char *unit);

/* A line of what a command prints, for who watches. */
void rh_call_show_output(rhost_ctx *ctx, const char *line, size_t n);
int32_t rh_table_stopping(rhost_ctx *ctx);
double rh_table_deadline(rhost_ctx *ctx);

/* call.c */
int32_t rh_table_explain(rhost_ctx *ctx, const char *message);
int32_t rh_table_fail(rhost_ctx *ctx, int32_t number, const char *attribute, const char *message);

/* log-scope.c */
void rh_table_log(rhost_ctx *ctx, int32_t level, const char *const *titles, size_t n, const char *message);
uint64_t rh_table_scope_begin(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                              const rhost_value *is, const rhost_value *should, const char *message);
void rh_table_scope_end(rhost_ctx *ctx, uint64_t scope);
int32_t rh_table_did(rhost_ctx *ctx, int32_t doing, const char *const *titles, size_t n,
                     const rhost_value *is, const rhost_value *should, const char *message);
int32_t rh_table_unchanged(rhost_ctx *ctx, const char *title, const char *message);
int32_t rh_table_attribute_changed(rhost_ctx *ctx, const char *title, const char *attribute,
                                   const rhost_value *is, const rhost_value *should, const char *message);

#endif
