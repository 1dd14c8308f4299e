/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-state - files that rhost reads back: a plan, which may come from another machine, and what lies in the
 * state directory. The first line of an input says which; the rest is the file. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "run/confirm.h"
#include "run/journal-read.h"
#include "run/pending.h"
#include "run/plan.h"
#include "run/report.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[64];
static const char run_name[] = "20260101T000000.000-1";

static void
must(bool holds, const char *what)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void
put(const char *name, const char *text, size_t n)
{
    char path[200];
    int fd;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || (n && write(fd, text, n) != (ssize_t)n) || close(fd) < 0)
        abort();
}

static void
drop(const char *name)
{
    char path[200];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    (void)unlink(path);
}

/* Reports go to standard output, which leads nowhere. */
static struct rh_report_text *
text_report(const struct rh_sources *sources)
{
    return rh_report_text_new(&(struct rh_report_text_options){
        .sources = sources, .fd = STDOUT_FILENO, .diff = true, .verbose = true, .replayed = true });
}

static void
read_plan(const char *text, size_t n)
{
    const struct rh_plan_key key = { "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" };
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_sources sources = { 0 };
    struct rh_plan plan;
    struct rh_report_text *report;
    struct rh_reporter reporter;

    if (rh_plan_parse(text, n, &plan, &err) < 0) {
        must(err.message != NULL, "a plan is refused with a reason");
        return;
    }
    (void)rh_plan_is_genuine(&plan, &key); /* which the fuzzer finds out: it sees what is compared */
    (void)rh_plan_digest_of(&plan);
    rh_plan_add_counts(&plan, &b);
    rh_plan_markdown(&plan, &b);
    rh_buf_truncate(&b, 0);
    must(rh_plan_compare(&plan, &plan, &b) == 0, "a plan does not differ from itself");
    report = text_report(&sources);
    reporter = rh_report_text_reporter(report);
    reporter.begin(reporter.data, &(struct rh_run_begin){ .run = "", .started = "", .noop = true });
    rh_replay_lines(rh_value_get(plan.v, "resources"), &sources, &reporter);
    rh_report_text_flush(report);
    rh_report_text_free(report);
    rh_sources_clear(&sources);
    rh_plan_clear(&plan);
}

static void
replay(const struct rh_run_journal *j, int kind)
{
    struct rh_sources sources = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_run_end end = { .run = j->run, .counts = j->counts, .unended = !j->end };
    struct rh_report_writer *w = rh_report_new(
        &(struct rh_report_options){ .kind = (enum rh_report_kind)kind, .sources = &sources }, &err);
    struct rh_reporter reporter;

    if (!w)
        abort();
    reporter = rh_report_reporter(w);
    reporter.time(reporter.data, rh_replay_seconds(j->begin));
    reporter.begin(reporter.data, &(struct rh_run_begin){ .run = j->run, .started = "" });
    rh_replay(j, &sources, &reporter);
    reporter.end(reporter.data, &end);
    (void)rh_report_close(w, &err);
    rh_sources_clear(&sources);
}

static void
read_journal(const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_sources sources = { 0 };
    struct rh_run_journal j;
    struct rh_report_text *report;
    struct rh_reporter reporter;
    char name[64];

    (void)snprintf(name, sizeof name, "runs/%s.jsonl", run_name);
    put(name, text, n);
    if (rh_run_journal_read(folder, run_name, &j, &err) < 0) {
        must(err.message != NULL, "a journal is refused with a reason");
        return;
    }
    for (size_t i = 0; i < rh_value_count(j.problems); i++)
        must(rh_value_is(rh_value_at(j.problems, i), RH_STRING), "a problem is a text");
    report = text_report(&sources);
    reporter = rh_report_text_reporter(report);
    rh_replay(&j, &sources, &reporter);
    rh_report_text_flush(report);
    rh_report_text_free(report);
    rh_sources_clear(&sources);
    for (int kind = 0; kind < RH_REPORTS; kind++)
        replay(&j, kind);
    rh_run_journal_clear(&j);
}

static void
read_confirm(const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_confirm c;

    put("confirm.json", text, n);
    if (rh_confirm_read(folder, &c, &err) < 0) {
        must(err.message != NULL, "what waits is refused with a reason");
    } else {
        if (c.run) {
            (void)rh_confirm_is_of_other_boot(&c);
            (void)rh_confirm_left(&c);
            for (size_t i = 0; i < rh_value_count(c.options); i++)
                must(rh_value_is(rh_value_at(c.options, i), RH_STRING), "an option is a text");
        }
        rh_confirm_clear(&c);
    }
    drop("confirm.json");
}

static void
read_pending(const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_pending_list *list;

    put("pending.jsonl", text, n);
    list = rh_pending_open(folder, NULL, NULL, &err);
    must(list || err.message, "what is pending is refused with a reason");
    for (size_t i = 0; list && i < rh_pending_count(list); i++) {
        const struct rh_pending *d = rh_pending_at(list, i);

        must(d->type && d->title && d->action && d->by, "a notification has a target and a notifier");
        rh_pending_to_json(&b, d);
    }
    if (list)
        must(rh_pending_close(list, &err) == 0, "what is only looked at is closed");
    drop("pending.jsonl");
}

static void
read_key(const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_plan_key key;

    put("plan-key.json", text, n);
    if (rh_plan_key_read(folder, &key, &err) == 0)
        must(strlen(key.hex) == RH_PLAN_DIGEST - 1, "a key has its length");
    drop("plan-key.json");
}

static void
remove_folder(void)
{
    char path[200];

    (void)snprintf(path, sizeof path, "runs/%s.jsonl", run_name);
    drop(path);
    (void)snprintf(path, sizeof path, "%s/runs", folder);
    (void)rmdir(path);
    (void)rmdir(folder);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char runs[80];

    (void)argc;
    (void)argv;
    (void)snprintf(folder, sizeof folder, "%s/rhost-fuzz.XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder) || !freopen("/dev/null", "w", stdout))
        abort();
    rh_log_set_level(RH_ERR);
    (void)snprintf(runs, sizeof runs, "%s/runs", folder);
    if (mkdir(runs, 0700) < 0 || atexit(remove_folder) != 0)
        abort();
    return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        const char *name;
        void (*read)(const char *text, size_t n);
    } all[] = { { "plan\n", read_plan },
                { "journal\n", read_journal },
                { "confirm\n", read_confirm },
                { "pending\n", read_pending },
                { "key\n", read_key } };
    const char *text = (const char *)data;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        size_t n = strlen(all[i].name);

        if (size >= n && memcmp(text, all[i].name, n) == 0)
            all[i].read(text + n, size - n);
    }
    return 0;
}
