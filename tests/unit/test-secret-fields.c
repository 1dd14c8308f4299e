/* SPDX-License-Identifier: Apache-2.0 */
/* test-secret-fields - a secret in every field of every message: what leaves a runtime, what comes into the
 * host, and what the reports and the journal make of it. The tables of fields say where it is planted. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/secrets.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "plugin/incoming.h"
#include "provider/outgoing.h"
#include "provider/redact.h"
#include "provider/runtime-parts.h"
#include "run/audit.h"
#include "run/event-file.h"
#include "run/event-json.h"
#include "run/journal.h"
#include "run/report-format.h"
#include "run/report.h"
#include "schema/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define SECRET "correct-horse"

static struct rh_attr attrs[] = {
    { .name = "name", .behaviour = RH_NAMEVAR },
    { .name = "value" },
};
static struct rh_type type = {
    .type = "thing", .provider = "thing", .version = "1", .attrs = attrs, .n_attrs = 2
};

struct world {
    struct rh_arena *arena;
    struct rh_secrets secrets;
};

static int
set_up(void **state)
{
    struct world *w = test_malloc(sizeof *w);

    *w = (struct world){ .arena = rh_arena_new(NULL) };
    rh_secrets_add(&w->secrets, SECRET, strlen(SECRET));
    *state = w;
    return 0;
}

static int
tear_down(void **state)
{
    struct world *w = *state;

    rh_secrets_clear(&w->secrets);
    rh_arena_free(w->arena);
    test_free(w);
    return 0;
}

/* {"a correct-horse": ["a correct-horse b"]} */
static struct rh_value *
value_with_secret(struct rh_arena *a)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY), *v = rh_value_new(a, RH_HASH);

    rh_value_append(list, rh_value_string(a, "a " SECRET " b"));
    rh_value_put(v, "a " SECRET, list);
    return v;
}

/* Fills in all that a table knows of, and a list with one record. */
static void
plant(struct rh_arena *a, const struct rh_fields *fields, void *record)
{
    static const char text[] = "a " SECRET " b";
    const size_t one = 1;

    for (size_t i = 0; i < fields->n; i++) {
        const struct rh_field *f = &fields->v[i];
        void *at = (char *)record + f->at, *list;

        switch (f->kind) {
        case RH_FIELD_TEXT:
        case RH_FIELD_ATTRIBUTE:
            *(const char **)at = text;
            break;
        case RH_FIELD_VALUE:
        case RH_FIELD_ITEM:
            *(const struct rh_value **)at = value_with_secret(a);
            break;
        case RH_FIELD_LIST:
            list = rh_arena_alloc(a, f->element->size);
            plant(a, f->element, list);
            memcpy(at, &list, sizeof list);
            memcpy((char *)record + f->count_at, &one, sizeof one);
            break;
        case RH_FIELD_OWN:
            *(const char **)at = "thing";
            break;
        case RH_FIELD_HOST:
        case RH_FIELD_NUMBER:
            break;
        }
    }
}

static struct rh_outcome
planted_outcome(struct rh_arena *a)
{
    struct rh_outcome o = { .id = 1, .status = RH_FAILED };

    plant(a, &rh_outcome_fields, &o);
    return o;
}

static struct rh_log_record
planted_log(struct rh_arena *a)
{
    struct rh_log_record r = { .level = RH_WARNING };

    plant(a, &rh_log_fields, &r);
    r.total = 1;
    return r;
}

