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

static enum rh_kept
keeps(const struct rh_keep *k, const char *title)
{
    if (k->regex) {
        enum rh_regex_result found = rh_regex_match(k->regex, title, strlen(title));

        return found == RH_REGEX_YES ? RH_KEPT : found == RH_REGEX_NO ? RH_KEPT_NOT : RH_KEPT_UNDECIDED;
    }
    return strcmp(k->text, title) == 0 || fnmatch(k->text, title, 0) == 0 ? RH_KEPT : RH_KEPT_NOT;
}

enum rh_kept
rh_purge_keeps(const struct rh_purge *p, const char *title, const char *name)
{
    bool same = strcmp(title, name) == 0;

    for (size_t i = 0; i < p->n_keep; i++) {
        enum rh_kept kept = keeps(&p->keep[i], title);

        if (kept == RH_KEPT_NOT && !same)
            kept = keeps(&p->keep[i], name);
        if (kept != RH_KEPT_NOT)
            return kept;
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
