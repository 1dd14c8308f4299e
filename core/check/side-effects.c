/* SPDX-License-Identifier: Apache-2.0 */
/* side-effects - what a provider leaves behind in its process, after all that it is there for. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "check/kinds.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/steps.h"
#include "check/subject.h"
#include "plugin/side-effects.h"
#include "provider/runtime.h"
#include "schema/type.h"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* What the provider is there for. */
static void
exercise(struct rh_subject *s)
{
    if (s->checker->questions)
        rh_answers_ask_all(s);
    else
        rh_step_exercise(s);
    if (s->checker->fixture)
        s->checker->verdict = RH_CHECK_PASS; /* whether it works is for other checks to say */
}

/* The part of a list of what is left that has this word, or NULL: "it left descriptors open (3)". */
static const char *
part_with(struct rh_arena *a, const char *bad, const char *word)
{
    const char *at = strstr(bad, word);

    if (!at)
        return NULL;
    while (at > bad && (at[-1] != ' ' || (strncmp(at, "left ", 5) != 0 && strncmp(at, "changed ", 8) != 0)))
        at--;
    return rh_arena_printf(a, "it %.*s", (int)strcspn(at, ","), at);
}

static void
note(struct rh_checker *c, struct rh_value *left, const char *check, const char *text)
{
    if (text && !rh_value_get(left, check))
        rh_value_put(left, check, rh_value_string(c->arena, text));
}

static void
note_signals(struct rh_checker *c, struct rh_value *left, const struct sigaction *before,
             const sigset_t *mask)
{
    struct sigaction after;
    sigset_t now;

    (void)sigprocmask(SIG_SETMASK, NULL, &now);
    for (int i = 1; i < 32; i++) {
        if (sigismember(mask, i) != sigismember(&now, i))
            note(c, left, "signals",
                 rh_arena_printf(c->arena, "it changed the signal mask: %s", strsignal(i)));
        if (sigaction(i, NULL, &after) == 0 && after.sa_handler != before[i].sa_handler)
            note(c, left, "signals",
                 rh_arena_printf(c->arena, "it changed what is done on a signal: %s", strsignal(i)));
    }
}

static int
count_threads(void)
{
    rh_autoclosedir DIR *d = opendir("/proc/self/task");
    int n = 0;

    while (d && readdir(d))
        n++;
    return n;
}

