/* SPDX-License-Identifier: Apache-2.0 */
/* push-show - a push for people: lines with the target in front, status lines, the table at the end. */
#include "config.h"

#include "base/alloc.h"
#include "base/status-line.h"
#include "base/text.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_LINE = 16384,
    MOST_LIVE = 7,
    NAME_WIDTH = 40,
    MOST_ALIKE = 5, /* rows that differ in their names alone */
};

const char *
rh_push_outcome_name(enum rh_push_outcome outcome)
{
    static const char *const names[] = {
        [RH_PUSH_NOT_STARTED] = "not-started", [RH_PUSH_OK] = "ok",
        [RH_PUSH_CHANGED] = "changed",         [RH_PUSH_FAILED] = "failed",
        [RH_PUSH_REFUSED] = "refused",         [RH_PUSH_UNREACHABLE] = "unreachable",
    };

    return names[outcome];
}

/* The length of a colour that rhost prints, at the beginning of a text; 0: there is none. A target could hide
 * text with others. */
static size_t
colour_length(const char *s, size_t n)
{
    static const char *const colours[] = { "\033[0m",  "\033[1m",  "\033[2m",   "\033[31m",
                                           "\033[32m", "\033[33m", "\033[1;32m" };

    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (n >= strlen(colours[i]) && memcmp(s, colours[i], strlen(colours[i])) == 0)
            return strlen(colours[i]);
    return 0;
}

/* Colours of rhost on the target stay, and end with the line; everything else that acts upon a terminal is
 * escaped. */
static void
add_line(struct rh_buf *b, const char *text, size_t n, bool colour)
{
    size_t at = 0;
    bool coloured = false;

    while (at < n) {
        const char *escape = colour ? memchr(text + at, '\033', n - at) : NULL;
        size_t plain = escape ? (size_t)(escape - text) - at : n - at, length = 0;

        rh_buf_add_message(b, text + at, plain);
        at += plain;
        if (!escape)
            break;
        length = colour_length(text + at, n - at);
        if (length)
            rh_buf_addn(b, text + at, length);
        else
            rh_buf_add_message(b, text + at, length = 1);
        coloured |= length > 1;
        at += length;
    }
    if (coloured)
        rh_buf_add(b, "\033[0m");
}

static void
show(const struct rh_host *h, const char *text, size_t n, bool error)
{
    rh_autobuf struct rh_buf line = { 0 };

    rh_buf_add_safe(&line, h->target->name, strlen(h->target->name), false);
    rh_buf_add(&line, ": ");
    add_line(&line, text, n, h->options->colour);
    rh_buf_addc(&line, '\n');
    rh_status_line_hide();
    rh_push_output_add(error ? STDERR_FILENO : STDOUT_FILENO, line.s, line.n);
}

void
rh_push_show_line(const struct rh_host *h, const char *text, bool error)
{
    show(h, text, strlen(text), error);
}

/* Errors are kept for the table. */
static void
note_error(struct rh_host *h, const char *line, size_t n)
{
    rh_autofree char *text = rh_xstrndup(line, n);
    const char *at = strstr(text, "error: ");

    if (at && !h->last_error.n)
        rh_buf_add(&h->last_error, at + strlen("error: "));
}

void
rh_push_show_output(struct rh_host *h, struct rh_buf *partial, const char *text, size_t n, bool error)
{
    bool shown = error || !h->options->json;
    size_t at = 0;
    const char *end;

    rh_buf_addn(partial, text, n);
    while (at < partial->n && (end = memchr(partial->s + at, '\n', partial->n - at))) {
        size_t length = (size_t)(end - partial->s) - at;

        if (error)
            note_error(h, partial->s + at, length);
        if (shown && length) /* the name alone says nothing */
            show(h, partial->s + at, length, error);
        at += length + 1;
    }
    if (at) {
        memmove(partial->s, partial->s + at, partial->n - at);
        rh_buf_truncate(partial, partial->n - at);
    }
    if (partial->n && (!n || partial->n > LONGEST_LINE)) {
        if (shown)
            show(h, partial->s, partial->n, error);
        rh_buf_truncate(partial, 0);
    }
}

static const char *
doing(const struct rh_host *h)
{
    switch (h->step) {
    case RH_HOST_BECOME:
    case RH_HOST_HELLO:
        return "connecting";
    case RH_HOST_KIT:
        return h->kit ? "sending the kit" : "connecting";
    case RH_HOST_SEND:
        return "sending";
    default:
        return h->at ? h->at : "running";
    }
}

/* A line for each target that is at work, and one with the counts. */
void
rh_push_show_live(struct rh_host *hosts, size_t n)
{
    struct rh_buf lines[MOST_LIVE + 1] = { { 0 } };
    const char *shown[MOST_LIVE + 1];
    size_t active = 0, used = 0, counts[RH_PUSH_OUTCOMES] = { 0 }, waiting = 0;

    for (size_t i = 0; i < n; i++) {
        const struct rh_host *h = &hosts[i];

        if (h->step == RH_HOST_DONE)
            counts[h->outcome]++;
        else if (h->step == RH_HOST_WAITING)
            waiting++;
        else if (++active <= MOST_LIVE) {
            rh_buf_addf(&lines[used], "%.*s  ", NAME_WIDTH, h->target->name);
            if (h->total)
                rh_buf_addf(&lines[used], "%zu/%zu  ", h->done, h->total);
            rh_buf_add(&lines[used], doing(h));
            used++;
        }
    }
    rh_buf_addf(&lines[used], "%zu of %zu done", n - active - waiting, n);
    for (int i = RH_PUSH_OK; i < RH_PUSH_OUTCOMES; i++)
        if (counts[i])
            rh_buf_addf(&lines[used], " %s %zu %s", rh_sign_dot(), counts[i],
                        rh_push_outcome_name((enum rh_push_outcome)i));
    used++;
    for (size_t i = 0; i < used; i++)
        shown[i] = rh_buf_text(&lines[i]);
    rh_status_line_show(shown, used);
    for (size_t i = 0; i < used; i++)
        rh_buf_clear(&lines[i]);
}

