/* SPDX-License-Identifier: Apache-2.0 */
/* policy - what the operator lets providers do: which plugins are used, whether a provider must declare its
 * needs, and which needs of a provider are denied. cli/provider-policy.h reads it from a file. */
#ifndef RH_PLUGIN_POLICY_H
#define RH_PLUGIN_POLICY_H

#include "base/cleanup.h"
#include "schema/type.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

/* Providers that declare no needs. */
enum rh_undeclared { RH_UNDECLARED_ALLOW, RH_UNDECLARED_WARN, RH_UNDECLARED_REFUSE };

/* Needs of a kind that a provider does not get. */
struct rh_denial {
    const char *provider; /* "apt", "package" or "package/apt"; "*": each */
    enum rh_need_kind kind;
    const char *value; /* a path with all below it, a program and so on; NULL: all of the kind */
};

struct rh_provider_policy {
    const char *path; /* of the file, for messages */
    enum rh_undeclared undeclared;
    const char *const *plugins; /* names of plugins that are used, "acme-*", or directories; NULL: all are */
    size_t n_plugins;
    const struct rh_denial *denials;
    size_t n_denials;
};

/* Each may be given NULL for the policy: there is none. */

/* Whether the plugin with this file may be used. Those of rhost itself always may. */
bool rh_policy_has_plugin(const struct rh_provider_policy *p, const char *path);

/* Who declares no needs: "provider 'apt' of the type 'package'", "lookup 'vault' of plugin 'safe'"; the
 * caller's. NULL: all is declared. */
char *rh_policy_undeclared(const struct rh_type *t);

/* Whether a provider, a transport, or the lookups and facts of a plugin may be used: -1 with the reason where
 * not. */
RH_CHECKED int rh_policy_check(const struct rh_provider_policy *p, const struct rh_type *t,
                               struct rh_error *err);

/* Whether something is denied to this provider, or to one of these lookups, so that the process is confined
 * in any case. */
bool rh_policy_denies_some(const struct rh_provider_policy *p, const struct rh_type *t);

/* Whether this is denied to it: a need, or a path that it would be granted for one. A path is denied where it
 * is, where it is below a denied one, and where it has a denied one below it: the kernel grants directories
 * whole. */
bool rh_policy_denies(const struct rh_provider_policy *p, const struct rh_type *t, enum rh_need_kind kind,
                      const char *value);

#endif
