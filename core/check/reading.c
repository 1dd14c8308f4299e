/* SPDX-License-Identifier: Apache-2.0 */
/* reading - what a provider says is there. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "provider/runtime.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>

enum { MOST_EXAMINED = 20 };

/* How the runtime begins what it says of a reading. */
static const char misfit[] = "Provider returned data that does not match the Type Schema";
static const char not_canonical[] = "has not provided canonicalized values";

/* The names of the fixture's states. */
static struct rh_value *
fixture_names(struct rh_subject *s)
{
    const struct rh_fixture *f = s->checker->fixture;
    struct rh_value *names = rh_value_new(s->checker->arena, RH_ARRAY);

    for (size_t i = 0; i < f->n; i++) {
        struct rh_value *name = rh_subject_name(s, &f->states[i]);

        if (name)
            rh_value_append(names, name);
    }
    return names;
}

/* Reads all that is there, or what the fixture names. False after saying that there is nothing to
 * read, or when the reading fails; then `err` has the reason. */
static bool
read_some(struct rh_subject *s, struct rh_error *err)
{
    struct rh_checker *c = s->checker;
    bool get = c->type->slots & RH_HAS_GET && !(c->fixture && c->fixture->unlisted);

    if (!(c->type->slots & (RH_HAS_GET | RH_HAS_LOAD))) {
        rh_check_say(c, RH_CHECK_SKIP, "it reads while it converges");
        return false;
    }
    if (!get && (!c->fixture || !c->fixture->n)) {
        rh_check_say(c, RH_CHECK_SKIP, "it reads one resource at a time, and no fixture names one");
        return false;
    }
    return rh_subject_read(s, get ? NULL : fixture_names(s), err) == 0;
}

/* The same for checks that need a reading that works. */
static bool
read_well(struct rh_subject *s)
{
    rh_autoerror struct rh_error err = { 0 };
    bool ok = read_some(s, &err);

    if (!ok && err.message)
        rh_check_say(s->checker, RH_CHECK_SKIP, "it cannot be read");
    return ok;
}

static bool
open_ready(struct rh_subject *s, struct rh_checker *c)
{
    if (!rh_subject_open(s, c))
        return false;
    if (c->bare)
        return true;
    rh_subject_prepare(s);
    return rh_subject_again(s);
}

void
rh_check_suits(struct rh_checker *c)
{
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    struct rh_subject s;

    if (c->fixture && !rh_step_list(c, &before))
        return;
    if (rh_subject_open(&s, c))
        rh_subject_close(&s);
    if (c->fixture && rh_step_list(c, &after))
        rh_step_compare_trees(c, &before, &after, "asked whether it suits this machine");
}

bool
rh_check_is_about_reading(const char *reason)
{
    return reason && (strstr(reason, misfit) || strstr(reason, not_canonical));
}

/* Which of the three checks a failed reading is about. */
static void
judge_reading(struct rh_checker *c, const char *about)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;
    const char *blamed;

    if (!open_ready(&s, c))
        return;
    if (!read_some(&s, &err) && err.message) {
        blamed = strstr(err.message, not_canonical) ? not_canonical
                 : strstr(err.message, misfit)      ? misfit
                                                    : "";
        if (strcmp(blamed, about) == 0)
            rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
        else
            rh_check_say(c, RH_CHECK_SKIP, "it cannot be read");
    }
    rh_subject_close(&s);
}

void
rh_check_reads(struct rh_checker *c)
{
    judge_reading(c, "");
}

void
rh_check_fits(struct rh_checker *c)
{
    judge_reading(c, misfit);
}

void
rh_check_canonical(struct rh_checker *c)
{
    if (c->type->slots & RH_HAS_CANONICALIZE)
        judge_reading(c, not_canonical);
    else
        rh_check_say(c, RH_CHECK_SKIP, "it has no canonicalize");
}

