/* SPDX-License-Identifier: Apache-2.0 */
/* condition - " if $content unless $follow", behind what a type declares of its resources. */
#include "config.h"

#include "schema/condition.h"

#include "base/arena.h"
#include "base/value.h"

#include <string.h>

enum { MOST_CONDITIONS = 8 };

static bool
begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

int
rh_conditions_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_condition **v,
                   size_t *n)
{
    *n = 0;
    *v = *text ? rh_arena_alloc(a, MOST_CONDITIONS * sizeof **v) : NULL;
    while (*text) {
        bool unless = begins(text, " unless $");
        size_t length;

        if ((!unless && !begins(text, " if $")) || *n == MOST_CONDITIONS)
            return RH_CONDITION_SHAPE;
        text = strchr(text, '$') + 1;
        length = strcspn(text, " ");
        (*v)[*n] = (struct rh_condition){
            .attr = rh_type_attr(t, rh_arena_strndup(a, text, length)),
            .unless = unless,
        };
        if (!(*v)[(*n)++].attr)
            return RH_CONDITION_ATTRIBUTE;
        text += length;
    }
    return 0;
}

/* Not undef, false or empty. */
static bool
is_set(const struct rh_value *v)
{
    return v && v->kind != RH_UNDEF && !(v->kind == RH_BOOLEAN && !v->u.integer)
           && !(v->kind == RH_STRING && !v->u.string[0]);
}

bool
rh_conditions_match(const struct rh_condition *v, size_t n, const struct rh_value *name,
                    const struct rh_value *should)
{
    for (size_t i = 0; i < n; i++) {
        const char *key = v[i].attr->name;
        const struct rh_value *of = rh_value_get(name, key);

        if (is_set(of ? of : rh_value_get(should, key)) == v[i].unless)
            return false;
    }
    return true;
}
