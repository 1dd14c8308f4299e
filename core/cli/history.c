/* SPDX-License-Identifier: Apache-2.0 */
/* history - rhost history REF: what the runs that are kept have done to a resource. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "cli/command.h"
#include "cli/session.h"
#include "run/journal-read.h"
#include "run/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct history {
    struct rh_arena *arena;
    const struct rh_settings *settings;
    struct rh_reference ref;
    struct rh_suggest near; /* resources that the journals have */
    struct rh_buf json;
    size_t n; /* lines so far */
};

/* A line of the journal about the resource: what became of it. */
static bool
is_about(struct history *h, const struct rh_value *line)
{
    const char *type = rh_value_get_str(line, "type", ""), *title = rh_value_get_str(line, "title", "");
    rh_autofree char *text = NULL;

    if (strcmp(type, h->ref.type) == 0 && strcmp(title, h->ref.title) == 0)
        return true;
    if (*type && !h->n) {
        text = rh_printf("%s[%s]", type, title);
        rh_suggest_try(&h->near, text);
        if (h->near.best == text) /* it is kept as it is given */
            h->near.best = rh_arena_strdup(h->arena, text);
    }
    return false;
}

static void
add_json(struct history *h, const struct rh_run_journal *j)
{
    for (size_t i = 0; i < rh_value_count(j->lines); i++) {
        const struct rh_value *line = rh_value_at(j->lines, i);

        rh_buf_add(&h->json, h->json.n ? ",\n  {" : "\n  {");
        rh_json_text(&h->json, "run", j->run);
        for (size_t k = 0; k < rh_value_count(line); k++)
            if (strcmp(rh_value_entry(line, k)->key, "seq") != 0)
                rh_json_value(&h->json, rh_value_entry(line, k)->key, rh_value_entry(line, k)->value);
        rh_buf_addc(&h->json, '}');
    }
}

static void
print_text(const struct history *h, const struct rh_run_journal *j)
{
    struct rh_sources sources = { 0 };
    rh_autofree char *started = rh_safe_text(rh_value_get_str(j->begin, "started", "?"));
    struct rh_report_text *text = rh_report_text_new(&(struct rh_report_text_options){
        .sources = &sources,
        .fd = STDOUT_FILENO,
        .colour = rh_session_colour(h->settings, STDOUT_FILENO),
        .diff = h->settings->diff,
        .verbose = true,
        .causes = true,
        .replayed = true,
    });
    const struct rh_reporter reporter = rh_report_text_reporter(text);

    (void)printf("%srun %s, started %s\n", h->n ? "\n" : "", j->run, started);
    (void)fflush(stdout);
    rh_replay(j, &sources, &reporter);
    rh_report_text_flush(text);
    rh_report_text_free(text);
    rh_sources_clear(&sources);
}

/* Leaves what is about the resource in the journal, and shows it. */
static void
show(struct history *h, struct rh_run_journal *j)
{
    struct rh_value *lines = rh_value_new(j->arena, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(j->lines); i++)
        if (is_about(h, rh_value_at(j->lines, i)))
            rh_value_append(lines, rh_value_at(j->lines, i));
    j->lines = lines;
    if (!rh_value_count(lines))
        return;
    if (h->settings->format == RH_FORMAT_TEXT)
        print_text(h, j);
    else
        add_json(h, j);
    h->n += rh_value_count(lines);
}

static int
show_all(struct history *h, const char *state_dir, const struct rh_run_names *names)
{
    int status = RH_EXIT_OK;

    for (size_t i = 0; i < names->n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        struct rh_run_journal j;

        if (rh_run_journal_read(state_dir, names->v[i], &j, &err) < 0) {
            rh_log_error(RH_ERR, &err);
            status = RH_EXIT_FAILED;
            continue;
        }
        show(h, &j);
        for (size_t k = 0; k < rh_value_count(j.problems); k++)
            rh_log(RH_WARNING, "the journal of run %s: %s", j.run, rh_value_at(j.problems, k)->u.string);
        rh_run_journal_clear(&j);
    }
    return status;
}

static void
print_end(const struct history *h, const char *name)
{
    rh_autofree char *shown = rh_safe_text(name), *hint = rh_did_you_mean(h->near.best, NULL);

    if (h->settings->format != RH_FORMAT_TEXT)
        (void)printf("[%s%s]\n", rh_buf_text(&h->json), h->json.n ? "\n" : "");
    else if (!h->n)
        (void)printf("no change of %s is recorded%s%s\n", shown, hint ? ": " : "", hint ? hint : "");
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct history h = { .arena = arena, .settings = settings };
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;
    int status;

    if (argc != 1)
        return rh_usage_error(&rh_command_history,
                              argc ? "expected one REF" : "no REF given, such as 'file[/etc/motd]'");
    if (!rh_reference_parse(arena, argv[0], &h.ref))
        return rh_usage_error(&rh_command_history, "'%s' is not a reference: expected type[title]", argv[0]);
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_run_names_read(state_dir, &names, &err) < 0) {
        rh_log_error(RH_ERR, &err);
        return RH_EXIT_REFUSED;
    }
    rh_suggest_init(&h.near, argv[0]);
    status = show_all(&h, state_dir, &names);
    print_end(&h, argv[0]);
    rh_buf_clear(&h.json);
    rh_run_names_clear(&names);
    return status;
}

const struct rh_command rh_command_history = {
    .name = "history",
    .arguments = "REF",
    .summary = "show what earlier runs did to a resource",
    .text =
        "REF is type[title], quoted for the shell: 'file[/etc/motd]'. For each run that is kept, newest\n"
        "first, it shows what became of the resource, when, and from and to which values. Behind a change\n"
        "stands 'drift' when the manifest asked for the same as in the run before, and 'manifest changed'\n"
        "when it asked for something else, or for the first time.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_DIFF,
    .run = run,
};
