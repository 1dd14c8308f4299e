/* SPDX-License-Identifier: Apache-2.0 */
/* named - the rules that have a name: their comment. */
#ifndef UFW_NAMED_H
#define UFW_NAMED_H

#include "tuples.h"

/* The rules of one name. */
struct named {
    const struct tuple *v4, *v6; /* NULL: there is none */
    const struct tuple *coming;  /* the one that a change that was cut off has left; NULL: none */
    int several;                 /* more than one rule has the comment */
};

struct named named_find(rhost_ctx *ctx, const struct tuples *tuples, const char *name);

/* Either of them, or NULL. */
const struct tuple *named_any(const struct named *named);

/* Whether ufw has the rule for both protocols, or needs not. One of them must be there. */
int named_is_whole(const struct tuples *tuples, const struct named *named);

/* What the rule that takes the place of the one that has the name is called until that is gone; and the name
 * of a rule that is called so, or the comment as it is. */
const char *named_coming(rhost_ctx *ctx, const char *name);
const char *named_base(rhost_ctx *ctx, const char *comment);

#endif
