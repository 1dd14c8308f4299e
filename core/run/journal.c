/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what a run is about to do and what it has done. */
#include "config.h"

#include "run/event.h"
#include "run/journal.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/observed.h"
#include "run/change.h"
#include "run/content.h"
#include "run/event-json.h"
#include "run/stamp.h"
#include "run/transaction-parts.h"
#include "schema/type.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 50, FLUSH_AT = 64 << 10 };

/* What is not on its way to the disk for so long goes there, in seconds: for somebody may want to
 * know where a run was that has hung. */
static const double longest_wait = 0.02;

/* What is the same in one line with a state after the other: what stands before the title, and behind it. */
struct known {
    const struct rh_type *type;
    const char *state;
    struct rh_buf before, behind;
};

struct rh_journal {
    int fd;
    char *folder, *path;
    bool fresh; /* the name of the file may not be on disk yet */
    const struct rh_sources *sources;
    struct rh_buf out;
    off_t written;
    size_t n; /* lines so far */
    double flushed;
    struct rh_stamp stamp;
    struct known known;
    struct rh_error trouble; /* what went wrong while nobody could be told */
};

char *
rh_journal_run(const char *name)
{
    static const char shape[] = "00000000T000000.000-";
    size_t i = 0, n;

    for (; shape[i]; i++)
        if (shape[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != shape[i])
            return NULL;
    n = i + strspn(name + i, "0123456789");
    return n > i && strcmp(name + n, ".jsonl") == 0 ? rh_printf("%.*s", (int)n, name) : NULL;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Run ids sort by time, so the first names are the oldest. */
static void
remove_oldest(const char *state_dir, const char *folder)
{
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;
    char **names = NULL;
    size_t n = 0, cap = 0;

    while (d && (e = readdir(d))) {
        rh_autofree char *run = rh_journal_run(e->d_name);

        if (!run)
            continue; /* not ours to remove */
        names = rh_xgrow(names, &cap, n, sizeof *names);
        names[n++] = rh_xstrdup(e->d_name);
    }
    if (n)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        if (i + KEPT <= n) {
            rh_autofree char *run = rh_journal_run(names[i]);

            if (run)
                rh_contents_remove(state_dir, run);
            if (unlinkat(dirfd(d), names[i], 0) < 0)
                rh_debug("cannot remove the journal '%s': %s", names[i], strerror(errno));
        }
        free(names[i]);
    }
    free(names);
}

static int
flush(struct rh_journal *j, struct rh_error *err)
{
    if (j->out.n && rh_write_all_at(j->fd, j->out.s, j->out.n, j->written) < 0)
        return rh_error_system(err, errno, "cannot write the journal '%s'", j->path);
    j->written += (off_t)j->out.n;
    j->flushed = rh_now();
    rh_buf_truncate(&j->out, 0);
    return 0;
}

/* What every line begins with: its number, and when it was. */
static void
begin_line(struct rh_journal *j)
{
    rh_buf_add(&j->out, "{\"seq\": ");
    rh_buf_add_padded(&j->out, j->n++, 1);
    rh_stamp_add(&j->stamp, &j->out);
}

struct rh_journal *
rh_journal_open(const char *state_dir, const struct rh_journal_head *head, const struct rh_sources *sources,
                struct rh_error *err)
{
    rh_autofree char *folder = rh_printf("%s/runs", state_dir);
    struct rh_journal *j;

    if (rh_make_directory(folder, 0700, err) < 0)
        return NULL;
    remove_oldest(state_dir, folder);
    j = rh_xalloc(sizeof *j);
    j->sources = sources;
    j->folder = rh_take(&folder);
    j->path = rh_printf("%s/%s.jsonl", j->folder, head->run);
    j->fresh = true;
    j->fd = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (j->fd < 0) {
        rh_error_system(err, errno, "cannot create the journal '%s'", j->path);
        free(j->folder);
        free(j->path);
        free(j);
        return NULL;
    }
    begin_line(j);
    rh_json_text(&j->out, "run", head->run);
    rh_json_text(&j->out, "rhost", PACKAGE_VERSION);
    rh_json_text(&j->out, "started", head->started);
    if (head->name)
        rh_host_to_json(&j->out, head->host, head->name);
    if (head->seq)
        rh_json_number(&j->out, "run_seq", (int64_t)head->seq);
    if (head->revision)
        rh_json_text(&j->out, "revision", head->revision);
    rh_json_number(&j->out, "pid", getpid());
    if (head->plan) {
        rh_json_text(&j->out, "plan", head->plan);
        rh_json_text(&j->out, "plan_digest", head->plan_digest);
    }
    if (head->undoes)
        rh_json_text(&j->out, "undoes", head->undoes);
    rh_buf_add(&j->out, "}\n");
    if (flush(j, err) < 0) {
        (void)unlink(j->path);
        (void)close(j->fd);
        rh_buf_clear(&j->out);
        free(j->folder);
        free(j->path);
        free(j);
        return NULL;
    }
    return j;
}

int
rh_journal_batch(struct rh_journal *j, const struct rh_resource *resource, size_t first,
                 const struct rh_task *task, struct rh_error *err)
{
    begin_line(j);
    rh_json_text(&j->out, "batch", resource->type->provider);
    if (!task || !task->notified)
        rh_json_number(&j->out, "index", (int64_t)first);
    rh_resource_to_json(&j->out, resource, j->sources);
    if (task) {
        rh_json_boolean(&j->out, "single", true);
        rh_json_text(&j->out, "action", task->action);
        if (task->trial)
            rh_json_boolean(&j->out, "compare_only", true);
    }
    rh_buf_add(&j->out, "}\n");
    return flush(j, err);
}

int
rh_journal_guard(struct rh_journal *j, const struct rh_resource *resource, struct rh_error *err)
{
    begin_line(j);
    rh_json_boolean(&j->out, "guard", true);
    rh_resource_to_json(&j->out, resource, j->sources);
    rh_buf_add(&j->out, "}\n");
    return flush(j, err);
}

static void
flush_later(struct rh_journal *j)
{
    rh_autoerror struct rh_error err = { 0 };

    if (j->trouble.message || (j->out.n <= FLUSH_AT && rh_now() - j->flushed < longest_wait))
        return;
    if (flush(j, &err) < 0)
        rh_error_move(&j->trouble, &err);
}

/* The state after a change, where it is what was desired: a record of each property, as far as a worker may
 * say so, whatever it has said. */
static void
add_desired(struct rh_journal *j, const struct rh_resource *r)
{
    rh_json_key(&j->out, "after");
    rh_buf_addc(&j->out, '{');
    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);
        const struct rh_attr *attr = rh_type_attr(r->type, e->key);

        if (!attr || !rh_attr_is_property(attr) || attr->sensitive || attr->sensitive_within
            || rh_value_sensitive(e->value) || !rh_observed_is_simple(e->value))
            continue;
        rh_json_key(&j->out, attr->name);
        rh_observed_to_json(&j->out, e->value);
    }
    rh_buf_addc(&j->out, '}');
}

