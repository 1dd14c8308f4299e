/* SPDX-License-Identifier: Apache-2.0 */
/* test-bridge-talk - a program that says what is wrong: it is refused with the reason, nothing of what it
 * said wrongly is passed on, and nobody listens to it any more. */
#include "config.h"

#include "../../plugins/bridge/parts.h"
#include "../../plugins/bridge/talk.h"
#include "../../plugins/bridge/text.h"

#include <rhost/catalog.h>
#include <rhost/overlap.h>
#include <rhost/private.h>
#include <rhost/program.h>
#include <rhost/progress.h>
#include <rhost/provider.h>

#include <rhost/fake-host.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_LINES = 20 };

static struct rhost_fake fake;

/* The program: what it says, a line each, and whether it was ended. */
static struct {
    const char *lines[MOST_LINES];
    size_t at, n;
    bool greeted, ended;
    bool answers;  /* it has begun to */
    bool is_early; /* it speaks before it is asked */
    uint64_t number;
} program;

#define TOKEN ((struct rhost_program *)(void *)&program)

static int32_t
start(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_program **started)
{
    (void)ctx;
    (void)command;
    program.ended = program.greeted = false;
    *started = TOKEN;
    return 0;
}

static int32_t
say(rhost_ctx *ctx, struct rhost_program *p, const char *text, size_t n)
{
    (void)ctx;
    (void)p;
    if (program.ended)
        return rhost_fail(ctx, "told after its end");
    if (program.answers)
        rhost_fake_say(&fake, "told %.*s", (int)n, text);
    return 0;
}

static int32_t
hear(rhost_ctx *ctx, struct rhost_program *p, const char *doing, const char **line, size_t *n,
     uint64_t *number)
{
    (void)p;
    if (program.ended)
        return rhost_fail(ctx, "heard after its end");
    if (strcmp(doing, "hello") == 0 && !program.greeted) {
        program.greeted = true;
        if (program.n && strstr(program.lines[0], "hello"))
            *line = program.lines[program.at++];
        else
            *line = "{\"hello\":{\"protocol\":1}}";
    } else if (program.at == program.n) {
        program.ended = true;
        return rhost_fail(ctx, "it ended");
    } else {
        program.answers = true;
        *line = program.lines[program.at++];
    }
    *n = strlen(*line);
    *number = ++program.number;
    return 0;
}

static int32_t
waits(rhost_ctx *ctx, struct rhost_program *p)
{
    (void)ctx;
    (void)p;
    return program.is_early && program.greeted;
}

static bool
is_near(const char *wanted, const char *word)
{
    struct near near = { .wanted = wanted };

    near_try(&near, word);
    return near.best != NULL;
}

