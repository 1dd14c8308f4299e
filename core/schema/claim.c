/* SPDX-License-Identifier: Apache-2.0 */
/* claim - what a resource of a type determines, and under which conditions. */
#include "config.h"

#include "schema/claim.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"

#include <string.h>

enum { MOST_CONDITIONS = 8 };

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

/* "if $content unless $follow" */
static int
read_conditions(struct rh_arena *a, const struct rh_type *t, const char *s, const char *whole,
                struct rh_claim *c, struct rh_error *err)
{
    c->conditions = *s ? rh_arena_alloc(a, MOST_CONDITIONS * sizeof *c->conditions) : NULL;
    while (*s) {
        bool unless = begins(s, " unless $");
        size_t n;

        if ((!unless && !begins(s, " if $")) || c->n_conditions == MOST_CONDITIONS)
            return rh_error_set(err, RH_EINPUT, "invalid claim '%s': expected ' if $attribute' after ']'",
                                whole);
        s = strchr(s, '$') + 1;
        n = strcspn(s, " ");
        c->conditions[c->n_conditions] = (struct rh_claim_condition){
            .attr = rh_type_attr(t, rh_arena_strndup(a, s, n)),
            .unless = unless,
        };
        if (!c->conditions[c->n_conditions++].attr)
            return rh_error_set(err, RH_EINPUT, "unknown attribute in the claim '%s'", whole);
        s += n;
    }
    return 0;
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

/* Not undef, false or empty. */
static bool
is_set(const struct rh_value *v)
{
    return v && v->kind != RH_UNDEF && !(v->kind == RH_BOOLEAN && !v->u.integer)
           && !(v->kind == RH_STRING && !v->u.string[0]);
}

void
rh_claim_titles(const struct rh_claim *c, const struct rh_value *name, const struct rh_value *should,
                rh_title_fn *fn, void *data)
{
    for (size_t i = 0; i < c->n_conditions; i++) {
        const char *key = c->conditions[i].attr->name;
        const struct rh_value *v = rh_value_get(name, key);

        if (is_set(v ? v : rh_value_get(should, key)) == c->conditions[i].unless)
            return;
    }
    rh_auto_relation_titles(&c->what, name, should, fn, data);
}
