/* SPDX-License-Identifier: Apache-2.0 */
/* need - the rights that applying resources of a type takes, as its provider declares them. */
#include "config.h"

#include "schema/need.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "schema/auto-relation.h"
#include "schema/condition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char root[] = "root", user[] = "user", writes[] = "write";

static int
refuse_shape(const char *text, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT,
                        "invalid need '%s': expected 'root', 'user[$attribute]' or 'write[$attribute]', and "
                        "' if $attribute' or ' unless $attribute' after it",
                        text);
}

int
rh_need_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_need *n,
             struct rh_error *err)
{
    const char *close = text ? strchr(text, ']') : NULL, *rest;

    *n = (struct rh_need){ .text = text };
    if (close) {
        rest = close + 1;
        if (rh_auto_subject_read(a, t, rh_arena_strndup(a, text, (size_t)(rest - text)), text, &n->what, err)
            < 0)
            return -1;
        if ((strcmp(n->what.type, user) != 0 && strcmp(n->what.type, writes) != 0) || n->what.above)
            return refuse_shape(text, err);
    } else if (text && strncmp(text, root, strlen(root)) == 0) {
        rest = text + strlen(root);
    } else {
        return refuse_shape(text ? text : "", err);
    }
    switch (rh_conditions_read(a, t, rest, &n->conditions, &n->n_conditions)) {
    case RH_CONDITION_SHAPE:
        return refuse_shape(text, err);
    case RH_CONDITION_ATTRIBUTE:
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the need '%s'", text);
    default:
        return 0;
    }
}

struct search {
    const struct rh_rights *rights;
    bool lacking; /* another user was named, or a path that can't be written to */
};

static void
compare_user(void *data, const char *name)
{
    struct search *s = data;
    char number[16];

    (void)snprintf(number, sizeof number, "%" PRIu32, s->rights->uid);
    if (strcmp(name, number) != 0 && (!s->rights->user || strcmp(name, s->rights->user) != 0))
        s->lacking = true;
}

static void
try_path(void *data, const char *path)
{
    struct search *s = data;

    if (*path == '/' && s->rights->writable && !s->rights->writable(path))
        s->lacking = true;
}

static bool
is_met(const struct rh_need *n, const struct rh_value *name, const struct rh_value *should,
       const struct rh_rights *rights)
{
    struct search s = { .rights = rights };

    if (!rh_conditions_hold(n->conditions, n->n_conditions, name, should))
        return true;
    if (!n->what.n_pieces)
        return false;
    rh_auto_relation_titles(&n->what, name, should, strcmp(n->what.type, user) == 0 ? compare_user : try_path,
                            &s);
    return !s.lacking;
}

bool
rh_needs_are_met(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                 const struct rh_rights *rights)
{
    if (rights->uid == 0)
        return true;
    for (size_t i = 0; i < t->n_needs; i++)
        if (!is_met(&t->needs[i], name, should, rights))
            return false;
    return true;
}