/* Short names may differ by one letter, longer ones by two. */
static void
a_letter_more_less_or_exchanged_is_one_mistake(void **state)
{
    static const char *const near[][2] = {
        { "abc", "abc" },  { "abc", "ab" },    { "abc", "bc" },      { "abc", "ac" },  { "abc", "abcd" },
        { "abc", "xabc" }, { "abc", "abx" },   { "abc", "xbc" },     { "abc", "acb" }, { "abc", "bac" },
        { "ab", "ba" },    { "abcd", "badc" }, { "abcd", "abcdef" }, { "a", "b" },
    };
    static const char *const far[][2] = {
        { "abc", "cab" }, { "abc", "a" },     { "abc", "c" },  { "abc", "axy" },   { "abc", "abcde" },
        { "abc", "cba" }, { "abc", "bca" },   { "abcd", "a" }, { "abcd", "dcba" }, { "aab", "baa" },
        { "abb", "bba" }, { "abcd", "cdab" }, { "ab", "cd" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof near / sizeof near[0]; i++)
        if (!is_near(near[i][0], near[i][1]) || !is_near(near[i][1], near[i][0]))
            fail_msg("'%s' is not near '%s'", near[i][0], near[i][1]);
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
        if (is_near(far[i][0], far[i][1]))
            fail_msg("'%s' is near '%s'", far[i][0], far[i][1]);
}

static void
end(rhost_ctx *ctx, struct rhost_program *p, const char *why)
{
    (void)ctx;
    (void)p;
    (void)why;
    program.ended = true;
}

static void
stop(rhost_ctx *ctx, struct rhost_program *p)
{
    (void)ctx;
    (void)p;
}

static void
be_patient(rhost_ctx *ctx, struct rhost_program *p, uint32_t milliseconds)
{
    (void)ctx;
    (void)p;
    rhost_fake_say(&fake, "wait %u", (unsigned)milliseconds);
}

static const struct rhost_programs programs = {
    .struct_size = sizeof programs,
    .start = start,
    .say = say,
    .hear = hear,
    .waits = waits,
    .end = end,
    .stop = stop,
    .wait = be_patient,
};

static const struct rhost_attr attrs[] = {
    { .name = "name", .type = "String", .desc = "d", .behaviour = RHOST_NAMEVAR },
    { .name = "size", .type = "Any", .desc = "d" },
    { .name = "beyond", .type = "Any", .desc = "n_attrs ends before it", .behaviour = RHOST_NAMEVAR },
};

static const char *argv[] = { "frob", NULL };
static const struct rhost_provider *served_providers[2];
static struct description description = { .program = "frob", .folder = "/", .argv = argv };
static struct served served = { .of = &description, .custom_insync = true };

static rhost_value *
named(const char *name)
{
    rhost_value *v = rhost_fake_hash(&fake);

    rhost_put_str(v, "name", name);
    return v;
}

static const rhost_value *
catalog_find(rhost_ctx *ctx, const char *type, const char *title)
{
    (void)ctx;
    (void)type;
    return named(title);
}

static const rhost_value *
catalog_all(rhost_ctx *ctx, const char *type)
{
    (void)ctx;
    return named(type);
}

static const rhost_value *
catalog_below(rhost_ctx *ctx, const char *path)
{
    (void)ctx;
    return named(path);
}

static const struct rhost_catalog catalog = {
    .struct_size = sizeof catalog, .find = catalog_find, .all = catalog_all, .below = catalog_below
};

static void
alive(rhost_ctx *ctx)
{
    (void)ctx;
    if (program.answers)
        rhost_fake_say(&fake, "alive");
}

static const struct rhost_progress progress = { .struct_size = sizeof progress, .alive = alive };

static struct rhost_programs extension; /* as this host has it */

static const void *
find(const char *id)
{
    return strcmp(id, RHOST_SERVED_ID) == 0     ? (const void *)&served
           : strcmp(id, RHOST_PROGRAM_ID) == 0  ? (const void *)&extension
           : strcmp(id, RHOST_PROGRESS_ID) == 0 ? (const void *)&progress
           : strcmp(id, RHOST_CATALOG_ID) == 0  ? (const void *)&catalog
                                                : NULL;
}

static int32_t
refuse_to_emit(rhost_ctx *ctx, const rhost_value *resource)
{
    (void)resource;
    return rhost_fail(ctx, "not taken");
}

/* What the host is like, and the program, besides what is called. */
static void
arrange(const char *call)
{
    extension = programs;
    description.several = strstr(call, "of several") != NULL;
    program.answers = description.several; /* the question is of interest, too */
    program.is_early = strstr(call, "too early") != NULL;
    if (strstr(call, "from an old host"))
        extension.struct_size = offsetof(struct rhost_programs, wait);
    if (strstr(call, "that is not taken"))
        fake.host.emit = refuse_to_emit;
}

/* The next answer, where the first of all words is one. */
static int
next(void)
{
    const rhost_value *says = NULL;
    struct talk talk;
    int rc = talk_begin(&talk, &fake.ctx, "lookup");

    if (rc == 0)
        rc = talk_ask(&talk);
    if (rc == 0)
        rc = talk_next(&talk, 1U << ANSWER_ANSWER | 1U << ANSWER_DONE, &says);
    talk_end(&talk);
    return rc;
}

/* Calls the provider while the program says these lines; what was told to the host, and to the program since
 * its first answer. */
static const char *
called(const char *call, const char *const *lines)
{
    const struct rhost_provider *p = &bridge_callbacks;
    struct rhost_change changes[3];
    const struct rhost_change *list[] = { &changes[0], &changes[1],
                                          &changes[2] }; /* the last is not asked about */
    rhost_value *resource;
    int32_t rc;

    memset(&program, 0, sizeof program);
    while (lines[program.n]) {
        program.lines[program.n] = lines[program.n];
        program.n++;
    }
    arrange(call);
    fake.find = find;
    for (size_t i = 0; i < 3; i++) {
        const char *name = (const char *[]){ "a", "b", "beyond" }[i];

        changes[i] = (struct rhost_change){
            .struct_size = sizeof changes[i], .title = name, .name = named(name), .should = named(name)
        };
    }
    resource = named("a");
    if (strncmp(call, "set", 3) == 0)
        rc = p->set(&fake.ctx, list, 2);
    else if (strncmp(call, "get", 3) == 0)
        rc = p->get(&fake.ctx, NULL);
    else if (strcmp(call, "act") == 0)
        rc = p->act(&fake.ctx, &changes[0], "polish");
    else if (strncmp(call, "suits", 5) == 0)
        rc = p->suits(&fake.ctx);
    else if (strcmp(call, "insync") == 0)
        rc = p->insync(&fake.ctx, &changes[0], "size");
    else if (strcmp(call, "lookup") == 0)
        rc = next();
    else
        rc = p->canonicalize(&fake.ctx, resource);
    rhost_fake_say(&fake, "returned %d%s", (int)rc,
                   seat_of(&fake.ctx, &description, false)->process->program ? "" : ", and lost the program");
    if (program.at < program.n)
        rhost_fake_say(&fake, "and did not hear the rest");
    return fake.said;
}

/* The lines of the block up to the empty one, as one text, with what it was asked and says taken out. */
struct talk_case {
    char call[40], *lines[MOST_LINES], *said;
    size_t n;
};

static bool
read_case(FILE *f, struct talk_case *c)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    memset(c, 0, sizeof *c);
    c->said = rhost_fake_copy("", 0);
    while ((n = getline(&line, &room, f)) > 0 && (line[0] != '\n' || !*c->call)) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        line[n - 1] = '\0';
        if (!*c->call) {
            snprintf(c->call, sizeof c->call, "%s", line);
        } else if (line[0] == '>') {
            assert_true(c->n + 1 < MOST_LINES);
            c->lines[c->n++] = rhost_fake_copy(line + 2, strlen(line + 2));
        } else {
            size_t before = strlen(c->said);

            c->said = rhost_fake_memory(c->said, before + (size_t)n + 1);
            snprintf(c->said + before, (size_t)n + 1, "%s\n", line);
        }
    }
    free(line);
    return *c->call;
}