/* How many of the fields have it. */
static size_t
found(const struct rh_fields *fields, const void *record, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < fields->n; i++) {
        const struct rh_field *f = &fields->v[i];
        const void *at = (const char *)record + f->at;
        rh_autobuf struct rh_buf b = { 0 };
        const char *text;
        size_t count;

        if (f->kind == RH_FIELD_NUMBER)
            continue;
        memcpy(&text, at, sizeof text);
        if (f->kind == RH_FIELD_HOST) {
            assert_null(text);
            continue;
        }
        assert_non_null(text); /* or nothing was planted here */
        if (f->kind == RH_FIELD_LIST) {
            memcpy(&count, (const char *)record + f->count_at, sizeof count);
            assert_int_equal(count, 1);
            n += found(f->element, text, all);
            continue;
        }
        if (f->kind == RH_FIELD_VALUE)
            rh_value_to_json(&b, *(const struct rh_value *const *)at, true);
        else if (f->kind == RH_FIELD_ITEM) /* it keeps its value, with the mark */
            rh_value_to_json(&b, *(const struct rh_value *const *)at, all);
        else
            rh_buf_add(&b, text);
        if (strstr(rh_buf_text(&b), SECRET))
            n++;
        else if (all && f->kind != RH_FIELD_OWN)
            fail_msg("%s.%s has no secret planted", fields->name, f->name);
        else if (f->kind != RH_FIELD_OWN)
            assert_non_null(strstr(rh_buf_text(&b), "[redacted]"));
    }
    return n;
}

/* What is as large as a pointer is known by its name. */
static bool
is_number(const struct rh_field *f)
{
    static const char *const large[] = { "n", "total", "n_differences", "seconds" };

    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        if (strcmp(f->name, large[i]) == 0)
            return true;
    return f->size < sizeof(void *);
}

/* Every byte of a record is a field's, or between two for their alignment: no pointer fits there. */
static void
assert_complete(const struct rh_fields *fields)
{
    size_t at = 0;

    for (size_t i = 0; i < fields->n; i++) {
        const struct rh_field *f = &fields->v[i];

        if (f->at < at || f->at - at >= sizeof(void *))
            fail_msg("a field of %s before '%s' has no row in its table", fields->name, f->name);
        at = f->at + f->size;
        if (f->kind == RH_FIELD_NUMBER && !is_number(f))
            fail_msg("%s.%s is as large as a pointer: is it a number?", fields->name, f->name);
        if (f->kind == RH_FIELD_LIST)
            assert_complete(f->element);
    }
    if (fields->size < at || fields->size - at >= sizeof(void *))
        fail_msg("the last field of %s has no row in its table", fields->name);
}

static void
every_field_has_a_row(void **state)
{
    (void)state;
    assert_complete(&rh_outcome_fields);
    assert_complete(&rh_log_fields);
}

static void
a_secret_is_planted_in_every_field(void **state)
{
    struct world *w = *state;
    struct rh_outcome o = planted_outcome(w->arena);
    struct rh_log_record r = planted_log(w->arena);

    assert_int_equal(found(&rh_outcome_fields, &o, true), 10);
    assert_int_equal(found(&rh_log_fields, &r, true), 3);
}

/* What leaves a runtime. */

static struct rh_buf sent;

static void
on_outcome(void *data, const struct rh_outcome *o)
{
    (void)data;
    assert_int_equal(found(&rh_outcome_fields, o, false), 0);
    rh_buf_add(&sent, "outcome ");
}

static void
on_log(void *data, const struct rh_log_record *r)
{
    (void)data;
    assert_int_equal(found(&rh_log_fields, r, false), 0);
    assert_string_equal(r->type, "thing");
    rh_buf_add(&sent, "log ");
}

static void
assert_item(const struct rh_value *item)
{
    rh_autobuf struct rh_buf b = { 0 };

    rh_value_to_json(&b, item, false);
    assert_null(strstr(rh_buf_text(&b), SECRET));
    assert_non_null(strstr(rh_buf_text(&b), "[redacted]"));
}

static void
on_item(void *data, const struct rh_value *item)
{
    (void)data;
    assert_item(item);
    rh_buf_add(&sent, "item ");
}

/* A resource with it in attributes, known and unknown; the answer to a question. */
static struct rh_value *
resource_with_secret(struct rh_arena *a)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "name", rh_value_string(a, "x"));
    rh_value_put(v, "value", value_with_secret(a));
    rh_value_put(v, SECRET, rh_value_integer(a, 5));
    return v;
}

