/* SPDX-License-Identifier: Apache-2.0 */
/* claim - what a resource of a type determines, and under which conditions. */
#include "config.h"

#include "schema/claim.h"

#include "base/arena.h"
#include "base/error.h"
#include "schema/condition.h"

#include <string.h>

static const char owns[] = "owns ", edits[] = "edits ";

static bool
begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

bool
rh_is_claim(const char *text)
{
    return text && (begins(text, owns) || begins(text, edits));
}

static int
read_conditions(struct rh_arena *a, const struct rh_type *t, const char *s, const char *whole,
                struct rh_claim *c, struct rh_error *err)
{
    switch (rh_conditions_read(a, t, s, &c->conditions, &c->n_conditions)) {
    case RH_CONDITION_SHAPE:
        return rh_error_set(err, RH_EINPUT, "invalid claim '%s': expected ' if $attribute' after ']'", whole);
    case RH_CONDITION_ATTRIBUTE:
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the claim '%s'", whole);
    default:
        return 0;
    }
}

int
rh_claim_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_claim *c,
              struct rh_error *err)
{
    const char *subject = strchr(text, ' ') + 1, *close = strchr(text, ']');

    *c = (struct rh_claim){ .text = subject, .owns = begins(text, owns) };
    if (!close)
        return rh_error_set(err, RH_EINPUT, "invalid claim '%s': expected 'owns path[$attribute]'", text);
    if (rh_auto_subject_read(a, t, rh_arena_strndup(a, subject, (size_t)(close + 1 - subject)), text,
                             &c->what, err)
        < 0)
        return -1;
    return read_conditions(a, t, close + 1, text, c, err);
}

void
rh_claim_titles(const struct rh_claim *c, const struct rh_value *name, const struct rh_value *should,
                rh_title_fn *fn, void *data)
{
    if (!rh_conditions_match(c->conditions, c->n_conditions, name, should))
        return;
    rh_auto_relation_titles(&c->what, name, should, fn, data);
}
