/* SPDX-License-Identifier: Apache-2.0 */
/* plan - a dry run that is kept in a file: reviewed, and then applied exactly, or refused.
 *
 * Nothing that is applied comes from the file. To apply a plan, it is made again from the manifests that it
 * names, and both are compared; what a secret is stands in a plan as a digest, which only the key in the
 * state directory can make. Format: docs/guides/plan.md. */
#ifndef RH_RUN_PLAN_H
#define RH_RUN_PLAN_H

#include "base/cleanup.h"
#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_buf;
struct rh_catalog;
struct rh_error;
struct rh_expected;
struct rh_planning;
struct rh_sources;
struct rh_value;

enum { RH_PLAN_FORMAT = 1, RH_PLAN_DIGEST = 65 /* digits and a NUL */ };

/* plan-key.c: keyed digests. */

struct rh_plan_key {
    char hex[RH_PLAN_DIGEST];
};

/* The key of this state directory, `plan-key.json`, which is made when it is missing. */
RH_CHECKED int rh_plan_key_open(const char *state_dir, struct rh_plan_key *key, struct rh_error *err);

/* The same, where none is made: -1 also without an error, when there is none. */
RH_CHECKED int rh_plan_key_read(const char *state_dir, struct rh_plan_key *key, struct rh_error *err);

void rh_plan_digest(const struct rh_plan_key *key, const void *p, size_t n, char digest[RH_PLAN_DIGEST]);

/* Of a value, with what is sensitive in it; and of a file. */
void rh_plan_digest_value(const struct rh_plan_key *key, const struct rh_value *v,
                          char digest[RH_PLAN_DIGEST]);
RH_CHECKED int rh_plan_digest_file(const struct rh_plan_key *key, int fd, char digest[RH_PLAN_DIGEST]);

/* planning.c: what a dry run would do, recorded as a plan has it, and what a run that applies the plan may
 * do.
 */

struct rh_planning *rh_planning_new(const struct rh_plan_key *key, const struct rh_catalog *c,
                                    const struct rh_sources *sources);
void rh_planning_free(struct rh_planning *p);
struct rh_reporter rh_planning_reporter(struct rh_planning *p); /* of the dry run */

/* The dry run is done; from now on it says what may be done, to a catalog that must be the same. -1: it is
 * another one. */
RH_CHECKED int rh_planning_apply_to(struct rh_planning *p, const struct rh_catalog *c, struct rh_error *err);

/* What a resource at its turn is held against; with `disturbed` its state may be any. */
const struct rh_expected *rh_planning_want(const struct rh_planning *p, uint32_t entry, bool disturbed);

/* Whether this may be purged. */
bool rh_planning_purges(const struct rh_planning *p, const char *type, const char *title);

/* The plan as JSON: the members of `head` (a hash), the resources, and the digest of all. */
void rh_planning_write(const struct rh_planning *p, const struct rh_value *head, struct rh_buf *json);

/* How many resources would change or be refreshed. */
size_t rh_planning_changes(const struct rh_planning *p);

/* plan-file.c: plans as they are found. */

struct rh_plan {
    struct rh_arena *arena;
    char *text;
    size_t n;
    const struct rh_value *v; /* members are of the kinds that docs/guides/plan.md says */
};

/* Whether it is a regular file that begins as a plan does. Nothing else is opened. */
bool rh_plan_is(const char *path);

RH_CHECKED int rh_plan_read(const char *path, struct rh_plan *plan, struct rh_error *err);
RH_CHECKED int rh_plan_parse(const char *text, size_t n, struct rh_plan *plan, struct rh_error *err);
void rh_plan_clear(struct rh_plan *plan);

/* Whether it is as it was written by who has this key. */
bool rh_plan_is_genuine(const struct rh_plan *plan, const struct rh_plan_key *key);

const char *rh_plan_digest_of(const struct rh_plan *plan);

/* plan-compare.c: what differs between a plan and the one that was made now, in the words of an operator, a
 * line each, the first ten; returns how many there are. */
size_t rh_plan_compare(const struct rh_plan *plan, const struct rh_plan *now, struct rh_buf *lines);

/* plan-markdown.c: a page for a review: a table, and what changes in each resource. */
void rh_plan_markdown(const struct rh_plan *plan, struct rh_buf *page);

/* Its resources by status: "3 would change, 1 ok". */
void rh_plan_add_counts(const struct rh_plan *plan, struct rh_buf *b);

#endif
