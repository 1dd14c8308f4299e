/* SPDX-License-Identifier: Apache-2.0 */
/* answers - what the lookups and facts of a plugin answer: that it is what their types say, that asking
 * changes nothing, takes no long time, and gives no secret away. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/scratch.h"
#include "check/steps.h"
#include "check/subject.h"
#include "check/written.h"
#include "datatype/datatype.h"
#include "schema/check.h"
#include "schema/type.h"

#include <string.h>

enum {
    SHOWN = 80,     /* bytes of a value in a message */
    FACT_TIME = 10, /* seconds that a run gives a fact */
    PROMPT = 1,     /* that a fact should take */
};

static const char misfit[] = "invalid answer of provider";

/* Failures that no answer and no server explains. */
static bool
breaks_rules(const char *reason)
{
    return strstr(reason, "without a message") || strstr(reason, "violated the ABI contract")
           || strstr(reason, "not a valid result") || strstr(reason, "a bug in the plugin");
}

void
rh_answers_schema(struct rh_checker *c)
{
    const struct rh_value *lookups = rh_value_get(c->description, "lookups");
    rh_autoerror struct rh_error err = { 0 };

    if (!rh_type_read_question(c->arena, c->description, &err))
        rh_check_say(c, RH_CHECK_FAIL, "facts: %s", err.message);
    for (size_t i = 0; i < rh_value_count(lookups); i++) {
        rh_autoerror struct rh_error why = { 0 };

        if (!rh_type_read_question(c->arena, rh_value_at(lookups, i), &why))
            rh_check_say(c, RH_CHECK_FAIL, "lookup: %s", why.message);
    }
}

void
rh_answers_documented(struct rh_checker *c)
{
    rh_autobuf struct rh_buf names = { 0 };
    const struct rh_questions *q = c->questions;

    for (size_t i = 0; i < q->facts->n_attrs; i++)
        if (!*q->facts->attrs[i].desc)
            rh_buf_addf(&names, "%sfact '%s'", names.n ? ", " : "", q->facts->attrs[i].name);
    for (size_t i = 0; i < q->n_lookups; i++) {
        rh_autobuf struct rh_buf own = { 0 };

        rh_type_undocumented(q->lookups[i], &own);
        if (own.n)
            rh_buf_addf(&names, "%slookup %s", names.n ? ", " : "", rh_buf_text(&own));
    }
    if (names.n)
        rh_check_say(c, RH_CHECK_WARN, "no documentation for %s", rh_buf_text(&names));
}

/* Opens it for a check that asks; false when there is nothing to ask. */
static bool
begin(struct rh_subject *s, struct rh_checker *c)
{
    if (!c->questions->n) {
        rh_check_say(c, RH_CHECK_SKIP, "no question of a fixture asks a lookup");
        return false;
    }
    return rh_subject_open(s, c);
}

static void
judge(struct rh_checker *c, const struct rh_fixture_question *q, const struct rh_value *answer)
{
    const char *name = rh_question_name(c->arena, q);
    rh_autobuf struct rh_buf is = { 0 };
    rh_autobuf struct rh_buf wanted = { 0 };

    if (q->fails) {
        rh_check_say(c, RH_CHECK_FAIL, "%s answers, but it should fail", name);
    } else if (q->absent && answer) {
        rh_check_say(c, RH_CHECK_FAIL, "%s has an answer, but it should have none", name);
    } else if (q->wanted && !answer) {
        rh_check_say(c, RH_CHECK_FAIL, "%s has no answer", name);
    } else if (q->wanted && !rh_value_equal(q->wanted, answer)) {
        rh_value_show(&is, answer, SHOWN);
        rh_value_show(&wanted, q->wanted, SHOWN);
        rh_check_say(c, RH_CHECK_FAIL, "the answer of %s is %s, expected %s", name, rh_buf_text(&is),
                     rh_buf_text(&wanted));
    }
}

/* Each question once; what does not fit its type is for the other check to tell. */
static void
ask_each(struct rh_checker *c, bool about_types)
{
    const struct rh_questions *all = c->questions;
    struct rh_subject s;

    if (!begin(&s, c))
        return;
    for (size_t i = 0; i < all->n; i++) {
        const struct rh_fixture_question *q = &all->list[i];
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *answer = NULL;
        int rc = rh_subject_ask(&s, q, &answer, &err);
        bool unfit = rc < 0 && strstr(err.message, misfit);

        if (about_types ? unfit : rc < 0 && !unfit && (!q->fails || breaks_rules(err.message)))
            rh_check_say(c, RH_CHECK_FAIL, "%s fails: %s", rh_question_name(c->arena, q), err.message);
        else if (!about_types && rc == 0)
            judge(c, q, answer);
    }
    if (rh_questions_missing(all) && !about_types)
        rh_check_say(c, RH_CHECK_SKIP, "no question of the fixture asks lookup '%s'",
                     rh_questions_missing(all));
    rh_subject_close(&s);
}

