/* SPDX-License-Identifier: Apache-2.0 */
/* plan-compare - what differs between a plan and the one that was made now, in words. */
#include "config.h"

#include "run/plan.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/change.h"

#include <string.h>

enum { MOST = 10, SHOWN = 60 };

struct comparison {
    struct rh_buf *lines;
    struct rh_arena *arena;
    size_t n;
};

static void note_difference(struct comparison *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
note_difference(struct comparison *c, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    if (c->n++ >= MOST)
        return;
    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_buf_add(c->lines, "  ");
    rh_buf_add_safe(c->lines, text, strlen(text), false);
    rh_buf_addc(c->lines, '\n');
}

static bool
same(const struct rh_value *a, const struct rh_value *b)
{
    if (!a || !b)
        return (!a || a->kind == RH_UNDEF) && (!b || b->kind == RH_UNDEF);
    return rh_value_equal(a, b);
}

/* Files with their digests, by path: `what` is "manifest or file", "plugin". */
static void
compare_files(struct comparison *c, const struct rh_value *was, const struct rh_value *now, const char *what)
{
    rh_automap struct rh_map known = { 0 };

    for (size_t i = 0; i < rh_value_count(was); i++) {
        const struct rh_value *f = rh_value_at(was, i);

        rh_map_put_const(&known, rh_value_get_str(f, "path", "?"), f);
    }
    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_value *f = rh_value_at(now, i);
        const char *path = rh_value_get_str(f, "path", "?");
        const struct rh_value *before = rh_map_get_const(&known, path);

        if (!before)
            note_difference(c, "%s '%s' is not in the plan", what, path);
        else if (!rh_value_equal(before, f))
            note_difference(c, "%s '%s' was changed", what, path);
        if (before)
            rh_map_replace(&known, path, NULL);
    }
    for (size_t i = 0; i < rh_value_count(was); i++) {
        const char *path = rh_value_get_str(rh_value_at(was, i), "path", "?");

        if (rh_map_get_const(&known, path))
            note_difference(c, "%s '%s' is in the plan, and is not used any more", what, path);
    }
}

/* What makes an event of a run the one that it is. */
static const char *
key_of(struct rh_arena *a, const struct rh_value *r)
{
    return rh_arena_printf(a, "%s[%s]%s%s%s%s", rh_value_get_str(r, "type", ""),
                           rh_value_get_str(r, "title", ""), rh_value_get_str(r, "action", ""),
                           rh_value_get(r, "purged") ? " purged" : "", rh_value_get_str(r, "timing", ""),
                           rh_value_get_str(r, "notified_by", ""));
}

static void
add_observed(struct comparison *c, struct rh_buf *b, const struct rh_value *observed)
{
    const struct rh_value *v = rh_observed_show(c->arena, observed);

    if (v)
        rh_value_show(b, v, SHOWN);
    else
        rh_buf_add(b, "unset");
}

/* Whether the states are the same; tells the first attribute that is not. */
static bool
same_state(struct comparison *c, const char *name, const struct rh_value *was, const struct rh_value *now)
{
    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_entry *e = rh_value_entry(now, i);
        const struct rh_value *before = rh_value_get(was, e->key);
        rh_autobuf struct rh_buf from = { 0 }, to = { 0 };

        if (before && rh_observed_equal(before, e->value))
            continue;
        if (rh_observed_is_secret(e->value)) {
            note_difference(c, "%s: the current value of '%s' is not the one in the plan", name, e->key);
            return false;
        }
        add_observed(c, &from, before);
        add_observed(c, &to, e->value);
        note_difference(c, "%s: '%s' is %s, and %s in the plan", name, e->key, rh_buf_text(&to),
                        rh_buf_text(&from));
        return false;
    }
    if (rh_value_count(was) == rh_value_count(now))
        return true;
    note_difference(c, "%s: what was read of it is not what was read for the plan", name);
    return false;
}

static bool
same_desired(struct comparison *c, const char *name, const struct rh_value *was, const struct rh_value *now)
{
    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_entry *e = rh_value_entry(now, i);

        if (same(rh_value_get(was, e->key), e->value))
            continue;
        note_difference(c, "%s: the desired value of '%s' is not the one in the plan", name, e->key);
        return false;
    }
    if (rh_value_count(was) == rh_value_count(now))
        return true;
    note_difference(c, "%s: the plan has desired values of more attributes", name);
    return false;
}

