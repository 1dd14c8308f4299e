/* SPDX-License-Identifier: Apache-2.0 */
/* pool - the workers of a transaction: one for each provider, started when first asked for. */
#ifndef RH_RUN_POOL_H
#define RH_RUN_POOL_H

#include "base/cleanup.h"
#include "base/secrets.h"
#include "plugin/worker.h"

struct rh_catalog;
struct rh_complaints;
struct rh_error;
struct rh_log_record;

struct rh_pool {
    struct rh_worker_options options;
    struct rh_pool_slot *v;
    size_t n, cap;
    const struct rh_type **expected; /* whose processes were started before the manifest was read */
    size_t n_expected, cap_expected;
    struct rh_worker **leaving; /* were sent away, and may still be busy going */
    size_t n_leaving, cap_leaving;
    char **warnings; /* by providers while they validated: "file: it is ..." */
    size_t n_warnings, cap_warnings;
    struct rh_secrets secrets; /* of all resources, so that no provider tells those of another */
};

/* The pool must stay where it is. */
void rh_pool_init(struct rh_pool *p, const struct rh_worker_options *options);

/* From now on workers are confined to what their providers declare, for the resources that the catalog has
 * when they start. */
void rh_pool_confine(struct rh_pool *p, const struct rh_catalog *c);
struct rh_worker *rh_pool_worker(struct rh_pool *p, const struct rh_type *type);

/* Has its process start, for a worker that is going to be needed. */
void rh_pool_get_up(struct rh_pool *p, const struct rh_type *type);

/* Something that can change any provider's world has run: all but `who` forget what they read. */
void rh_pool_forget(struct rh_pool *p, const struct rh_type *who);

/* Starts a provider again that died, or was ended since it took too long. */
void rh_pool_renew(struct rh_pool *p, const struct rh_type *type);

/* Ends the worker of a type, and nobody waits for it: the next question starts another one. */
void rh_pool_send_away(struct rh_pool *p, const struct rh_type *type);

/* How well a provider suits this machine, and why not when it is 0: then it goes. */
RH_CHECKED int rh_pool_suits(struct rh_pool *p, const struct rh_type *type, struct rh_error *why);

/* All at once; `dismiss` before it lets them close while something else is done. */
void rh_pool_dismiss(struct rh_pool *p);
void rh_pool_stop(struct rh_pool *p);

/* Prints what a provider says while it validates, and notes it. */
void rh_pool_warn(struct rh_pool *p, const struct rh_log_record *record);

/* Whether the terminal has this line already: a provider that canonicalizes again warns again. */
bool rh_pool_has_warned(const struct rh_pool *p, const struct rh_log_record *record);

/* validate.c: has the providers canonicalize and validate all resources before the first one is applied: what
 * they refuse is a mistake of the manifest, at its place. Brings the names into canonical form, so that two
 * ways of writing one name are seen to be one (S56, I25). A provider that can't say before something has run
 * is asked when its resources are applied. */
void rh_pool_validate(struct rh_pool *p, struct rh_catalog *c, struct rh_complaints *complaints);

/* spelling.c: after it, the providers bring the titles into canonical form that relations name and nothing in
 * the catalog has, so that 'require: file[/a//b]' finds '/a/b'. */
void rh_pool_canonicalize_relations(struct rh_pool *p, struct rh_catalog *c);

#endif