/* Canonical is canonical: the second time changes nothing. */
static void
try_twice(struct rh_subject *s, const struct rh_value *resource)
{
    struct rh_checker *c = s->checker;
    struct rh_value *once = rh_value_copy(c->arena, resource), *twice;
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf text = { 0 };

    if (rh_runtime_canonicalize(s->rt, c->arena, once, NULL, &err) < 0)
        return; /* refusing is its right */
    twice = rh_value_copy(c->arena, once);
    if (rh_runtime_canonicalize(s->rt, c->arena, twice, NULL, &err) == 0 && rh_value_equal(once, twice))
        return;
    rh_value_show(&text, once, 200);
    rh_buf_add(&text, err.message ? " is refused: " : " becomes ");
    if (err.message)
        rh_buf_add(&text, err.message);
    else
        rh_value_show(&text, twice, 200);
    rh_check_say(c, RH_CHECK_FAIL, "the result of canonicalize() is not canonical: %s", rh_buf_text(&text));
}

void
rh_check_stable(struct rh_checker *c)
{
    struct rh_subject s;
    const struct rh_fixture *f = c->fixture;
    uint64_t seed = c->options->seed;

    if (!(c->type->slots & RH_HAS_CANONICALIZE)) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no canonicalize");
        return;
    }
    if (!open_ready(&s, c))
        return;
    for (size_t i = 0; f && i < f->n; i++) {
        struct rh_value *name = rh_subject_name(&s, &f->states[i]);
        struct rh_value *whole = rh_value_copy(c->arena, f->states[i].given);

        for (size_t k = 0; k < rh_value_count(name); k++)
            rh_value_put(whole, rh_value_entry(name, k)->key, rh_value_entry(name, k)->value);
        try_twice(&s, whole);
    }
    for (int i = 0; i < 100; i++)
        try_twice(&s, rh_sample_resource(c->arena, c->type, &seed));
    rh_subject_close(&s);
}

static const char *
title_of(const struct rh_checker *c, const struct rh_value *item)
{
    return rh_resource_title(c->arena, c->type, item);
}

void
rh_check_once(struct rh_checker *c)
{
    struct rh_subject s;

    if (!open_ready(&s, c))
        return;
    /* The runtime keeps the last of them. */
    if (read_well(&s) && rh_runtime_repeated(s.rt))
        rh_check_say(c, RH_CHECK_FAIL, "it emits '%s' twice", rh_runtime_repeated(s.rt));
    rh_subject_close(&s);
}

static struct rh_value *
name_of(const struct rh_checker *c, const struct rh_value *item)
{
    struct rh_value *name = rh_value_new(c->arena, RH_HASH);

    for (size_t i = 0; i < c->type->n_namevars; i++) {
        const char *key = c->type->namevars[i]->name;
        const struct rh_value *v = rh_value_get(item, key);

        if (v)
            rh_value_put(name, key, rh_value_copy(c->arena, v));
    }
    return name;
}

/* The attribute in which two readings of one resource differ, or NULL. */
static const char *
differs(const struct rh_value *a, const struct rh_value *b)
{
    for (size_t i = 0; i < rh_value_count(a); i++) {
        const struct rh_entry *e = rh_value_entry(a, i);
        const struct rh_value *other = rh_value_get(b, e->key);

        if (other ? !rh_value_equal(e->value, other) : e->value->kind != RH_UNDEF)
            return e->key;
    }
    return NULL;
}

