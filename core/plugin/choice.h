/* SPDX-License-Identifier: Apache-2.0 */
/* choice - which of several providers serves a type.
 *
 * The one that suits this machine best; of equals, the first by name. They must agree about what
 * they share: a manifest's attributes are read before anybody knows who will serve them elsewhere. */
#ifndef RH_PLUGIN_CHOICE_H
#define RH_PLUGIN_CHOICE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_error;
struct rh_type;

struct rh_candidate {
    const struct rh_type *type;
    int how_well;    /* 0: not at all */
    const char *why; /* not; or NULL */
    bool asked;
};

/* How well a provider suits, asked of itself: 0 with the reason, or more. */
typedef int rh_suits_fn(void *data, const struct rh_type *t, struct rh_error *why);

/* That one of several is going to be asked this: they get ready beside each other. */
typedef void rh_suits_soon_fn(void *data, const struct rh_type *t);

/* The one to take, of candidates in the order of their names; NULL with every provider's reason when
 * none suits. */
RH_CHECKED const struct rh_candidate *rh_choice_make(const struct rh_candidate *const *list, size_t n,
                                                     struct rh_error *err);

/* Whether two providers of one type disagree about an attribute that both have; `what` then says
 * how: "the attribute 'size' is Integer in one and String in the other". */
bool rh_choice_conflict(const struct rh_type *a, const struct rh_type *b, struct rh_buf *what);

#endif
