/* SPDX-License-Identifier: Apache-2.0 */
/* question - what the lookups and facts of a plugin are asked, and what they must answer. */
#include "config.h"

#include "check/question.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "check/fixture.h"
#include "datatype/datatype.h"
#include "manifest/text/scalar.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <string.h>

enum { SHORTEST_SECRET = 6 };

static bool
is_set(const struct rh_value *question, const char *key)
{
    return strcmp(rh_value_get_str(question, key, "false"), "true") == 0;
}

static void
inspect_one(const struct rh_value *v, struct rh_complaints *complaints)
{
    static const char *const words[] = { "lookup", "fact", "parameters", "answer", "absent", "fails", NULL };
    const char *lookup = rh_value_get_str(v, "lookup", ""), *fact = rh_value_get_str(v, "fact", "");
    const struct rh_value *parameters = rh_value_get(v, "parameters");

    if (!rh_value_is(v, RH_HASH) || !*lookup == !*fact) {
        rh_complain(complaints, rh_value_place(v), NULL,
                    "a question must be a hash with the name of a 'lookup' or a 'fact'");
        return;
    }
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const char *key = rh_value_entry(v, i)->key;
        size_t k = 0;

        while (words[k] && strcmp(words[k], key) != 0)
            k++;
        if (!words[k])
            rh_complain(complaints, rh_value_key_place(v, i), NULL, "unknown key '%s' of a question", key);
    }
    if (parameters && (*fact || !rh_value_is(parameters, RH_HASH)))
        rh_complain(complaints, rh_value_place(parameters), NULL,
                    "'parameters' must be a hash, and only a lookup has them");
    if (!!rh_value_get(v, "answer") + is_set(v, "absent") + is_set(v, "fails") > 1)
        rh_complain(complaints, rh_value_place(v), NULL,
                    "a question must have only one of 'answer', 'absent' and 'fails'");
}

void
rh_questions_inspect(const struct rh_value *list, struct rh_complaints *complaints)
{
    if (list && !rh_value_is(list, RH_ARRAY))
        rh_complain(complaints, rh_value_place(list), NULL, "'questions' must be a list");
    for (size_t i = 0; i < rh_value_count(list) && rh_value_is(list, RH_ARRAY); i++)
        inspect_one(rh_value_at(list, i), complaints);
}

/* Of the fixture, as its type reads it; complains where it does not fit. */
static const struct rh_value *
read_value(struct rh_arena *a, const struct rh_attr *attr, const char *what, const struct rh_value *given,
           struct rh_complaints *complaints)
{
    const struct rh_value *v = rh_scalar_read(a, attr->type, rh_value_copy(a, given));
    rh_autobuf struct rh_buf why = { 0 };

    v = rh_attribute_marked(a, attr, v);
    if (rh_datatype_match(attr->type, v))
        return v;
    rh_datatype_explain(attr->type, "", v, &why);
    rh_complain(complaints, rh_value_place(given), NULL, "%s %s", what, rh_buf_text(&why));
    return NULL;
}

static void
read_parameters(struct rh_fixture_question *q, struct rh_arena *a, const struct rh_value *v,
                struct rh_complaints *complaints)
{
    const struct rh_value *given = rh_value_get(v, "parameters");

    q->parameters = rh_value_new(a, RH_HASH);
    for (size_t i = 0; i < rh_value_count(given); i++) {
        const struct rh_entry *e = rh_value_entry(given, i);
        const struct rh_attr *attr = rh_type_attr(q->lookup, e->key);
        const struct rh_value *own = NULL;

        if (!attr || !(attr->behaviour & RH_PARAMETER))
            rh_complain(complaints, rh_value_key_place(given, i), NULL,
                        "unknown parameter '%s' of the lookup '%s' in a question", e->key, q->name);
        else
            own = read_value(a, attr, rh_arena_printf(a, "parameter '%s'", e->key), e->value, complaints);
        if (own)
            rh_value_put(q->parameters, attr->name, own);
    }
    for (size_t i = 0; i < q->lookup->n_attrs; i++) {
        const struct rh_attr *attr = &q->lookup->attrs[i];

        if (!(attr->behaviour & RH_PARAMETER) || rh_value_get(given, attr->name))
            continue;
        if (attr->required)
            rh_complain(complaints, rh_value_place(v), NULL, "missing parameter '%s' of lookup '%s'",
                        attr->name, q->name);
        else if (attr->default_value)
            rh_value_put(q->parameters, attr->name, attr->default_value);
    }
}

static const struct rh_type *
find_lookup(const struct rh_questions *all, const char *name, struct rh_suggest *near)
{
    for (size_t i = 0; i < all->n_lookups; i++) {
        if (strcmp(all->lookups[i]->type, name) == 0)
            return all->lookups[i];
        rh_suggest_try(near, all->lookups[i]->type);
    }
    return NULL;
}

