/* SPDX-License-Identifier: Apache-2.0 */
/* semver - versions as semver.org has them, and ranges as node-semver writes them. */
#ifndef RH_DATATYPE_SEMVER_H
#define RH_DATATYPE_SEMVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;

struct rh_semver {
    int64_t number[3];
    const char *pre; /* "rc.1" without its '-'; not NUL-terminated */
    size_t pre_n;    /* 0: a release */
};

/* One interval; a range with "||" in it has several. */
struct rh_semver_span {
    struct rh_semver min, max;
    bool above, below; /* without `min`, without `max` */
    bool open;         /* no upper bound: `max` says nothing */
    bool pres;         /* everything, so also every prerelease */
};

struct rh_semver_range {
    const char *text; /* as written */
    const struct rh_semver_span *spans;
    size_t count;
};

/* "1.2.3-rc.1+build". false when it isn't a version; `v` points into `s`. */
bool rh_semver_parse(const char *s, size_t n, struct rh_semver *v);

/* "1.x", ">=1.2 <2", "~1.2", "^0.3", "1.0 - 2.0", alternatives by "||". `s` must outlive it. */
bool rh_semver_range_parse(struct rh_arena *a, const char *s, struct rh_semver_range *r);
bool rh_semver_range_has(const struct rh_semver_range *r, const struct rh_semver *v);
bool rh_semver_range_covers(const struct rh_semver_range *outer, const struct rh_semver_range *inner);

#endif