void
rh_journal_event(struct rh_journal *j, const struct rh_event *event)
{
    if (rh_event_is_quiet(event))
        return;
    begin_line(j);
    rh_event_to_json(&j->out, event, j->sources, NULL);
    if (event->as_desired)
        add_desired(j, event->resource);
    rh_buf_add(&j->out, "}\n");
    flush_later(j);
}

static const struct known *
find_known(struct rh_journal *j, const struct rh_type *type, const char *state)
{
    struct known *known = &j->known;

    if (known->type == type && known->state == state)
        return known;
    known->type = type;
    known->state = state;
    rh_buf_truncate(&known->before, 0);
    rh_buf_truncate(&known->behind, 0);
    rh_json_text(&known->before, "state", state);
    rh_json_text(&known->before, "type", type->type);
    rh_json_text(&known->behind, "provider", type->provider);
    return known;
}

void
rh_journal_state(struct rh_journal *j, const struct rh_journal_state *state)
{
    const struct rh_resource *r = state->resource;
    const struct known *known = find_known(j, r->type, state->state);

    begin_line(j);
    rh_json_element(&j->out);
    rh_buf_addn(&j->out, known->before.s, known->before.n);
    rh_json_text(&j->out, "title", r->title);
    if (state->by) {
        rh_json_text(&j->out, "by", state->by);
        rh_json_text(&j->out, "action", state->action);
        if (state->in_sync)
            rh_json_boolean(&j->out, "in_sync", true);
    }
    if (strcmp(state->state, "after") != 0) {
        rh_json_element(&j->out);
        rh_buf_addn(&j->out, known->behind.s, known->behind.n);
        rh_json_value(&j->out, "name", r->name);
        if (rh_value_count(state->parameters))
            rh_json_value(&j->out, "parameters", state->parameters);
        if (rh_value_count(state->secrets))
            rh_json_value(&j->out, "secrets", state->secrets);
    }
    if (state->file)
        rh_json_text(&j->out, "file", state->file);
    else if (state->unknown)
        rh_json_boolean(&j->out, "unknown", true);
    else
        rh_json_value(&j->out, "attributes", state->attributes);
    rh_buf_add(&j->out, "}\n");
    flush_later(j);
}

