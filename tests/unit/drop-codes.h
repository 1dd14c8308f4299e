/* SPDX-License-Identifier: Apache-2.0 */
/* drop-codes - printed messages without their codes, " [RH1001]" at the end of a line. */
#ifndef TESTS_UNIT_DROP_CODES_H
#define TESTS_UNIT_DROP_CODES_H

#include <string.h>

static inline void
drop_codes(char *text)
{
    for (char *at = text; (at = strstr(at, " [RH"));)
        if (strlen(at) > 8 && at[8] == ']' && (at[9] == '\n' || !at[9]))
            memmove(at, at + 9, strlen(at + 9) + 1);
        else
            at++;
}

#endif
