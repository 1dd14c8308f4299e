/* SPDX-License-Identifier: Apache-2.0 */
/* check - whether a plugin keeps what the ABI asks of it. */
#include "config.h"

#include "check/check.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value-json.h"
#include "base/value.h"
#include "check/fixture.h"
#include "check/parts.h"
#include "check/question.h"
#include "check/scratch.h"
#include "provider/call.h"
#include "schema/type.h"

#include <stdarg.h>
#include <string.h>

bool
rh_check_exists(const char *name)
{
    for (size_t i = 0; rh_checks[i].name; i++)
        if (strcmp(rh_checks[i].name, name) == 0 || strcmp(rh_checks[i].group, name) == 0)
            return true;
    return false;
}

void
rh_check_suggest(struct rh_suggest *s)
{
    for (size_t i = 0; rh_checks[i].name; i++) {
        rh_suggest_try(s, rh_checks[i].name);
        rh_suggest_try(s, rh_checks[i].group);
    }
}

void
rh_check_each_name(void (*fn)(void *data, const char *name), void *data)
{
    for (size_t i = 0; rh_checks[i].name; i++) {
        fn(data, rh_checks[i].name);
        fn(data, rh_checks[i].group);
    }
}

/* Everything about one plugin. */
struct checking {
    const struct rh_check_options *options;
    void (*take)(void *data, const struct rh_check_result *result);
    void *data;
    struct rh_arena *arena;
    struct rh_fixture fixture;
    bool has_fixture;
    const char *unfit;                /* why the fixture can't be used here, or NULL */
    const struct rh_value *described; /* NULL: it could not be */
    const struct rh_value **providers;
    struct rh_type **types;       /* of the providers; NULL: the description makes none */
    struct rh_check_end *manners; /* of the providers, as far as that was run: `text` is NULL where not */
    bool *unreadable, *unwritable, *uncreated; /* whether 'reads', 'writes' and 'creates' failed */
    bool impure;                               /* and 'pure' */
    size_t n;
    struct rh_questions questions; /* to the lookups and facts, which are behind the providers, at `n` */
    const struct rh_value *shown;  /* what they are called in a result */
    bool has_source, unasked;      /* whether there are some; and whether they can't be asked */
};

static bool
is_wanted(const struct checking *k, const struct rh_check *check)
{
    for (size_t i = 0; i < k->options->n_only; i++)
        if (strcmp(k->options->only[i], check->name) == 0 || strcmp(k->options->only[i], check->group) == 0)
            return true;
    return !k->options->n_only;
}

static void
give(const struct checking *k, const struct rh_check *check, const struct rh_value *description,
     enum rh_verdict verdict, const char *text, double seconds)
{
    k->take(k->data, &(struct rh_check_result){
                         .check = check->name,
                         .group = check->group,
                         .type = rh_value_get_str(description, "type", NULL),
                         .provider = rh_value_get_str(description, "provider", NULL),
                         .verdict = verdict,
                         .text = text,
                         .seconds = seconds,
                     });
}

/* The fixture, when it is for this provider. */
static const struct rh_fixture *
fixture_for(const struct checking *k, const struct rh_type *t)
{
    return k->has_fixture && t && rh_fixture_is_for(&k->fixture, t) ? &k->fixture : NULL;
}

/* And when it can be used. */
static const struct rh_fixture *
usable_fixture(const struct checking *k, const struct rh_type *t)
{
    return k->unfit ? NULL : fixture_for(k, t);
}

/* That of the lookups and facts. */
static const struct rh_fixture *
asking_fixture(const struct checking *k)
{
    return k->has_fixture && k->fixture.questions && !k->unfit ? &k->fixture : NULL;
}

static void
add_secrets_of(struct rh_buf *b, const struct rh_value *given, const struct rh_type *t)
{
    for (size_t i = 0; i < t->n_attrs; i++) {
        const char *s = t->attrs[i].sensitive ? rh_value_get_str(given, t->attrs[i].name, NULL) : NULL;

        if (s && strlen(s) >= 6)
            rh_buf_addn(b, s, strlen(s) + 1);
    }
}

/* Texts that the fixture calls sensitive, as rh_checker has them. */
static void
add_secrets(struct rh_buf *b, const struct rh_fixture *f, const struct rh_type *t,
            const struct rh_questions *questions)
{
    if (questions) {
        rh_questions_add_secrets(b, questions);
        f = NULL;
    }
    for (size_t i = 0; f && i < f->n; i++)
        add_secrets_of(b, f->states[i].given, t);
    if (f && f->info)
        add_secrets_of(b, f->info, f->transport);
    rh_buf_addc(b, '\0');
}

