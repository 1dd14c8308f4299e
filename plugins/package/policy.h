/* SPDX-License-Identifier: Apache-2.0 */
/* policy - what apt could install: candidates and versions, of many packages in one question. */
#ifndef PACKAGE_POLICY_H
#define PACKAGE_POLICY_H

#include "words.h"

struct policy {
    const char *name;      /* as apt says it, without the machine's own architecture */
    const char *candidate; /* NULL: none */
    struct words versions; /* the newest first, as the package manager orders them */
    size_t installed;      /* which of them is installed; versions.n: none */
};

struct policies {
    struct policy *at;
    size_t n;
};

/* One call of apt-cache policy; `release` is that of `default_release`, or NULL. -1 after fail(). */
int32_t policy_query(rhost_ctx *ctx, const struct words *names, const char *release,
                     struct policies *policies);

/* Of a name or name:arch, where `native` is the machine's own architecture; NULL: unknown to apt. */
const struct policy *policy_find(const struct policies *policies, const char *name, const char *native);

/* The place of the newest version that is wanted; versions.n: there is none. */
size_t policy_choose(const struct policy *policy, const char *wants);

/* Why a name can't be installed at all, in one sentence: unknown (and what was meant), or virtual (and
 * who provides it). *names are kept for the next question. NULL after fail(). */
const char *policy_unknown(rhost_ctx *ctx, const char *name, const struct policy *policy, const char **names);

#endif