static struct rh_value *
answer_with_secret(struct rh_arena *a)
{
    struct rh_value *v = rh_value_new(a, RH_ARRAY);

    rh_value_append(v, rh_value_integer(a, 7));
    rh_value_append(v, resource_with_secret(a));
    rh_value_append(v, rh_value_string(a, "it is " SECRET));
    rh_value_append(v, rh_value_string(a, "value"));
    return v;
}

static void
a_runtime_sends_none(void **state)
{
    struct world *w = *state;
    struct rh_runtime rt = { .type = &type,
                             .secrets = w->secrets,
                             .arena_of_batch = w->arena,
                             .sink = { .outcome = on_outcome, .log = on_log, .item = on_item } };
    struct rh_outcome o = planted_outcome(w->arena);
    struct rh_log_record r = planted_log(w->arena);
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf b = { 0 };

    rh_buf_truncate(&sent, 0);
    rh_outgoing_outcome(&rt, &o);
    rh_outgoing_log(&rt, &r);
    rh_outgoing_item(&rt, resource_with_secret(w->arena));
    rh_outgoing_item(&rt, answer_with_secret(w->arena));
    assert_string_equal(rh_buf_text(&sent), "outcome log item item ");
    rh_error_set(&err, RH_EINPUT, "it is %s", SECRET);
    rh_outgoing_error(&rt, &err);
    assert_string_equal(err.message, "it is [redacted]");
    assert_int_equal(err.kind, RH_EINPUT);
    assert_string_equal(rh_outgoing_text(&rt, w->arena, "a\033 " SECRET, 9, false), "a\\x1b [redac");
    rh_outgoing_show(&rt, &b, value_with_secret(w->arena), 0);
    assert_null(strstr(rh_buf_text(&b), SECRET));
    w->secrets = rt.secrets;
    rh_buf_clear(&sent);
}

/* The name of a resource stays what it is, or nobody could find it; so does an attribute's. */
static void
names_are_kept(void **state)
{
    struct world *w = *state;
    struct rh_redaction r = { .secrets = &w->secrets, .arena = w->arena, .type = &type };
    struct rh_outcome o = { .attribute = "value" };
    struct rh_value *v = rh_value_new(w->arena, RH_HASH);

    rh_secrets_add(&w->secrets, "value", 5);
    rh_value_put(v, "name", rh_value_string(w->arena, SECRET));
    rh_redact_item(&r, v);
    assert_string_equal(rh_value_get_str(v, "name", ""), SECRET);
    assert_false(rh_value_sensitive(v));
    rh_redact_fields(&r, &rh_outcome_fields, &o);
    assert_string_equal(o.attribute, "value");
}

/* What comes into the host, from a worker that keeps no secret. */

static void
take(struct world *w, const struct rh_buf *frame, uint32_t answer, struct rh_incoming *in)
{
    const struct rh_intake intake = { .secrets = &w->secrets, .arena = w->arena, .type = &type };
    size_t n = frame->n - RH_FRAME_HEADER;
    char *payload = rh_arena_alloc(w->arena, n + 1);

    memcpy(payload, frame->s + RH_FRAME_HEADER, n);
    assert_true(rh_incoming_take(&intake, answer, payload, n, in));
    assert_int_equal(in->type, answer);
}

/* What is shown while something long goes on passes no other filter. */
static void
progress_is_clean(struct world *w)
{
    const struct rh_progress progress = { .id = 7,
                                          .text = "reads " SECRET,
                                          .counted = true,
                                          .done = 3,
                                          .total = UINT64_C(1) << 40,
                                          .unit = SECRET,
                                          .silence = RH_MOST_BUSY };
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_incoming in;

    rh_message_progress(&b, &progress);
    take(w, &b, RH_PROGRESS, &in);
    assert_int_equal(in.progress.id, 7);
    assert_string_equal(in.progress.text, "reads [redacted]");
    assert_string_equal(in.progress.unit, "[redacted]");
    assert_true(in.progress.counted && in.progress.done == 3 && in.progress.total == UINT64_C(1) << 40);
    assert_int_equal(in.progress.silence, RH_MOST_BUSY);
}