static int
run_one(struct checking *k, const struct rh_check *check, size_t provider, struct rh_check_end *end,
        struct rh_error *err)
{
    bool asks = k->has_source && provider == k->n, any = provider < k->n || asks;
    const struct rh_type *t = any ? k->types[provider] : NULL;
    rh_autobuf struct rh_buf secrets = { 0 };
    struct rh_checker c = {
        .check = check,
        .options = k->options,
        .description = any ? k->providers[provider] : NULL,
        .type = t,
        .fixture = asks ? asking_fixture(k) : usable_fixture(k, t),
        .questions = asks ? &k->questions : NULL,
        .bare = check->fn == rh_check_reads || (provider < k->n && k->unwritable[provider]),
        .arena = k->arena,
    };

    add_secrets(&secrets, c.fixture, t, c.questions);
    c.secrets = secrets.s;
    if (c.fixture && rh_fixture_reset(c.fixture, err) < 0)
        return -1;
    return rh_check_process(&c, k->arena, end, err);
}

/* What a provider leaves behind is one run for all the checks of that. */
static int
take_manners(struct checking *k, const struct rh_check *check, size_t i, struct rh_check_end *end,
             struct rh_error *err)
{
    static const struct rh_check all = { .name = "manners", .fn = rh_check_side_effects };
    rh_autoerror struct rh_error why = { 0 };
    struct rh_check_end *run = &k->manners[i];
    bool first = !run->text;
    const char *text;

    if (first && run_one(k, &all, i, run, err) < 0)
        return -1;
    *end = *run;
    end->seconds = first ? run->seconds : 0;
    if (run->verdict >= RH_CHECK_FAIL)
        return 0;
    text = check->needs & RH_JUDGES_OUTPUT
               ? run->printed
               : rh_value_get_str(rh_value_from_json(k->arena, run->payload, strlen(run->payload), &why),
                                  check->name, NULL);
    if (text) {
        end->verdict = RH_CHECK_FAIL;
        end->text = text;
    }
    return 0;
}

static int
check_provider(struct checking *k, const struct rh_check *check, size_t i, struct rh_error *err)
{
    const struct rh_type *t = k->types[i];
    const struct rh_fixture *f = fixture_for(k, t);
    struct rh_check_end end;

    if (k->has_fixture && t && (k->fixture.type || rh_fixture_only_asks(&k->fixture)) && !f)
        return 0; /* the fixture says whom it is about */
    if (!t && check->fn != rh_check_schema) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "its schema cannot be read", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_READING && k->unreadable[i]) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "it cannot be read", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_PURE && k->impure) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "describing it does that already", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_WRITING && k->unwritable[i]) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "it cannot write", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_CREATING && k->uncreated[i]) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "what it makes is not what was asked for", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_FIXTURE && (!f || !f->n)) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, "it needs a fixture, with states to try", 0);
        return 0;
    }
    if (check->needs & RH_NEEDS_FIXTURE && k->unfit) {
        give(k, check, k->providers[i], RH_CHECK_SKIP, k->unfit, 0);
        return 0;
    }
    if ((check->fn == rh_check_side_effects ? take_manners(k, check, i, &end, err)
                                            : run_one(k, check, i, &end, err))
        < 0)
        return -1;
    if (check->fn == rh_check_reads)
        k->unreadable[i] = end.verdict >= RH_CHECK_FAIL;
    if (check->fn == rh_check_writes)
        k->unwritable[i] = end.verdict >= RH_CHECK_FAIL || end.verdict == RH_CHECK_SKIP;
    if (check->fn == rh_check_creates)
        k->uncreated[i] = end.verdict >= RH_CHECK_FAIL;
    give(k, check, k->providers[i], end.verdict, end.text, end.seconds);
    return 0;
}

/* The same about the lookups and facts of the plugin. */
static int
check_answers(struct checking *k, const struct rh_check *check, struct rh_error *err)
{
    const struct rh_check own = { .name = check->name,
                                  .group = check->group,
                                  .fn = check->answers,
                                  .needs = check->needs & RH_JUDGES_OUTPUT };
    const struct rh_value *who = k->shown;
    struct rh_check_end end;

    if (k->has_fixture && k->fixture.type && !k->fixture.questions)
        return 0; /* the fixture is about a type */
    if (!k->types[k->n] && check->answers != rh_answers_schema)
        return give(k, check, who, RH_CHECK_SKIP, "its schema cannot be read", 0), 0;
    if (check->needs & RH_NEEDS_READING && k->unasked)
        return give(k, check, who, RH_CHECK_SKIP, "its answers cannot be read", 0), 0;
    if (check->needs & RH_NEEDS_PURE && k->impure)
        return give(k, check, who, RH_CHECK_SKIP, "describing it does that already", 0), 0;
    if (k->unfit && k->fixture.questions)
        return give(k, check, who, RH_CHECK_SKIP, k->unfit, 0), 0;
    if ((check->fn == rh_check_side_effects ? take_manners(k, check, k->n, &end, err)
                                            : run_one(k, &own, k->n, &end, err))
        < 0)
        return -1;
    k->unasked |= check->answers == rh_answers_reads && end.verdict >= RH_CHECK_FAIL;
    give(k, check, who, end.verdict, end.text, end.seconds);
    return 0;
}

