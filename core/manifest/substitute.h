/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - `${name}` in the values of a definition: what its parameters are for an instance. */
#ifndef RH_MANIFEST_SUBSTITUTE_H
#define RH_MANIFEST_SUBSTITUTE_H

struct rh_load;
struct rh_value;

/* Replaces `${...}` in any text within `v`, in place, by what load->scope has (NULL: nothing), and
 * makes `$${` what it stands for. A value that is exactly one `${...}` keeps its type; in mixed text
 * it becomes text, which undef, lists and hashes can't. What comes out is not looked at again.
 * Complains, and returns -1, where a name is not known. */
int rh_substitute(struct rh_load *load, struct rh_value *v);

#endif