void
rh_check_by_name(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;
    const struct rh_value *all, *found;
    struct rh_value *names = rh_value_new(c->arena, RH_ARRAY);

    if (!(c->type->slots & RH_HAS_GET) || (c->fixture && c->fixture->unlisted)) {
        rh_check_say(c, RH_CHECK_SKIP, "it cannot be listed");
        return;
    }
    if (!open_ready(&s, c))
        return;
    if (read_well(&s)) {
        all = s.items;
        for (size_t i = 0; i < rh_value_count(all) && i < MOST_EXAMINED; i++)
            rh_value_append(names, name_of(c, rh_value_at(all, i)));
        if (!rh_value_count(names))
            rh_check_say(c, RH_CHECK_SKIP, "no resource of this type exists on this machine");
        else if (!rh_subject_again(&s) || rh_subject_read(&s, names, &err) < 0)
            rh_check_say(c, RH_CHECK_FAIL, "listing works, but reading by name fails: %s",
                         err.message ? err.message : "");
        found = s.items;
        for (size_t i = 0; i < rh_value_count(names); i++) {
            const char *title = title_of(c, rh_value_at(all, i));
            const struct rh_value *same = rh_value_at(found, i);
            const char *key = same ? differs(rh_value_at(all, i), same) : "ensure";

            if (key)
                rh_check_say(c, RH_CHECK_FAIL, "'%s' read by name differs from what is listed, in '%s'",
                             title, key);
        }
    }
    rh_subject_close(&s);
}

void
rh_check_agrees(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;
    const struct rh_value *first;

    if (!open_ready(&s, c))
        return;
    if (read_well(&s)) {
        first = s.items;
        if (!rh_subject_again(&s) || !read_some(&s, &err))
            rh_check_say(c, RH_CHECK_FAIL, "the first reading works, but the second fails: %s",
                         err.message ? err.message : "");
        else if (rh_value_count(first) != rh_value_count(s.items))
            rh_check_say(c, RH_CHECK_FAIL, "two readings return %zu and then %zu resources",
                         rh_value_count(first), rh_value_count(s.items));
        else
            for (size_t i = 0; i < rh_value_count(first); i++) {
                const char *key = differs(rh_value_at(first, i), rh_value_at(s.items, i));

                if (key)
                    rh_check_say(c, RH_CHECK_FAIL, "two readings of '%s' differ in '%s'",
                                 title_of(c, rh_value_at(first, i)), key);
            }
    }
    rh_subject_close(&s);
}

void
rh_check_absent(struct rh_checker *c)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_subject s;
    struct rh_value *name = rh_value_new(c->arena, RH_HASH), *names = rh_value_new(c->arena, RH_ARRAY);
    const char *told;

    if (!c->type->ensure || !(c->type->slots & (RH_HAS_GET | RH_HAS_LOAD))) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no 'ensure', or reads while it converges");
        return;
    }
    if (c->fixture && c->fixture->absent) {
        struct rh_fixture_state nothing = { .title = c->fixture->absent,
                                            .given = rh_value_new(c->arena, RH_HASH) };

        if (!rh_subject_open(&s, c))
            return;
        name = rh_subject_name(&s, &nothing);
    } else {
        for (size_t i = 0; name && i < c->type->n_namevars; i++) {
            struct rh_value *v = rh_sample_nothing(c->arena, c->type->namevars[i]->type);

            if (v)
                rh_value_put(name, c->type->namevars[i]->name, v);
            else
                name = NULL;
        }
        if (!name) {
            rh_check_say(c, RH_CHECK_SKIP, "no title of an absent resource: add 'absent' to the fixture");
            return;
        }
        if (!rh_subject_open(&s, c))
            return;
    }
    if (!name) {
        rh_check_say(c, RH_CHECK_FAIL, "the fixture's 'absent' is not a title: %s", s.reason);
    } else {
        rh_value_append(names, name);
        if (rh_subject_read(&s, names, &err) < 0) {
            rh_check_say(c, RH_CHECK_FAIL, "reading an absent resource fails: %s", err.message);
        } else {
            told = rh_value_get_str(rh_value_at(s.items, 0), "ensure", "");
            if (strcmp(told, "absent") != 0)
                rh_check_say(c, RH_CHECK_FAIL, "it reports the absent resource '%s' as present",
                             title_of(c, name));
        }
    }
    rh_subject_close(&s);
}