static void
add_counts(struct rh_buf *b, const struct rh_host_counts *counts)
{
    static const struct {
        enum rh_host_count count;
        const char *word;
    } words[] = { { RH_COUNT_UNCHANGED, "ok" },        { RH_COUNT_CHANGED, "changed" },
                  { RH_COUNT_REFRESHED, "refreshed" }, { RH_COUNT_WOULD_CHANGE, "would change" },
                  { RH_COUNT_FAILED, "failed" },       { RH_COUNT_SKIPPED, "skipped" } };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (counts->each[words[i].count].n)
            rh_buf_addf(b, "%s%" PRId64 " %s", b->n ? ", " : "", counts->each[words[i].count].n,
                        words[i].word);
}

static void
show_row(const struct rh_host *h, int width)
{
    rh_autobuf struct rh_buf what = { 0 }, name = { 0 };

    rh_buf_add_safe(&name, h->target->name, strlen(h->target->name), false);
    add_counts(&what, &h->counts);
    if (h->message) {
        rh_buf_add(&what, what.n ? "; " : "");
        rh_buf_add_message(&what, h->message, strlen(h->message));
    }
    if (h->hint) {
        rh_buf_add(&what, " (");
        rh_buf_add_message(&what, h->hint, strlen(h->hint));
        rh_buf_addc(&what, ')');
    }
    (void)printf("%-*s  %-11s  %s%s", width, rh_buf_text(&name), rh_push_outcome_name(h->outcome),
                 rh_buf_text(&what), h->began > 0 && what.n ? "  " : "");
    if (h->began > 0)
        (void)printf("%.1f s", h->ended - h->began);
    (void)putchar('\n');
}

static void
show_plans(const struct rh_host *hosts, size_t n, const struct rh_push_options *o)
{
    rh_autofree char *dir = o->plans ? rh_safe_text(o->plans->dir) : NULL;
    size_t planned = 0;

    for (size_t i = 0; i < n; i++)
        planned += hosts[i].planned;
    if (planned)
        (void)printf(
            "%zu plan%s in '%s': 'rhost show' shows one, 'rhost push ... -- apply %s' applies them\n",
            planned, planned == 1 ? "" : "s", dir, dir);
}

static bool
is_good(const struct rh_host *h)
{
    return h->outcome == RH_PUSH_OK || h->outcome == RH_PUSH_CHANGED;
}

/* How many targets, from this one on, were not started for the same reason. */
static size_t
count_alike(const struct rh_host *hosts, size_t n)
{
    size_t k = 0;

    while (k < n && hosts[k].outcome == RH_PUSH_NOT_STARTED && !(hosts[k].began > 0) && hosts[k].message
           && strcmp(hosts[k].message, hosts[0].message) == 0)
        k++;
    return k;
}

static void
show_alike(const struct rh_host *hosts, size_t n)
{
    rh_autobuf struct rh_buf row = { 0 };

    rh_buf_add_safe(&row, hosts[0].target->name, strlen(hosts[0].target->name), false);
    rh_buf_add(&row, " to ");
    rh_buf_add_safe(&row, hosts[n - 1].target->name, strlen(hosts[n - 1].target->name), false);
    rh_buf_addf(&row, " (%zu targets)  %s  ", n, rh_push_outcome_name(RH_PUSH_NOT_STARTED));
    rh_buf_add_message(&row, hosts[0].message, strlen(hosts[0].message));
    (void)printf("%s\n", rh_buf_text(&row));
}

/* Those that need attention come last: of many targets, these rows stay on the screen. */
static void
show_rows(const struct rh_host *hosts, size_t n, bool quiet)
{
    size_t width = 0;

    for (size_t i = 0; i < n; i++)
        if (strlen(hosts[i].target->name) > width)
            width = strlen(hosts[i].target->name);
    width = width > NAME_WIDTH ? (size_t)NAME_WIDTH : width;
    for (size_t i = 0; i < n && !quiet; i++)
        if (is_good(&hosts[i]))
            show_row(&hosts[i], (int)width);
    for (size_t i = 0; i < n; i++) {
        size_t alike = count_alike(hosts + i, n - i);

        if (alike > MOST_ALIKE) {
            show_alike(hosts + i, alike);
            i += alike - 1;
        } else if (!is_good(&hosts[i])) {
            show_row(&hosts[i], (int)width);
        }
    }
}

void
rh_push_show_summary(const struct rh_host *hosts, size_t n, const struct rh_push_result *result,
                     const struct rh_push_options *o, double seconds)
{
    const char *between = " ";

    rh_status_line_hide();
    show_rows(hosts, n, o->quiet);
    if (o->quiet && result->by_outcome[RH_PUSH_OK] + result->by_outcome[RH_PUSH_CHANGED] == n)
        return;
    (void)printf("%zu target%s:", n, n == 1 ? "" : "s");
    for (int i = 1; i <= RH_PUSH_OUTCOMES; i++) {
        enum rh_push_outcome outcome = (enum rh_push_outcome)(i % RH_PUSH_OUTCOMES);

        if (result->by_outcome[outcome]) {
            (void)printf("%s%zu %s", between, result->by_outcome[outcome], rh_push_outcome_name(outcome));
            between = ", ";
        }
    }
    if (seconds >= 0)
        (void)printf(" %s %.1f s", rh_sign_dot(), seconds);
    (void)putchar('\n');
    show_plans(hosts, n, o);
}