static int
sync_to_disk(struct rh_journal *j, struct rh_error *err)
{
    if (fdatasync(j->fd) < 0)
        return rh_error_system(err, errno, "cannot sync the journal '%s' to disk", j->path);
    if (j->fresh && rh_sync_directory(j->folder, err) < 0)
        return -1;
    j->fresh = false;
    return 0;
}

int
rh_journal_write(struct rh_journal *j, bool durable, struct rh_error *err)
{
    if (flush(j, err) < 0)
        return -1;
    return durable ? sync_to_disk(j, err) : 0;
}

void
rh_journal_pause(struct rh_journal *j)
{
    j->flushed = 0;
    flush_later(j);
}

void
rh_journal_log(struct rh_journal *j, const struct rh_log_record *record)
{
    begin_line(j);
    rh_log_to_json(&j->out, record, true);
    rh_buf_add(&j->out, "}\n");
    flush_later(j);
}

int
rh_journal_batch_done(struct rh_journal *j, bool changed, struct rh_error *err)
{
    begin_line(j);
    rh_json_text(&j->out, "batch", "done");
    rh_buf_add(&j->out, "}\n");
    if (!changed)
        flush_later(j);
    if (j->trouble.message) {
        rh_error_move(err, &j->trouble);
        return -1;
    }
    if (!changed)
        return 0;
    return rh_journal_write(j, true, err);
}

int
rh_journal_close(struct rh_journal *j, const struct rh_run_end *end, struct rh_error *err)
{
    int rc;

    if (!j)
        return 0;
    begin_line(j);
    rh_json_text(&j->out, "ended", end->run);
    rh_json_number(&j->out, "exit", end->exit);
    if (end->interrupted)
        rh_json_text(&j->out, "interrupted", end->interrupted);
    rh_json_key(&j->out, "seconds");
    rh_buf_addf(&j->out, "%.6f", end->seconds);
    rh_counts_to_json(&j->out, &end->counts);
    rh_buf_add(&j->out, "}\n");
    rc = flush(j, err);
    if (j->trouble.message && rc == 0) {
        rh_error_move(err, &j->trouble);
        rc = -1;
    }
    if (close(j->fd) < 0 && rc == 0)
        rc = rh_error_system(err, errno, "cannot close the journal '%s'", j->path);
    rh_buf_clear(&j->out);
    rh_buf_clear(&j->known.before);
    rh_buf_clear(&j->known.behind);
    rh_error_clear(&j->trouble);
    free(j->folder);
    free(j->path);
    free(j);
    return rc;
}