/* What is kept is used later, and not shown: a value with a secret in it is marked as a whole, and so is
 * withheld or encrypted. A record that has one is left out. */
static void
backup_is_clean(struct world *w)
{
    for (int stage = RH_BACKUP_BEFORE; stage <= RH_BACKUP_AFTER; stage++)
        for (int file = 0; file < 2; file++) {
            struct rh_value *all = rh_value_new(w->arena, RH_HASH);
            const struct rh_backup_state state = { .id = 7,
                                                   .stage = (enum rh_backup_stage)stage,
                                                   .state = all,
                                                   .file = file ? "/etc/hosts" : NULL };
            rh_autobuf struct rh_buf b = { 0 };
            const struct rh_value *v;
            struct rh_incoming in;

            rh_value_put(all, attrs[0].name, value_with_secret(w->arena));
            rh_message_backup(&b, &state, stage == RH_BACKUP_BEFORE);
            take(w, &b, RH_BACKUP, &in);
            assert_int_equal(in.backup.id, 7);
            v = rh_value_get(in.backup.state, attrs[0].name);
            if (stage == RH_BACKUP_AFTER)
                assert_null(v);
            else
                assert_true(v->marks & RH_SENSITIVE);
        }
}

static void
answer_is_clean(struct world *w, uint32_t answer)
{
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_outcome o = planted_outcome(w->arena);
    struct rh_log_record r = planted_log(w->arena);
    struct rh_incoming in;
    size_t frame;

    switch (answer) {
    case RH_OUTCOME:
        rh_message_outcome(&b, &o);
        take(w, &b, answer, &in);
        assert_int_equal(found(&rh_outcome_fields, &in.outcome, false), 0);
        return;
    case RH_LOG:
        rh_message_log(&b, &r);
        take(w, &b, answer, &in);
        assert_int_equal(found(&rh_log_fields, &in.log, false), 0);
        return;
    case RH_ITEM:
        for (int i = 0; i < 2; i++) {
            rh_buf_truncate(&b, 0);
            frame = rh_frame_begin(&b, answer);
            rh_put_value(&b, i ? answer_with_secret(w->arena) : resource_with_secret(w->arena));
            rh_frame_end(&b, frame);
            take(w, &b, answer, &in);
            assert_item(in.item);
        }
        return;
    case RH_REFUSED:
    case RH_DONE:
        frame = rh_frame_begin(&b, answer);
        rh_put_text(&b, "it is " SECRET);
        if (answer == RH_REFUSED)
            rh_put_u8(&b, 1);
        rh_put_u32(&b, 1001);
        rh_frame_end(&b, frame);
        take(w, &b, answer, &in);
        assert_int_equal(in.code, 1001);
        assert_string_equal(in.text, "it is [redacted]");
        return;
    case RH_PROGRESS:
        progress_is_clean(w);
        return;
    case RH_BACKUP:
        backup_is_clean(w);
        return;
    case RH_READY:      /* what is declared: it is compared, and not shown */
    case RH_ASK:        /* what is asked is looked up, and not shown */
    case RH_BUSY:       /* a number */
    case RH_SECRET_MET: /* it is learnt */
        return;
    default:
        fail_msg("no secret is planted in %s", rh_incoming_name(answer));
    }
}

static void
the_host_takes_none(void **state)
{
    struct world *w = *state;
    const struct rh_intake intake = { .secrets = &w->secrets, .arena = w->arena, .type = &type };
    size_t n = 0;

    for (uint32_t answer = 0; answer < 100; answer++)
        if (rh_incoming_name(answer)) {
            answer_is_clean(w, answer);
            n++;
        }
    assert_int_equal(n, RH_BACKUP);
    rh_autofree char *text = rh_incoming_text(&intake, "it is " SECRET "!!", 6 + strlen(SECRET));
    assert_string_equal(text, "it is [redacted]");
}

