/* SPDX-License-Identifier: Apache-2.0 */
/* alias-resolve - declaring data types with names of their own, and reading their texts. */
#include "config.h"

#include "datatype/alias.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "datatype/tree.h"

#include <string.h>

/* One may lead to the next through all of them, and each costs stack. */
enum { LONGEST_NAME = 255, MOST_ALIASES = 4096 };

static bool
is_alias_name(const char *s)
{
    size_t n = 0;

    for (;;) {
        if (s[n] < 'A' || s[n] > 'Z')
            return false;
        while ((s[n] >= 'A' && s[n] <= 'Z') || (s[n] >= 'a' && s[n] <= 'z') || (s[n] >= '0' && s[n] <= '9')
               || s[n] == '_')
            n++;
        if (n > LONGEST_NAME)
            return false;
        if (!s[n])
            return true;
        if (s[n] != ':' || s[n + 1] != ':')
            return false;
        n += 2;
    }
}

int
rh_aliases_declare(struct rh_aliases *s, const char *name, const char *text, struct rh_error *err)
{
    struct rh_alias *alias;

    if (!is_alias_name(name))
        return rh_error_set(err, RH_EINPUT, "'%.80s' cannot name a data type: expected Name or Mod::Name",
                            name);
    if (rh_type_is_builtin(name))
        return rh_error_set(err, RH_EINPUT, "'%s' is a built-in data type", name);
    if (rh_map_get(&s->by_name, name))
        return rh_error_set(err, RH_EINPUT, "data type '%s' is declared twice", name);
    if (s->n == MOST_ALIASES)
        return rh_error_set(err, RH_EINPUT, "more than %d data types are declared", MOST_ALIASES);
    alias = rh_arena_alloc(s->arena, sizeof *alias);
    alias->name = rh_arena_strdup(s->arena, name);
    alias->text = rh_arena_strdup(s->arena, text);
    alias->index = s->n;
    (void)rh_map_put(&s->by_name, alias->name, alias);
    s->v = rh_xgrow(s->v, &s->cap, s->n, sizeof(struct rh_alias *));
    s->v[s->n++] = alias;
    return 0;
}

enum { UNSEEN, OPEN, DONE };

/* Looks for an alias that comes back to itself without taking the value apart on the way: through
 * what holds the same value again. Matching such a type would never end. */
static const struct rh_alias *
find_loop(const struct rh_datatype *t, unsigned char *seen)
{
    const struct rh_alias *found = NULL;

    switch (t ? t->kind : RH_T_ANY) {
    case RH_T_ALIAS:
        if (t->u.alias->builtin || seen[t->u.alias->index] == DONE)
            return NULL;
        if (seen[t->u.alias->index] == OPEN)
            return t->u.alias;
        seen[t->u.alias->index] = OPEN;
        found = find_loop(t->u.alias->target, seen);
        seen[t->u.alias->index] = DONE;
        return found;
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
        return find_loop(t->u.inner[0], seen);
    case RH_T_VARIANT:
        for (size_t i = 0; i < t->count && !found; i++)
            found = find_loop(t->u.members[i], seen);
        return found;
    default:
        return NULL;
    }
}

void
rh_alias_place(const char *text, size_t at, unsigned *line, unsigned *column)
{
    const char *start = text, *newline;

    *line = 1;
    while ((newline = memchr(start, '\n', at - (size_t)(start - text)))) {
        (*line)++;
        start = newline + 1;
    }
    *column = (unsigned)rh_utf8_count(start, at - (size_t)(start - text)) + 1;
}

/* Says where, for byte `at` of the text of an alias. Always -1. */
static int
blame(const struct rh_alias *alias, size_t at, struct rh_error *err)
{
    unsigned line, column;

    if (!alias->file)
        return -1;
    rh_alias_place(alias->whole, alias->at + at, &line, &column);
    return rh_error_prefix(err, "%s:%u:%u", alias->file, line, column);
}

static int
refuse_loops(const struct rh_aliases *s, struct rh_error *err)
{
    rh_autofree unsigned char *seen = rh_xalloc(s->n + 1);

    for (size_t i = 0; i < s->n; i++) {
        struct rh_datatype t = { .kind = RH_T_ALIAS, .u.alias = s->v[i] };
        const struct rh_alias *loop = find_loop(&t, seen);

        if (!loop)
            continue;
        rh_error_set(err, RH_EINPUT,
                     "data type '%s' refers only to itself: wrap it, for example in Array[%s]", loop->name,
                     loop->name);
        return blame(loop, 0, err);
    }
    return 0;
}

int
rh_aliases_resolve(struct rh_aliases *s, struct rh_error *err)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->v[i]->target)
            continue;
        s->v[i]->target = rh_datatype_parse(s->arena, s, s->v[i]->text, err);
        if (!s->v[i]->target) {
            rh_error_prefix(err, "in data type '%s'", s->v[i]->name);
            return blame(s->v[i], err ? err->at : 0, err);
        }
    }
    return refuse_loops(s, err);
}
