/* SPDX-License-Identifier: Apache-2.0 */
/* purge - which resources may stay although no manifest has them, and how many may go. */
#include "config.h"

#include "catalog/purge.h"

#include "datatype/regex.h"

#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

bool
rh_purge_is_title(const struct rh_purge *p, size_t i)
{
    return !p->keep[i].regex && !strpbrk(p->keep[i].text, "*?[");
}

enum rh_kept
rh_purge_keeps(const struct rh_purge *p, const char *title)
{
    for (size_t i = 0; i < p->n_keep; i++) {
        const struct rh_keep *k = &p->keep[i];

        if (k->regex) {
            enum rh_regex_result found = rh_regex_match(k->regex, title, strlen(title));

            if (found != RH_REGEX_NO)
                return found == RH_REGEX_YES ? RH_KEPT : RH_KEPT_UNDECIDED;
        } else if (strcmp(k->text, title) == 0 || fnmatch(k->text, title, 0) == 0) {
            return RH_KEPT;
        }
    }
    return RH_KEPT_NOT;
}

size_t
rh_purge_most(const struct rh_purge *p, size_t there)
{
    if (!p->limited)
        return SIZE_MAX;
    if (p->percent) /* without overflow, and rounded down: 10% of 9 is none */
        return there / 100 * (size_t)p->limit + there % 100 * (size_t)p->limit / 100;
    return (size_t)p->limit;
}