/* What reports and the journal make of it. */

static char *
read_fd(struct rh_arena *a, int fd)
{
    off_t n = lseek(fd, 0, SEEK_END);
    char *text = rh_arena_alloc(a, (size_t)n + 1);

    assert_int_equal(pread(fd, text, (size_t)n, 0), n);
    return text;
}

static void
report_to(const struct rh_reporter *r, const struct rh_event *event, const struct rh_log_record *log)
{
    const struct rh_run_end end = { .run = "x" };

    r->begin(r->data, &(struct rh_run_begin){ .run = "x", .started = "2026-11-22T00:00:00Z" });
    r->log(r->data, log);
    r->event(r->data, event);
    r->end(r->data, &end);
}

/* In one of the formats; the caller's. */
static char *
report_as(enum rh_report_kind kind, const char *path, const struct rh_sources *sources,
          const struct rh_event *event, const struct rh_log_record *log)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_writer *w =
        rh_report_new(&(struct rh_report_options){ .kind = kind, .path = path, .sources = sources }, &err);
    struct rh_reporter r;
    char *text;
    size_t n;

    assert_non_null(w);
    r = rh_report_reporter(w);
    report_to(&r, event, log);
    assert_int_equal(rh_report_close(w, &err), 0);
    text = rh_read_file(path, 1 << 20, &n, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, kind == RH_REPORT_PROMETHEUS ? "rhost_run_resources" : "thing"));
    return text;
}

/* As events; the caller's. */
static char *
events_of(const char *path, const struct rh_sources *sources, const struct rh_event *event,
          const struct rh_log_record *log)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_event_file *file = rh_event_file_open(path, &err);
    struct rh_report_events *events = rh_report_events_new(file, sources, false);
    const struct rh_reporter r = rh_report_events_reporter(events);
    char *text;
    size_t n;

    assert_non_null(file);
    report_to(&r, event, log);
    rh_report_events_free(events);
    assert_int_equal(rh_event_file_close(file, &err), 0);
    text = rh_read_file(path, 1 << 20, &n, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "thing"));
    return text;
}

/* Everything that is printed or written of it, one after the other. */
static char *
all_sinks(struct rh_arena *a, const struct rh_outcome *o, const struct rh_log_record *log)
{
    char folder[] = "/tmp/test-secret-fields.XXXXXX";
    struct rh_sources sources = { 0 };
    const struct rh_difference finding = { .attribute = "value", .from = o->was, .to = o->now, .since = "s" };
    const struct rh_resource resource = { .type = &type, .title = "x" };
    const struct rh_event event = {
        .resource = &resource, .action = "converge", .outcome = o, .findings = &finding, .n_findings = 1
    };
    const struct rh_run_end end = { .run = "20261122T000000.000-1" };
    int fd = memfd_create("report", MFD_CLOEXEC);
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *path = NULL, *run = NULL, *journal = NULL;
    rh_autobuf struct rh_buf reports = { 0 };
    struct rh_report_text *text;
    struct rh_reporter r;
    struct rh_journal *j;
    size_t n;

    assert_non_null(mkdtemp(folder));
    path = rh_printf("%s/report.json", folder);
    run = rh_printf("%s/runs/%s.jsonl", folder, end.run);
    text = rh_report_text_new(&(struct rh_report_text_options){
        .sources = &sources, .fd = fd, .diff = true, .verbose = true, .replayed = true });
    r = rh_report_text_reporter(text);
    report_to(&r, &event, log);
    rh_report_text_free(text);
    for (int kind = 0; kind < RH_REPORTS; kind++) {
        rh_autofree char *report = report_as((enum rh_report_kind)kind, path, &sources, &event, log);

        rh_buf_addf(&reports, "%s\n%s\n", rh_report_formats[kind]->name, report);
    }
    {
        rh_autofree char *events = events_of(path, &sources, &event, log);

        rh_buf_addf(&reports, "events\n%s\n", events);
    }
    j = rh_journal_open(folder,
                        &(struct rh_journal_head){ .run = end.run, .started = "2026-11-22T00:00:00Z" },
                        &sources, &err);
    assert_non_null(j);
    rh_journal_log(j, log);
    rh_journal_event(j, &event);
    assert_int_equal(rh_journal_close(j, &end, &err), 0);
    journal = rh_read_file(run, 1 << 20, &n, &err);
    assert_non_null(journal);
    {
        char *all =
            rh_arena_printf(a, "TEXT\n%s\n%sJOURNAL\n%s", read_fd(a, fd), rh_buf_text(&reports), journal);
        rh_autofree char *runs = rh_printf("%s/runs", folder);

        (void)close(fd);
        (void)unlink(path);
        (void)unlink(run);
        (void)rmdir(runs);
        (void)rmdir(folder);
        rh_sources_clear(&sources);
        return all;
    }
}