static void
free_case(struct talk_case *c)
{
    for (size_t i = 0; i < c->n; i++)
        free(c->lines[i]);
    free(c->said);
}

/* What the host was told, with refusals in the short form of the table. */
static char *
shortened(const char *call, const char *said)
{
    char *text = rhost_fake_copy("", 0), prefix[100];
    size_t n = 0;

    while (*said) {
        size_t len = strcspn(said, "\n") + 1, skip = 0;
        unsigned number = 0;
        bool is_greeting = strstr(said, "was asked 'hello'") != NULL;

        snprintf(prefix, sizeof prefix, "fail: the program 'frob' was asked '%.*s', and line ",
                 is_greeting ? 5 : (int)strcspn(call, " "), is_greeting ? "hello" : call);
        text = rhost_fake_memory(text, n + len + sizeof prefix);
        if (strncmp(said, prefix, strlen(prefix)) == 0) {
            skip = (size_t)(strstr(said, " of its output is wrong: ") + 25 - said);
            number = (unsigned)strtoul(said + strlen(prefix), NULL, 10);
            n += (size_t)sprintf(text + n, "refused at %u: ", number);
        }
        memcpy(text + n, said + skip, len - skip);
        n += len - skip;
        text[n] = '\0';
        said += len;
    }
    return text;
}

static void
what_is_wrong_is_refused_and_has_no_effect(void **state)
{
    FILE *f = fopen(SRCDIR "/tests/unit/bridge-talk.txt", "re");
    struct talk_case c;
    size_t n = 0;

    (void)state;
    assert_non_null(f);
    for (; read_case(f, &c); n++, free_case(&c)) {
        char *said;

        rhost_fake_init(&fake);
        said = shortened(c.call, called(c.call, (const char *const *)c.lines));
        if (strcmp(said, c.said) != 0)
            print_error("%s, answered by %s\n", c.call, c.n ? c.lines[0] : "nothing");
        assert_string_equal(said, c.said);
        free(said);
        rhost_fake_clear(&fake);
    }
    assert_true(n > 150);
    free_case(&c);
    fclose(f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_letter_more_less_or_exchanged_is_one_mistake),
        cmocka_unit_test(what_is_wrong_is_refused_and_has_no_effect),
    };

    served.provider = bridge_callbacks;
    served.provider.type = served.provider.name = "frob";
    served.provider.attrs = attrs;
    served.provider.n_attrs = sizeof attrs / sizeof attrs[0] - 1;
    served_providers[0] = &served.provider;
    description.plugin.providers = served_providers;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
