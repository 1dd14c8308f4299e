/* SPDX-License-Identifier: Apache-2.0 */
/* selection - which targets a word of the command line means. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/inventory-parts.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool
is_pattern(const char *word)
{
    return strpbrk(word, "*?[") != NULL;
}

/* The value at a path with dots in one table. */
static const struct rh_value *
at_path(const struct rh_value *v, const char *path)
{
    rh_autofree char *copy = rh_xstrdup(path);
    char *rest = copy, *part;

    while (v && (part = strsep(&rest, ".")))
        v = rh_value_get(v, part);
    return v;
}

/* The attribute at a path with dots, as the groups and the target say together; NULL: none. */
static const struct rh_value *
attribute_of(const struct rh_push_target *t, const char *path)
{
    for (size_t i = t->n_attributes; i-- > 0;) {
        const struct rh_value *v = at_path(t->attributes[i].table, path);

        if (v)
            return v;
    }
    return NULL;
}

/* Texts as they are, everything else as JSON has it: 80, true. Of a list, any element. */
static bool
has_value(const struct rh_value *v, const char *pattern)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (rh_value_is(v, RH_ARRAY)) {
        for (size_t i = 0; i < v->count; i++)
            if (has_value(rh_value_at(v, i), pattern))
                return true;
        return false;
    }
    if (rh_value_is(v, RH_STRING))
        return fnmatch(pattern, v->u.string, 0) == 0;
    if (!v || rh_value_is(v, RH_HASH))
        return false;
    rh_value_to_json(&text, v, false);
    return fnmatch(pattern, rh_buf_text(&text), 0) == 0;
}

/* One condition, without the '!' in front of it. */
static bool
meets(const struct rh_push_target *t, const char *word)
{
    const char *equals = strchr(word, '=');

    if (equals) {
        rh_autofree char *path = rh_xstrndup(word, (size_t)(equals - word));

        return has_value(attribute_of(t, path), equals + 1);
    }
    return strcmp(t->name, word) == 0 || rh_push_target_is_in(t, word)
           || (is_pattern(word) && fnmatch(word, t->name, 0) == 0);
}

static int
refuse_unknown(const struct rh_inventory *inv, const char *word, struct rh_error *err)
{
    struct rh_suggest s;

    rh_suggest_init(&s, word);
    for (size_t i = 0; i < inv->n_targets; i++)
        rh_suggest_try(&s, inv->targets[i]->name);
    for (size_t i = 0; i < inv->n_groups; i++)
        rh_suggest_try(&s, inv->groups[i]->name);
    (void)rh_error_set(err, RH_EINPUT, "unknown target or group '%s'", word);
    return rh_error_suggest(err, s.best, "a host that is not in the file is written ssh://HOST");
}

/* A condition must be complete, and a name known: a typing error is refused. */
static int
check_condition(const struct rh_inventory *inv, const char *word, const char *whole, struct rh_error *err)
{
    const char *equals = strchr(word, '=');

    if (!*word || equals == word)
        return rh_error_set(err, RH_EINPUT, "invalid selection '%s': a name or a condition is missing",
                            whole);
    if (equals || is_pattern(word) || strcmp(word, "all") == 0 || rh_map_get(&inv->by_name, word)
        || rh_inventory_group(inv, word))
        return 0;
    return refuse_unknown(inv, word, err);
}

/* Conditions with '&' between: which targets meet all of them. */
static int
select_term(struct rh_inventory *inv, char *term, const char *whole, bool *chosen, struct rh_error *err)
{
    char *word;

    for (size_t i = 0; i < inv->n_targets; i++)
        chosen[i] = true;
    while ((word = strsep(&term, "&"))) {
        bool reversed = *word == '!';

        word += reversed;
        if (check_condition(inv, word, whole, err) < 0)
            return -1;
        for (size_t i = 0; i < inv->n_targets; i++)
            chosen[i] &= meets(inv->targets[i], word) != reversed;
    }
    return 0;
}

/* Without a file each word is a host; an address of IPv6 stands in brackets. */
static bool
is_host(const char *word)
{
    return *word && !strpbrk(word, ",&!=") && (*word == '[' || !is_pattern(word));
}

int
rh_inventory_select(struct rh_inventory *inv, const char *word, struct rh_error *err)
{
    rh_autofree char *copy = rh_xstrdup(word);
    rh_autofree bool *chosen = rh_xalloc(inv->n_targets + 1);
    char *rest = copy, *term;
    struct rh_push_target *t;
    size_t n = 0;

    if (rh_endpoint_is_uri(word) || (!inv->from_file && is_host(word))) {
        if (!(t = rh_inventory_add(inv, word, err)))
            return -1;
        t->selected = true;
        return 0;
    }
    if (!inv->from_file)
        return rh_error_set(err, RH_EINPUT, "cannot select '%s' without --targets=FILE", word);
    while ((term = strsep(&rest, ","))) {
        if (select_term(inv, term, word, chosen, err) < 0)
            return -1;
        for (size_t i = 0; i < inv->n_targets; i++) {
            inv->targets[i]->selected |= chosen[i];
            n += chosen[i];
        }
    }
    return n ? 0 : rh_error_set(err, RH_EINPUT, "'%s' selects no target", word);
}