/* alarm() is one of these; those of timer_create() are in a file of the kernel. */
static bool
has_timer(void)
{
    static const int kinds[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
    rh_autofclose FILE *posix = fopen("/proc/self/timers", "re");
    struct itimerval timer;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (getitimer(kinds[i], &timer) == 0 && (timer.it_value.tv_sec || timer.it_value.tv_usec))
            return true;
    return posix && fgetc(posix) != EOF;
}

/* All variables as text. */
static void
add_environment(struct rh_buf *b)
{
    for (char **e = environ; e && *e; e++)
        rh_buf_addf(b, "%s\n", *e);
}

/* The first variable that only one of them has as it is. */
static const char *
changed_variable(struct rh_arena *a, const char *before, const char *after)
{
    for (int turn = 0; turn < 2; turn++) {
        const char *from = turn ? before : after;
        const char *in = rh_arena_printf(a, "\n%s", turn ? after : before);

        for (const char *line = from; *line; line += strcspn(line, "\n") + 1)
            if (!strstr(in, rh_arena_printf(a, "\n%.*s\n", (int)strcspn(line, "\n"), line)))
                return rh_arena_strndup(a, line, strcspn(line, "=\n"));
    }
    return NULL;
}

static void
note_rest(struct rh_checker *c, struct rh_value *left, int threads, const char *variables)
{
    rh_autobuf struct rh_buf now = { 0 };
    const char *name;

    add_environment(&now);
    name = changed_variable(c->arena, variables, rh_buf_text(&now));
    if (name)
        note(c, left, "environment", rh_arena_printf(c->arena, "it changed the variable '%s'", name));
    if (count_threads() > threads)
        note(c, left, "threads",
             rh_arena_printf(c->arena, "it left threads running (%d)", count_threads() - threads));
    if (has_timer())
        note(c, left, "timers", "it left a timer or an alarm running");
}

void
rh_check_side_effects(struct rh_checker *c)
{
    static const char *const words[][2] = {
        { "descriptors", "descriptors" },
        { "children", "child processes" },
        { "umask", "umask" },
        { "directory", "working directory" },
    };
    const char *locale = setlocale(LC_ALL, NULL), *now;
    const char *before = rh_arena_strdup(c->arena, locale ? locale : "");
    struct rh_value *left = rh_value_new(c->arena, RH_HASH);
    rh_autobuf struct rh_buf bad = { 0 };
    struct sigaction actions[32];
    rh_autobuf struct rh_buf variables = { 0 };
    struct rh_side_effects manners;
    int threads = count_threads();
    struct rh_subject s;
    sigset_t mask;

    for (int i = 1; i < 32; i++)
        (void)sigaction(i, NULL, &actions[i]);
    (void)sigprocmask(SIG_SETMASK, NULL, &mask);
    add_environment(&variables);
    rh_side_effects_note(&manners);
    if (!rh_subject_open(&s, c))
        return;
    rh_kinds_watch(c);
    exercise(&s);
    rh_subject_close(&s);
    note(c, left, "kinds", rh_kinds_end(c));
    note_signals(c, left, actions, &mask);
    note_rest(c, left, threads, rh_buf_text(&variables));
    now = setlocale(LC_ALL, NULL);
    if (!now || strcmp(before, now) != 0)
        note(c, left, "locale",
             rh_arena_printf(c->arena, "it changed the locale from '%s' to '%s'", before, now ? now : ""));
    (void)rh_side_effects_check(&manners, &bad);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        note(c, left, words[i][0], part_with(c->arena, rh_buf_text(&bad), words[i][1]));
    rh_value_to_json(&c->payload, left, false);
}

/* The namevars of a resource that was made up; NULL when it lacks one. */
static struct rh_value *
name_of(const struct rh_checker *c, const struct rh_value *resource)
{
    struct rh_value *name = rh_resource_name(c->type, c->arena, resource);

    return name->count == c->type->n_namevars ? name : NULL;
}

/* Refusing is its right, crashing and failing without a reason are not. */
static void
try_validate(struct rh_subject *s, const struct rh_value *resource)
{
    struct rh_value *own = rh_value_copy(s->checker->arena, resource);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_refusal refusal;

    if (rh_runtime_validate(s->rt, s->checker->arena, own, true, NULL, &refusal, &err) < 0
        && strstr(err.message, "without a message"))
        rh_check_say(s->checker, RH_CHECK_FAIL, "%s", err.message);
}

/* A lookup with parameters that are made up. */
static void
try_lookup(struct rh_subject *s, const struct rh_type *lookup, uint64_t *seed)
{
    struct rh_checker *c = s->checker;
    struct rh_fixture_question q = { .name = lookup->type,
                                     .lookup = lookup,
                                     .answer = rh_type_attr(lookup, "answer") };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *answer;

    q.parameters = rh_sample_resource(c->arena, lookup, seed);
    for (size_t i = 0; i < lookup->n_attrs; i++) {
        const struct rh_attr *attr = &lookup->attrs[i];
        bool given = rh_value_get(q.parameters, attr->name) != NULL;

        if (attr->behaviour & RH_NAMEVAR)
            rh_value_drop(q.parameters, attr->name);
        else if (!given && attr->default_value)
            rh_value_put(q.parameters, attr->name, attr->default_value);
        else if (!given && attr->required)
            return;
    }
    if (rh_subject_ask(s, &q, &answer, &err) < 0 && strstr(err.message, "without a message"))
        rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
}

void
rh_answers_random(struct rh_checker *c)
{
    const struct rh_questions *all = c->questions;
    unsigned rounds = c->options->rounds ? c->options->rounds : RH_CHECK_ROUNDS;
    double until = rh_now() + rh_check_seconds(c->options) / 2.0;
    uint64_t seed = c->options->seed;
    struct rh_subject s;

    if (!all->n_lookups) {
        rh_check_say(c, RH_CHECK_SKIP, "it has no lookups");
        return;
    }
    if (!rh_subject_open(&s, c))
        return;
    for (unsigned i = 0; i < rounds && rh_now() < until; i++)
        try_lookup(&s, all->lookups[i % all->n_lookups], &seed);
    rh_subject_close(&s);
}

/* Only what looks is called: canonicalize, validate, and get or load by name. What is slow, as a program may
 * be that starts others, is asked less often. */
void
rh_check_random(struct rh_checker *c)
{
    unsigned limit = rh_check_seconds(c->options);
    unsigned rounds = c->options->rounds ? c->options->rounds : RH_CHECK_ROUNDS;
    double until = rh_now() + limit / 2.0;
    uint64_t seed = c->options->seed;
    struct rh_subject s;

    if (!rh_subject_open(&s, c))
        return;
    for (unsigned i = 0; i < rounds && rh_now() < until; i++) {
        rh_autoerror struct rh_error err = { 0 };
        struct rh_value *resource = rh_sample_resource(c->arena, c->type, &seed);
        struct rh_value *name = name_of(c, resource), *names = rh_value_new(c->arena, RH_ARRAY);

        if (name)
            rh_value_append(names, name);
        if (c->type->slots & RH_HAS_VALIDATE)
            try_validate(&s, resource);
        if (rh_runtime_canonicalize(s.rt, c->arena, resource, NULL, &err) == 0 && name
            && c->type->slots & (RH_HAS_GET | RH_HAS_LOAD))
            rh_discard(rh_subject_read(&s, names, &err));
        if (err.message && strstr(err.message, "without a message"))
            rh_check_say(c, RH_CHECK_FAIL, "%s", err.message);
    }
    rh_subject_close(&s);
}
