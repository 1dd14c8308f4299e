/* SPDX-License-Identifier: Apache-2.0 */
/* secret-value - values that are nobody's secret, but may repeat one. */
#ifndef RH_BASE_SECRET_VALUE_H
#define RH_BASE_SECRET_VALUE_H

#include <stdbool.h>

struct rh_arena;
struct rh_secrets;
struct rh_value;

/* Whether a text, a number or a key in it has a secret within. */
bool rh_secret_value_has(struct rh_secrets *s, const struct rh_value *v);

/* The value without secrets: itself where there are none, else a copy with [redacted] in the texts. */
const struct rh_value *rh_secret_value_hide(struct rh_secrets *s, struct rh_arena *a,
                                            const struct rh_value *v);

#endif
