/* SPDX-License-Identifier: Apache-2.0 */
/* assignable - whether every value of one type fits another type. */
#ifndef RH_DATATYPE_ASSIGNABLE_H
#define RH_DATATYPE_ASSIGNABLE_H

#include <stdbool.h>

struct rh_datatype;

bool rh_assignable(const struct rh_datatype *to, const struct rh_datatype *from);

#endif
