/* SPDX-License-Identifier: Apache-2.0 */
/* complete - rhost complete -- WORD...: how the last word of a command line can go on, for shells.
 *
 * The words are read by the tables of commands and options. The first line of the answer says what else the
 * shell may offer ("words", "files", "directories"); each other one is a word, a tab, and what it is. */
#include "config.h"

#include "cli/complete.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/manual-text.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A shell waits for it: it ends in any case, on the slowest machine too. */
enum { SECONDS = 30 };

/* The words so far. */

static const struct rh_command *
find_command(const char *name)
{
    for (size_t i = 0; rh_commands[i]; i++)
        if (strcmp(rh_commands[i]->name, name) == 0)
            return rh_commands[i];
    return NULL;
}

static uint64_t
groups_of(const struct rh_completion *c)
{
    return c->command ? c->command->options : RH_OPT_COMMON | RH_OPT_FRONT;
}

/* The option that a word is, or begins with: "--only", "--only=x", "-n", "-n5"; or the only one that "--on"
 * can mean. */
static const struct rh_option *
find_option(const struct rh_completion *c, const char *word)
{
    size_t n = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0, n_meant = 0;
    const struct rh_option *meant = NULL;

    for (int i = 0; i < RH_OPTIONS; i++) {
        const struct rh_option *o = &rh_option_table[i];
        bool begins = n ? strncmp(o->name, word + 2, n) == 0 : o->letter && o->letter == word[1];

        if (!(o->groups & groups_of(c)) || !begins)
            continue;
        if (!n || !o->name[n])
            return o;
        meant = o;
        n_meant++;
    }
    return n_meant == 1 ? meant : NULL;
}

/* What an option says counts for what can follow; an invalid value is not our business. What refers to this
 * process means the one that will be run. */
static void
take(const struct rh_completion *c, const struct rh_option *o, const char *value)
{
    if (!o->argument || strcmp(o->name, "progress") == 0)
        return;
    rh_discard(o->take(o, c->settings, value));
}

/* Reads the words before the last one; returns the option whose value the last one is, or NULL. `*ended`:
 * "--" was among them. */
static const struct rh_option *
read_words(struct rh_completion *c, char **words, size_t n, const char **operands, bool *ended)
{
    const struct rh_option *waiting = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *word = words[i], *value = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
        const struct rh_option *o;

        if (waiting) {
            take(c, waiting, word);
            waiting = NULL;
        } else if (*ended || word[0] != '-' || !word[1]) {
            if (c->command || !(c->command = find_command(word)))
                operands[c->n_operands++] = word;
        } else if (strcmp(word, "--") == 0) {
            *ended = true;
            c->ended_at = c->n_operands;
        } else if ((o = find_option(c, word)) && o->argument) {
            if (value)
                take(c, o, value + 1);
            else if (word[1] != '-' && word[2])
                take(c, o, word + 2);
            else
                waiting = o;
        }
    }
    c->operands = operands;
    return waiting;
}

/* The last word. */

static void
complete_commands(struct rh_completion *c, bool help)
{
    for (size_t i = 0; rh_commands[i]; i++)
        rh_completion_offer(c, rh_commands[i]->name, rh_commands[i]->summary);
    if (help)
        rh_completion_offer(c, "help", "show the help of a command or a topic");
}

static void
complete_topics(struct rh_completion *c)
{
    struct rh_manual_text t;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "topic", &t));)
        rh_completion_offer(c, t.name, t.title);
}

static void
complete_examples(struct rh_completion *c)
{
    struct rh_manual_text e;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "example", &e));)
        rh_completion_offer(c, e.name, NULL);
}

static void
complete_options(struct rh_completion *c)
{
    for (int i = 0; i < RH_OPTIONS; i++) {
        const struct rh_option *o = &rh_option_table[i];

        if (o->groups & groups_of(c))
            rh_completion_offer(c, rh_arena_printf(c->arena, "--%s%s", o->name, o->argument ? "=" : ""),
                                o->help);
    }
}

static void
complete_option_value(struct rh_completion *c, const struct rh_option *o)
{
    size_t before = c->lines.n;

    rh_completion_offer_list(c, o->expected);
    if (c->lines.n == before)
        rh_complete_value(c, o->argument, o->name);
}