/* What all else needs: the description. Its check is the one that loads. */
static int
describe(struct checking *k, struct rh_error *err)
{
    const struct rh_check *check = rh_checks;
    rh_autoerror struct rh_error why = { 0 };
    const struct rh_value *list;
    struct rh_check_end end;

    while (check->fn != rh_check_loads)
        check++;
    if (run_one(k, check, SIZE_MAX, &end, err) < 0)
        return -1;
    if (*end.payload)
        k->described = rh_value_from_json(k->arena, end.payload, strlen(end.payload), &why);
    if (end.verdict < RH_CHECK_FAIL && !k->described) {
        end.verdict = RH_CHECK_FAIL;
        end.text = "its description is not JSON";
    }
    if (is_wanted(k, check) || end.verdict >= RH_CHECK_FAIL)
        give(k, check, NULL, end.verdict, end.text, end.seconds);
    list = rh_value_get(k->described, "providers");
    k->n = rh_value_count(list);
    k->has_source = rh_value_get(k->described, "source") != NULL;
    k->providers = rh_arena_alloc(k->arena, (k->n + 1) * sizeof *k->providers);
    k->types = rh_arena_alloc(k->arena, (k->n + 1) * sizeof *k->types);
    k->manners = rh_arena_alloc(k->arena, (k->n + 1) * sizeof *k->manners);
    k->unreadable = rh_arena_alloc(k->arena, k->n * sizeof *k->unreadable);
    k->unwritable = rh_arena_alloc(k->arena, k->n * sizeof *k->unwritable);
    k->uncreated = rh_arena_alloc(k->arena, k->n * sizeof *k->uncreated);
    for (size_t i = 0; i < k->n; i++) {
        rh_autoerror struct rh_error no = { 0 };

        k->providers[i] = rh_value_at(list, i);
        k->types[i] = rh_type_read(k->arena, k->providers[i], &no);
    }
    if (k->has_source) {
        struct rh_value *shown = rh_value_new(k->arena, RH_HASH);

        rh_value_put(shown, "type", rh_value_string(k->arena, "lookups"));
        rh_value_put(shown, "provider", rh_value_string(k->arena, "facts"));
        k->shown = shown;
        k->providers[k->n] = rh_value_get(k->described, "source");
    }
    return 0;
}

/* The questions to lookups and facts: those of the fixture, and to facts that it does not name. What can't be
 * read of their types is for a check to say. */
static int
fit_questions(struct checking *k, struct rh_complaints *complaints, struct rh_error *err)
{
    const struct rh_value *list = k->has_fixture ? k->fixture.questions : NULL;
    size_t before = rh_complaints_count(complaints);
    rh_autoerror struct rh_error why = { 0 };

    if (list && k->described && !k->has_source)
        return rh_error_set(err, RH_EINPUT,
                            "the fixture has 'questions', but the plugin has no lookups and no facts");
    if (!k->has_source)
        return 0;
    if (rh_questions_read(&k->questions, k->arena, k->providers[k->n], list, complaints, &why) < 0)
        return rh_complaints_count(complaints) == before ? 0 : -1;
    k->types[k->n] = k->questions.facts;
    return 0;
}

/* A fixture that is for nobody: says for whom it could be. */
static int
refuse_fixture(const struct checking *k, struct rh_error *err)
{
    const struct rh_fixture *f = &k->fixture;
    rh_autobuf struct rh_buf names = { 0 };
    struct rh_suggest near;

    rh_suggest_init(&near, f->type ? f->type : "");
    for (size_t i = 0; i < k->n; i++) {
        const char *type = rh_value_get_str(k->providers[i], "type", "");

        rh_suggest_try(&near, type);
        rh_buf_addf(&names, "%s'%s'", names.n ? ", " : "", type);
    }
    if (near.best && strcmp(near.best, f->type) != 0)
        return rh_error_set(err, RH_EINPUT, "unknown type '%s' in the fixture", f->type),
               rh_error_suggest(err, near.best, NULL);
    return rh_error_set(err, RH_EINPUT,
                        "the fixture matches no provider of the plugin, which provides the type%s %s",
                        k->n > 1 ? "s" : "", rh_buf_text(&names));
}

