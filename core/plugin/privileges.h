/* SPDX-License-Identifier: Apache-2.0 */
/* privileges - what the process of a provider may do in this run: what its type declares (schema/need.h), for
 * the resources that it is going to get. The host makes the list before it starts the process, the process
 * confines itself to it before it loads the plugin (confined.h). docs/security/confinement.md has how the
 * kinds of needs are enforced. */
#ifndef RH_PLUGIN_PRIVILEGES_H
#define RH_PLUGIN_PRIVILEGES_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines of the list, besides those of needs: whose private data the process reaches, where they are to be
 * written and where they are only read. */
#define RH_PRIVILEGE_KEEPS "keeps"
#define RH_PRIVILEGE_KEPT "kept"

struct rh_buf;
struct rh_privileges;
struct rh_provider_policy;
struct rh_type;
struct rh_value;

/* Of a provider's shared object at this path, which it has to read. What `policy` (or NULL; it outlives the
 * list) denies is left out. */
struct rh_privileges *rh_privileges_new(const char *plugin, const struct rh_provider_policy *policy);
void rh_privileges_free(struct rh_privileges *p); /* NULL is fine */

/* What providers keep in the state directory may be written too; to be called before anything is added. */
void rh_privileges_may_keep(struct rh_privileges *p);

/* Adds what a resource of this name and these desired values (either may be NULL) takes. A type that declares
 * nothing makes the list unlimited. Without a name and desired values: what listing takes, which alone gets
 * the homes of all users ("~*" for a user). */
void rh_privileges_add(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                       const struct rh_value *should);

/* The same of a lookup, a fact or a transport, which keeps nothing in the state directory: what it needs with
 * these parameters, or with this connection info. */
void rh_privileges_add_question(struct rh_privileges *p, const struct rh_type *t,
                                const struct rh_value *parameters);

/* Whether the list has all that such a resource takes, and nothing of it was missing when it was added that
 * is there now: a process that was confined to the list before that may not use it. */
bool rh_privileges_suffice(const struct rh_privileges *p, const struct rh_type *t,
                           const struct rh_value *name, const struct rh_value *should);

/* Adds the same of a resource whose values outlive the list, and which can be tried again with another list:
 * where the paths of many in one directory are symbolic links, it may lack where these lead, unless it is
 * exact. */
void rh_privileges_be_exact(struct rh_privileges *p);
void rh_privileges_add_lasting(struct rh_privileges *p, const struct rh_type *t, const struct rh_value *name,
                               const struct rh_value *should);

/* True only where these very values were added that way, and nothing was missing: then the list has all that
 * such a resource takes. Quick for those that are asked for in the order in which they were added. */
bool rh_privileges_have_added(struct rh_privileges *p, const struct rh_value *should);

/* False: the process is not confined. */
bool rh_privileges_are_limited(const struct rh_privileges *p);

static inline void
rh_cleanup_privileges(struct rh_privileges **p)
{
    rh_privileges_free(*p);
}
#define rh_autoprivileges __attribute__((cleanup(rh_cleanup_privileges)))

/* The list for rh_confined_apply(): lines "kind value", each with a NUL behind it. */
const struct rh_buf *rh_privileges_text(const struct rh_privileges *p);

#endif