static const struct rh_attr *
find_fact(const struct rh_questions *all, const char *name, struct rh_suggest *near)
{
    for (size_t i = 0; i < all->facts->n_attrs; i++) {
        const struct rh_attr *attr = &all->facts->attrs[i];

        if (!(attr->behaviour & RH_READ_ONLY))
            continue;
        if (strcmp(attr->name, name) == 0)
            return attr;
        rh_suggest_try(near, attr->name);
    }
    return NULL;
}

static void
read_question(struct rh_questions *all, struct rh_arena *a, const struct rh_value *v,
              struct rh_complaints *complaints)
{
    struct rh_fixture_question *q = &all->list[all->n];
    const char *lookup = rh_value_get_str(v, "lookup", "");
    const struct rh_value *answer = rh_value_get(v, "answer");
    struct rh_suggest near;

    *q = (struct rh_fixture_question){ .absent = is_set(v, "absent"), .fails = is_set(v, "fails") };
    q->name = *lookup ? lookup : rh_value_get_str(v, "fact", "");
    rh_suggest_init(&near, q->name);
    q->lookup = *lookup ? find_lookup(all, lookup, &near) : NULL;
    q->answer = q->lookup ? rh_type_attr(q->lookup, "answer")
                : *lookup ? NULL
                          : find_fact(all, q->name, &near);
    if (!q->answer) {
        rh_autofree char *hint = near.best ? rh_did_you_mean(near.best, NULL) : NULL;

        rh_complain(complaints, rh_value_place(v), hint, "unknown %s '%s' of the plugin",
                    *lookup ? "lookup" : "fact", q->name);
        return;
    }
    if (q->lookup)
        read_parameters(q, a, v, complaints);
    if (answer)
        q->wanted = read_value(a, q->answer, "the answer", answer, complaints);
    all->n++;
}

static bool
is_asked(const struct rh_questions *all, const char *name, bool fact)
{
    for (size_t i = 0; i < all->n; i++)
        if (!all->list[i].lookup == fact && strcmp(all->list[i].name, name) == 0)
            return true;
    return false;
}

int
rh_questions_read(struct rh_questions *q, struct rh_arena *a, const struct rh_value *source,
                  const struct rh_value *list, struct rh_complaints *complaints, struct rh_error *err)
{
    const struct rh_value *lookups = rh_value_get(source, "lookups");
    size_t before = rh_complaints_count(complaints);

    *q = (struct rh_questions){ .n_lookups = rh_value_count(lookups) };
    q->facts = rh_type_read_question(a, source, err);
    q->lookups = rh_arena_alloc(a, q->n_lookups * sizeof *q->lookups);
    if (!q->facts)
        return -1;
    for (size_t i = 0; i < q->n_lookups; i++)
        if (!(q->lookups[i] = rh_type_read_question(a, rh_value_at(lookups, i), err)))
            return -1;
    q->list = rh_arena_alloc(a, (rh_value_count(list) + q->facts->n_attrs) * sizeof *q->list);
    for (size_t i = 0; i < rh_value_count(list); i++)
        read_question(q, a, rh_value_at(list, i), complaints);
    for (size_t i = 0; i < q->facts->n_attrs; i++) {
        const struct rh_attr *attr = &q->facts->attrs[i];

        if (attr->behaviour & RH_READ_ONLY && !is_asked(q, attr->name, true))
            q->list[q->n++] = (struct rh_fixture_question){ .name = attr->name, .answer = attr };
    }
    return rh_complaints_count(complaints) == before ? 0 : -1;
}

const char *
rh_questions_missing(const struct rh_questions *q)
{
    for (size_t i = 0; i < q->n_lookups; i++)
        if (!is_asked(q, q->lookups[i]->type, false))
            return q->lookups[i]->type;
    return NULL;
}

/* All texts in it, where it is sensitive as a whole or in parts. */
static void
add_secrets(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    const char *s = rh_value_str(v, NULL);

    sensitive |= v && v->marks & RH_SENSITIVE;
    if (s && sensitive && strlen(s) >= SHORTEST_SECRET)
        rh_buf_addn(b, s, strlen(s) + 1);
    for (size_t i = 0; i < rh_value_count(v); i++)
        add_secrets(b, rh_value_is(v, RH_HASH) ? rh_value_entry(v, i)->value : rh_value_at(v, i), sensitive);
}

void
rh_questions_add_secrets(struct rh_buf *b, const struct rh_questions *q)
{
    for (size_t i = 0; i < q->n; i++) {
        add_secrets(b, q->list[i].parameters, false);
        add_secrets(b, q->list[i].wanted, false);
    }
}

const char *
rh_question_name(struct rh_arena *a, const struct rh_fixture_question *q)
{
    return rh_arena_printf(a, "%s '%s'", q->lookup ? "lookup" : "fact", q->name);
}