static void
no_sink_has_any(void **state)
{
    static const enum rh_status statuses[] = { RH_FAILED, RH_CHANGED, RH_WOULD_CHANGE, RH_SKIPPED };
    struct world *w = *state;

    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        rh_autobuf struct rh_buf a = { 0 }, b = { 0 };
        struct rh_outcome o = planted_outcome(w->arena);
        struct rh_log_record r = planted_log(w->arena);
        struct rh_incoming outcome, line;
        const char *all;

        o.status = statuses[i];
        rh_message_outcome(&a, &o);
        rh_message_log(&b, &r);
        take(w, &a, RH_OUTCOME, &outcome);
        take(w, &b, RH_LOG, &line);
        all = all_sinks(w->arena, &outcome.outcome, &line.log);
        if (strstr(all, SECRET))
            fail_msg("%s", all);
        assert_non_null(strstr(all, "[redacted]"));
        /* It would be found in each of them. */
        all = all_sinks(w->arena, &o, &r);
        assert_non_null(strstr(strstr(all, "TEXT\n"), SECRET));
        for (int kind = 0; kind < RH_REPORTS; kind++) {
            rh_autofree char *name = rh_printf("\n%s\n", rh_report_formats[kind]->name);
            rh_autofree char *report = rh_xstrdup(strstr(all, name) + strlen(name));
            rh_autofree char *next =
                rh_printf("\n%s\n", kind + 1 < RH_REPORTS ? rh_report_formats[kind + 1]->name : "JOURNAL");

            *strstr(report, next) = '\0';
            assert_true(strstr(report, SECRET) || kind == RH_REPORT_PROMETHEUS);
        }
        assert_non_null(strstr(strstr(all, "JOURNAL\n"), SECRET));
    }
}

/* A line of a manifest is not quoted when it has one. */
static void
no_source_line_has_any(void **state)
{
    static const char text[] = "a: b\nc: d " SECRET "\n";
    struct world *w = *state;
    struct rh_sources sources = { .secrets = &w->secrets };
    rh_autobuf struct rh_buf b = { 0 };
    unsigned file = rh_sources_add(&sources, "x.yaml", text, strlen(text));

    rh_sources_add_quote(&sources, (struct rh_place){ .file = (uint16_t)file, .line = 2, .column = 1 }, &b,
                         false);
    assert_string_equal(rh_buf_text(&b), "");
    rh_sources_add_quote(&sources, (struct rh_place){ .file = (uint16_t)file, .line = 1, .column = 1 }, &b,
                         false);
    assert_non_null(strstr(rh_buf_text(&b), "a: b"));
    rh_sources_clear(&sources);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_field_has_a_row),  CASE(a_secret_is_planted_in_every_field),
        CASE(a_runtime_sends_none),   CASE(names_are_kept),
        CASE(the_host_takes_none),    CASE(no_sink_has_any),
        CASE(no_source_line_has_any),
    };

    for (size_t i = 0; i < type.n_attrs; i++)
        rh_type_index_attr(&type, i);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