void
rh_answers_reads(struct rh_checker *c)
{
    ask_each(c, false);
}

void
rh_answers_fits(struct rh_checker *c)
{
    ask_each(c, true);
}

/* A second worker gives the same answer. */
void
rh_answers_agrees(struct rh_checker *c)
{
    const struct rh_questions *all = c->questions;
    struct rh_subject s;

    if (!begin(&s, c))
        return;
    for (size_t i = 0; i < all->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *first = NULL, *second = NULL;
        int once = rh_subject_ask(&s, &all->list[i], &first, &err);
        int twice = rh_subject_again(&s) ? rh_subject_ask(&s, &all->list[i], &second, &err) : -1;

        if (once != twice || !first != !second || (first && !rh_value_equal(first, second)))
            rh_check_say(c, RH_CHECK_WARN, "two answers of %s differ",
                         rh_question_name(c->arena, &all->list[i]));
        if (!s.rt)
            return;
    }
    rh_subject_close(&s);
}

void
rh_answers_ask_all(struct rh_subject *s)
{
    const struct rh_questions *all = s->checker->questions;

    for (size_t i = 0; i < all->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *answer;

        rh_discard(rh_subject_ask(s, &all->list[i], &answer, &err));
    }
}

/* What it was asked for, asking leaves all as it was. */
void
rh_answers_compare(struct rh_checker *c)
{
    rh_autobuf struct rh_buf before = { 0 };
    rh_autobuf struct rh_buf after = { 0 };
    struct rh_subject s;

    if (!c->fixture) {
        rh_check_say(c, RH_CHECK_SKIP, "it needs a fixture, with questions to ask");
        return;
    }
    if (!rh_step_list(c, &before) || !begin(&s, c))
        return;
    rh_answers_ask_all(&s);
    rh_subject_close(&s);
    if (rh_step_list(c, &after))
        rh_step_compare_trees(c, &before, &after, "asked");
}

void
rh_answers_prompt(struct rh_checker *c)
{
    const struct rh_questions *all = c->questions;
    struct rh_subject s;

    if (!begin(&s, c))
        return;
    for (size_t i = 0; i < all->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *answer;
        double began = rh_now(), took;

        if (all->list[i].lookup)
            continue;
        rh_discard(rh_subject_ask(&s, &all->list[i], &answer, &err));
        took = rh_now() - began;
        if (took > FACT_TIME)
            rh_check_say(c, RH_CHECK_FAIL, "%s takes %.0f seconds; a run gives it %d",
                         rh_question_name(c->arena, &all->list[i]), took, FACT_TIME);
        else if (took > PROMPT)
            rh_check_say(c, RH_CHECK_WARN, "%s takes %.1f seconds", rh_question_name(c->arena, &all->list[i]),
                         took);
    }
    rh_subject_close(&s);
}

/* --- Secrets. ----------------------------------------------------------------------------------- */

static bool
has_secrets(struct rh_checker *c)
{
    if (c->secrets && *c->secrets)
        return true;
    rh_check_say(c, RH_CHECK_SKIP,
                 "no question of the fixture has a sensitive parameter or answer of six bytes or more");
    return false;
}

/* What the plugin says is shown without the secrets, and so where there was one. */
void
rh_answers_secret(struct rh_checker *c)
{
    const struct rh_questions *all = c->questions;
    struct rh_subject s;

    if (!has_secrets(c) || !begin(&s, c))
        return;
    for (size_t i = 0; i < all->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *answer;

        if (rh_subject_ask(&s, &all->list[i], &answer, &err) < 0 && strstr(err.message, "[redacted]"))
            rh_check_say(c, RH_CHECK_FAIL, "the message of a failure contains a sensitive value: %s",
                         err.message);
    }
    rh_subject_judge_log(&s);
    rh_subject_close(&s);
}

void
rh_answers_secret_files(struct rh_checker *c)
{
    struct rh_written *written;
    struct rh_subject s;

    if (!has_secrets(c))
        return;
    written = rh_written_watch();
    if (begin(&s, c)) {
        rh_answers_ask_all(&s);
        rh_subject_close(&s);
        rh_secret_files_search(c, true);
        rh_secret_files_take(c, written, true);
    }
    rh_written_close(written);
}

void
rh_answers_borrowed(struct rh_checker *c)
{
    struct rh_subject s;

    if (!begin(&s, c))
        return;
    rh_borrowed_watch(&s);
    rh_answers_ask_all(&s);
    rh_answers_ask_all(&s);
    rh_subject_close(&s);
}
