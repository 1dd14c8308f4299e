/* SPDX-License-Identifier: Apache-2.0 */
/* kinds - questions to values that their attributes can never answer. Private to this room. */
#ifndef RH_CHECK_KINDS_H
#define RH_CHECK_KINDS_H

struct rh_checker;

/* Watches what the plugin asks from now on. */
void rh_kinds_watch(struct rh_checker *c);

/* Ends it; the first wrong question as a text of the arena, or NULL. */
const char *rh_kinds_end(struct rh_checker *c);

#endif