/* Whether the fixture is about a type that can't be: the check of its schema says why. */
static bool
is_for_broken(const struct checking *k)
{
    for (size_t i = 0; i < k->n; i++)
        if (!k->types[i]
            && (!k->fixture.type
                || strcmp(k->fixture.type, rh_value_get_str(k->providers[i], "type", "")) == 0))
            return true;
    return false;
}

/* A fixture that is for nobody would check nothing. */
static int
fit_fixture(struct checking *k, struct rh_complaints *complaints, struct rh_error *err)
{
    const struct rh_type *t = NULL;
    size_t n = 0;

    for (size_t i = 0; i < k->n; i++)
        if (fixture_for(k, k->types[i])) {
            t = k->types[i];
            n++;
        }
    if (!k->has_fixture || !k->n || rh_fixture_only_asks(&k->fixture) || (!n && is_for_broken(k)))
        return 0;
    if (!n)
        return refuse_fixture(k, err);
    if (n > 1)
        return rh_error_set(err, RH_EINPUT,
                            "the fixture matches %zu providers of the plugin: add 'type' or 'provider' to it",
                            n);
    if (rh_fixture_fit(&k->fixture, k->arena, t, complaints) < 0)
        return -1;
    return rh_fixture_fit_target(&k->fixture, k->arena, k->described, complaints);
}

static void
nothing(struct rh_checker *c)
{
    (void)c;
}

/* Whether the fixture can be used here: without it, what needs none is still checked. That the
 * machine refuses what it needs is no fault of the plugin; what can't be prepared is one of the
 * fixture. */
static int
try_fixture(struct checking *k, struct rh_error *err)
{
    static const struct rh_check trial = { .name = "fixture", .fn = nothing };
    rh_autoerror struct rh_error missing = { 0 };
    struct rh_check_end end;
    size_t i = 0;

    while (i < k->n && !fixture_for(k, k->types[i]))
        i++;
    if (i == k->n && !(k->has_fixture && k->fixture.questions))
        return 0;
    if (rh_scratch_possible(&k->fixture, &missing) < 0) {
        k->unfit = rh_arena_strdup(k->arena, missing.message);
        return 0;
    }
    if (run_one(k, &trial, i, &end, err) < 0)
        return -1;
    if (end.verdict >= RH_CHECK_FAIL)
        return rh_error_set(err, RH_EINPUT, "%s", end.text);
    if (end.verdict == RH_CHECK_SKIP)
        k->unfit = end.text;
    return 0;
}

static int
check_all(struct checking *k, struct rh_error *err)
{
    for (const struct rh_check *check = rh_checks; check->name; check++) {
        struct rh_check_end end;

        if (!is_wanted(k, check) || check->fn == rh_check_loads)
            continue;
        if (check->needs & RH_NEEDS_PROVIDER) {
            for (size_t i = 0; i < k->n; i++)
                if (check_provider(k, check, i, err) < 0)
                    return -1;
        } else if (!check->fn) {
            /* about lookups and facts alone */
        } else if (!k->described && check->fn != rh_check_symbol) {
            give(k, check, NULL, RH_CHECK_SKIP, "it cannot be described", 0);
        } else {
            if (run_one(k, check, SIZE_MAX, &end, err) < 0)
                return -1;
            k->impure |= check->fn == rh_check_pure && end.verdict >= RH_CHECK_FAIL;
            give(k, check, NULL, end.verdict, end.text, end.seconds);
        }
        if (check->answers && k->has_source && check_answers(k, check, err) < 0)
            return -1;
    }
    return 0;
}

int
rh_check_run(const struct rh_check_options *options,
             void (*take)(void *data, const struct rh_check_result *result), void *data,
             struct rh_complaints *complaints, struct rh_error *err)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(&rh_host_table);
    struct checking k = { .options = options, .take = take, .data = data, .arena = arena };
    int rc = 0;

    if (options->fixture) {
        rc = rh_fixture_open(&k.fixture, arena, options->fixture, complaints, err);
        k.has_fixture = rc == 0;
    }
    if (rc == 0)
        rc = describe(&k, err);
    if (rc == 0)
        rc = fit_fixture(&k, complaints, err);
    if (rc == 0)
        rc = fit_questions(&k, complaints, err);
    if (rc == 0)
        rc = try_fixture(&k, err);
    if (rc == 0)
        rc = check_all(&k, err);
    if (k.has_fixture)
        rh_fixture_close(&k.fixture);
    return rc;
}
