/* SPDX-License-Identifier: Apache-2.0 */
/* datatype-fixture - data types in an arena for each test. */
#ifndef TESTS_UNIT_DATATYPE_FIXTURE_H
#define TESTS_UNIT_DATATYPE_FIXTURE_H

#include "arena-fixture.h"

#include "base/error.h"
#include "datatype/datatype.h"

/* Which must be one. */
static inline const struct rh_datatype *
type(const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_datatype *t = rh_datatype_parse(arena, NULL, text, &err);

    if (!t)
        fail_msg("%s: %s", text, err.message);
    return t;
}

#endif
