/* SPDX-License-Identifier: Apache-2.0 */
/* runtime - one provider in one transaction: the only code that calls into a plugin.
 *
 * It reads as late and as seldom as the specification allows, compares, has the provider make only
 * the differences true, and reports what happened after it has happened. The same runtime serves a
 * worker process and the inline mode. */
#ifndef RH_PROVIDER_RUNTIME_H
#define RH_PROVIDER_RUNTIME_H

#include "base/cleanup.h"

#include "provider/outcome.h"

#include <rhost/abi.h>

struct rh_arena;
struct rh_error;
struct rh_exec_watch;
struct rh_runtime;
struct rh_type;
struct rh_value;
struct rhost_command;
struct rhost_output;

/* Runs a command of a provider, as rh_exec_run() does. */
typedef int32_t rh_exec_fn(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
                           const struct rh_exec_watch *watch, bool *stopped);

/* How the device is reached that the provider manages. */
struct rh_remote {
    const struct rhost_plugin *plugin; /* NULL: there is none */
    const char *name;
    const struct rh_value *info;
    bool facts_only; /* no provider, only the transport: for its facts */
};

struct rh_runtime_options {
    enum rh_strict strict;
    bool debug; /* whether debug messages are worth making */
    struct rh_remote remote;
    bool tail;           /* what commands print is shown while they run */
    bool notices;        /* and notices of what the host reports anyway */
    bool noop;           /* a dry run of everything */
    bool diff;           /* whether whole texts are wanted in differences */
    unsigned time_limit; /* seconds that the host waits without a sign of life; 0: forever */
    bool source;         /* no provider: the plugin's lookups and facts */
    rh_exec_fn *exec;    /* instead of rh_exec_run(); NULL: that */
    bool sole; /* nobody chose it, for it is the only one: it is asked whether it suits when opened */
};

/* The provider of this type and name out of a loaded plugin, with the data types that the plugin
 * brings (or NULL). NULL with the reason. */
RH_CHECKED struct rh_runtime *rh_runtime_new(const struct rhost_plugin *plugin, const struct rh_value *types,
                                             const char *type, const char *provider,
                                             const struct rh_runtime_options *options,
                                             const struct rh_sink *sink, struct rh_error *err);
void rh_runtime_free(struct rh_runtime *rt); /* closes the provider if it was opened */

const struct rh_type *rh_runtime_type(const struct rh_runtime *rt);
const struct rh_value *rh_runtime_description(const struct rh_runtime *rt);

/* Brings resources to their wanted state, in order; one outcome each goes to the sink. Wants, and
 * what they point to, live in `a`, which is the batch's (or this part's of it). */
void rh_runtime_converge(struct rh_runtime *rt, struct rh_arena *a, const struct rh_want *wants, size_t n);

/* After the last part of a batch: what it replaced is brought to disk, all at once. -1 when that can't
 * be promised. */
RH_CHECKED int rh_runtime_sync(struct rh_runtime *rt, struct rh_error *err);

/* Reads: all resources when `names` is NULL, else those of the array of name hashes, each of which
 * comes back once, absent ones as a hash of the name with `ensure: absent` where the type has
 * ensure and nothing otherwise. Each goes to sink->item. */
RH_CHECKED int rh_runtime_read(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
                               struct rh_error *err);

/* A title that get() has emitted again since what it read was last forgotten; NULL: none. */
const char *rh_runtime_repeated(const struct rh_runtime *rt);

/* All resources, as far as they are known from what was read and changed before. */
RH_CHECKED int rh_runtime_list(struct rh_runtime *rt, struct rh_arena *a, struct rh_error *err);

/* What the device says of itself: one hash for sink->item. */
RH_CHECKED int rh_runtime_facts(struct rh_runtime *rt, struct rh_arena *a, struct rh_error *err);

/* The answer of a lookup, or a fact: {value: ...} for sink->item, or nothing where there is none. For a
 * runtime with the option `source`. */
RH_CHECKED int rh_runtime_lookup(struct rh_runtime *rt, struct rh_arena *a, const char *name, bool fact,
                                 const struct rh_value *parameters, struct rh_error *err);

/* Brings one resource's attributes into canonical form, in place. -1: the provider refuses it (RH_EINPUT,
 * and *attribute is the one at fault, or NULL), broke a rule (RH_EPROVIDER), or the system kept it from
 * finding out (RH_ESYSTEM). `attribute` may be NULL. */
RH_CHECKED int rh_runtime_canonicalize(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *resource,
                                       const char **attribute, struct rh_error *err);

/* Why a resource is refused, beside the first reason. */
struct rh_refusal {
    struct rh_refusal *next; /* further ones */
    const char *path;        /* the attribute at fault, or the part of its value: "settings.x"; or NULL */
    const char *message;     /* of further ones */
    const char *attribute;   /* of the first one: the attribute alone, or NULL */
};

/* The same before the run, when earlier resources have not brought about yet what the provider may need:
 * what the only provider of a type refuses while it does not suit the machine may pass (RH_ESYSTEM). With
 * `whole`, which is false of a name alone, the provider's validate() sees it as well. `*fixed`, which may
 * be NULL: nothing that happens in the run can change the result (RHOST_PURE_CANONICALIZE). */
RH_CHECKED int rh_runtime_validate(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *resource,
                                   bool whole, bool *fixed, struct rh_refusal *refusal, struct rh_error *err);

/* The resources that are going to be passed to rh_runtime_validate(), as an array; NULL: there are no more.
 */
void rh_runtime_upcoming(struct rh_runtime *rt, const struct rh_value *resources);

/* How well the provider fits this machine: 0 and the reason, or more. It may only look: what writes
 * is refused, as under noop. */
RH_CHECKED int rh_runtime_suits(struct rh_runtime *rt, struct rh_error *err);

/* The host hears something now, or has asked something, and waits for the next for as long as ever. */
void rh_runtime_heard(struct rh_runtime *rt);

/* Forgets what was read: something has changed the world. */
void rh_runtime_forget(struct rh_runtime *rt);

#endif