/* "TYPE [TITLE] [ATTR=VALUE...]": the word for operand i, or NULL beyond the last. */
static const char *
operand_word(struct rh_arena *a, const char *arguments, size_t i)
{
    const char *word = NULL;

    for (const char *p = arguments + strspn(arguments, " [|"); *p; p += strspn(p, " [|")) {
        size_t n = strcspn(p, " ]|");
        bool repeats = n > 3 && strncmp(p + n - 3, "...", 3) == 0;

        word = rh_arena_strndup(a, p, repeats ? n - 3 : n);
        p += n;
        p += strspn(p, "].");
        if (i == 0 || repeats)
            return word;
        i--;
    }
    return NULL;
}

/* "push TARGET... FILE... | -- CMD" */
static void
complete_push(struct rh_completion *c, bool ended)
{
    if (ended) {
        rh_complete_pushed(c);
        return;
    }
    c->files = true;
    rh_complete_selection(c);
}

static void
complete_operand(struct rh_completion *c, bool ended)
{
    size_t i = c->n_operands;
    const char *word;

    if (!c->command) {
        if (!i || (i == 1 && strcmp(c->operands[0], "help") == 0))
            complete_commands(c, !i);
        if (i == 1 && strcmp(c->operands[0], "help") == 0)
            complete_topics(c);
        return;
    }
    if (c->command == &rh_command_examples) {
        if (!i)
            complete_examples(c);
        return;
    }
    if (c->command == &rh_command_push) {
        complete_push(c, ended);
        return;
    }
    if (c->command == &rh_command_node) {
        if (i == 0) {
            rh_completion_offer(c, "explain", "show where an attribute comes from");
            rh_completion_offer(c, "eval", "run a list of operations");
        } else if (strcmp(c->operands[0], "explain") == 0) {
            i--;
        } else if (strcmp(c->operands[0], "eval") == 0) {
            c->files = true;
            return;
        }
    }
    if (c->command == &rh_command_graph && c->settings->why && i-- == 0)
        word = "REF"; /* --why A B */
    else
        word = operand_word(c->arena, c->command->arguments, i);
    if (word)
        rh_complete_value(c, word, NULL);
}

static void
complete(struct rh_completion *c, char **words, size_t n)
{
    const char **operands = rh_arena_alloc(c->arena, (n + 1) * sizeof *operands);
    bool ended = false;
    const struct rh_option *o = read_words(c, words, n ? n - 1 : 0, operands, &ended);
    const char *last = n ? words[n - 1] : "", *value = strncmp(last, "--", 2) == 0 ? strchr(last, '=') : NULL;

    c->settings->passive = true;
    c->settings->runs = false;
    c->word = last;
    if (!o && !ended && value && (o = find_option(c, last))) {
        c->lead = rh_arena_strndup(c->arena, last, (size_t)(value + 1 - last));
        c->word = value + 1;
    } else if (!o && !ended && last[0] == '-') {
        complete_options(c);
        return;
    }
    if (o && o->argument)
        complete_option_value(c, o);
    else if (!o)
        complete_operand(c, ended);
}

/* What a manifest or plugin has wrong is said when it is used. */
static void
be_quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    (void)fflush(stderr);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDERR_FILENO);
        (void)close(nowhere);
    }
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_completion c = { .arena = a, .settings = settings, .lead = "", .word = "" };

    be_quiet();
    (void)alarm(SECONDS);
    complete(&c, argv, (size_t)argc);
    (void)printf("%s\n%s",
                 c.directories ? "directories"
                 : c.files     ? "files"
                               : "words",
                 rh_buf_text(&c.lines));
    rh_map_clear(&c.seen);
    rh_buf_clear(&c.lines);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_complete = {
    .name = "complete",
    .arguments = "[-- WORD...]",
    .summary = "print how a command line can go on, for shells",
    .text =
        "The words are those behind 'rhost'; the last one, which may be empty, is completed. The first\n"
        "line of the answer is 'words', 'files' or 'directories', which the shell can offer as well; each\n"
        "other line is a word, a tab and what it is. It runs nothing and writes nothing.",
    .options = RH_OPT_COMMON,
    .run = run,
};
