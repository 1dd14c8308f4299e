/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-lookup.h - lookups and facts of a plugin in its own tests, beside rhost/fake-host.h. */
#ifndef RHOST_FAKE_LOOKUP_H
#define RHOST_FAKE_LOOKUP_H

#include <rhost/fake-host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The lookup or fact of this name; NULL when there is none. Its answer goes to rhost_fake_hash(). */
RHOST_UNUSED static inline const struct rhost_lookup *
rhost_fake_lookup(const struct rhost_plugin *plugin, const char *name)
{
    const struct rhost_lookup *const *l = plugin->lookups;

    while (l && *l && strcmp((*l)->name, name) != 0)
        l++;
    return l ? *l : NULL;
}

RHOST_UNUSED static inline const struct rhost_fact *
rhost_fake_fact(const struct rhost_plugin *plugin, const char *name)
{
    const struct rhost_fact *const *f = plugin->facts;

    while (f && *f && strcmp((*f)->name, name) != 0)
        f++;
    return f ? *f : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