static bool
same_changes(struct comparison *c, const struct rh_value *was, const struct rh_value *now)
{
    const struct rh_difference *a, *b;
    size_t n = rh_changes_from_json(c->arena, was, &a), m = rh_changes_from_json(c->arena, now, &b);

    for (size_t i = 0; i < n && i < m; i++)
        if (!rh_change_equal(&a[i], &b[i]))
            return false;
    return n == m;
}

static void
compare_resource(struct comparison *c, const struct rh_value *was, const struct rh_value *now)
{
    static const char *const others[] = { "provider", "reason", "created", "guarded", "ignored" };
    const char *from = rh_value_get_str(was, "status", ""), *to = rh_value_get_str(now, "status", "");
    rh_autofree char *name =
        rh_printf("%s[%s]", rh_value_get_str(now, "type", ""), rh_value_get_str(now, "title", ""));

    if (!same_desired(c, name, rh_value_get(was, "desired"), rh_value_get(now, "desired"))
        || !same_state(c, name, rh_value_get(was, "current"), rh_value_get(now, "current")))
        return;
    if (strcmp(from, to) != 0) {
        note_difference(c, "%s is '%s', and '%s' in the plan", name, to, from);
        return;
    }
    if (!same_changes(c, rh_value_get(was, "changes"), rh_value_get(now, "changes"))) {
        note_difference(c, "%s would be changed in another way than in the plan", name);
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!same(rh_value_get(was, others[i]), rh_value_get(now, others[i]))) {
            note_difference(c, "%s: its '%s' is not the one in the plan", name, others[i]);
            return;
        }
}

static void
compare_resources(struct comparison *c, const struct rh_value *was, const struct rh_value *now)
{
    rh_automap struct rh_map known = { 0 };
    size_t at = 0, before = c->n;

    for (size_t i = 0; i < rh_value_count(was); i++) {
        const struct rh_value *r = rh_value_at(was, i);

        rh_map_put_const(&known, key_of(c->arena, r), r);
    }
    for (size_t i = 0; i < rh_value_count(now); i++) {
        const struct rh_value *r = rh_value_at(now, i);
        const char *key = key_of(c->arena, r);
        const struct rh_value *twin = rh_value_at(was, i);

        /* In the order of the plan; else wherever it stands there. */
        if (!twin || strcmp(key_of(c->arena, twin), key) != 0)
            twin = rh_map_get_const(&known, key);
        if (twin)
            compare_resource(c, twin, r), at++;
        else
            note_difference(c, "%s[%s] is not in the plan (%s)", rh_value_get_str(r, "type", ""),
                            rh_value_get_str(r, "title", ""), rh_value_get_str(r, "status", ""));
    }
    if (at != rh_value_count(was) && c->n == before)
        note_difference(c, "the plan has %zu resources and notifications, and now there are %zu",
                        rh_value_count(was), rh_value_count(now));
    for (size_t i = 0; c->n == before && i < rh_value_count(was); i++)
        if (strcmp(key_of(c->arena, rh_value_at(was, i)), key_of(c->arena, rh_value_at(now, i))) != 0)
            note_difference(c, "the order of the resources is not that of the plan");
}

size_t
rh_plan_compare(const struct rh_plan *plan, const struct rh_plan *now, struct rh_buf *lines)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct comparison c = { .lines = lines, .arena = arena };

    if (!same(rh_value_get(plan->v, "host"), rh_value_get(now->v, "host")))
        note_difference(&c, "this rhost (%s) is not the one that made the plan (%s)",
                        rh_value_get_str(rh_value_get(now->v, "host"), "version", "?"),
                        rh_value_get_str(rh_value_get(plan->v, "host"), "version", "?"));
    compare_files(&c, rh_value_get(plan->v, "plugins"), rh_value_get(now->v, "plugins"), "plugin");
    compare_files(&c, rh_value_get(plan->v, "inputs"), rh_value_get(now->v, "inputs"), "file");
    compare_resources(&c, rh_value_get(plan->v, "resources"), rh_value_get(now->v, "resources"));
    if (c.n > MOST)
        rh_buf_addf(lines, "  and %zu more\n", c.n - MOST);
    rh_buf_truncate(lines, lines->n ? lines->n - 1 : 0);
    return c.n;
}
