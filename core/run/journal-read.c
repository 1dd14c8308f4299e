/* SPDX-License-Identifier: Apache-2.0 */
/* journal-read - journals as they are found on disk. */
#include "config.h"

#include "run/journal-read.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 30, LONGEST_HEAD = 32 << 10 };

/* Names. */

static int
newest_first(const void *a, const void *b)
{
    return strcmp(*(char *const *)b, *(char *const *)a);
}

int
rh_run_names_read(const char *state_dir, struct rh_run_names *names, struct rh_error *err)
{
    rh_autofree char *folder = rh_printf("%s/runs", state_dir);
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;
    size_t cap = 0;

    *names = (struct rh_run_names){ 0 };
    if (!d && errno == ENOENT)
        return 0;
    if (!d)
        return rh_error_system(err, errno, "cannot search for journals in '%s'", folder);
    while ((e = readdir(d))) {
        rh_autofree char *run = rh_journal_run(e->d_name);

        if (!run)
            continue;
        names->v = rh_xgrow(names->v, &cap, names->n, sizeof *names->v);
        names->v[names->n++] = rh_take(&run);
    }
    if (names->n)
        qsort(names->v, names->n, sizeof *names->v, newest_first);
    return 0;
}

void
rh_run_names_clear(struct rh_run_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    free(names->v);
    *names = (struct rh_run_names){ 0 };
}

const char *
rh_run_names_find(const struct rh_run_names *names, const char *word, struct rh_error *err)
{
    const char *found = NULL;
    struct rh_suggest near;
    size_t n = 0;

    if (!names->n) {
        rh_error_set(err, RH_EINPUT, "no run is recorded");
        return NULL;
    }
    if (strcmp(word, "last") == 0)
        return names->v[0];
    rh_suggest_init(&near, word);
    rh_suggest_try(&near, "last");
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->v[i], word) == 0)
            return names->v[i];
        rh_suggest_try(&near, names->v[i]);
        if (*word && strncmp(names->v[i], word, strlen(word)) == 0) {
            found = names->v[i];
            n++;
        }
    }
    if (n == 1)
        return found;
    if (n)
        rh_error_set(err, RH_EINPUT, "%zu runs begin with '%s', for example %s: add more characters", n, word,
                     found);
    else if (rh_error_set(err, RH_EINPUT, "unknown run '%s'", word) < 0)
        (void)rh_error_suggest(err, near.best, "'rhost runs' lists them");
    return NULL;
}

/* Lines. */

/* A line that can't be read, until it is known whether what it says was written again. */
struct bad {
    size_t line; /* 0: none */
    char *why;
};

struct reading {
    struct rh_run_journal *j;
    int64_t next; /* number of a line that was not seen yet */
    struct bad bad;
};

static void
report_bad(struct reading *r)
{
    if (r->bad.line)
        rh_value_append(
            r->j->problems,
            rh_value_string(r->j->arena,
                            rh_arena_printf(r->j->arena, "skipping line %zu, which cannot be read: %s",
                                            r->bad.line, r->bad.why)));
    free(r->bad.why);
    r->bad = (struct bad){ 0 };
}

static bool
same_resource(const struct rh_value *under_way, const struct rh_value *event)
{
    rh_autofree char *text =
        rh_printf("%s[%s]", rh_value_get_str(event, "type", ""), rh_value_get_str(event, "title", ""));

    return strcmp(rh_value_get_str(under_way, "resource", ""), text) == 0;
}

static void
count(struct rh_run_journal *j, const struct rh_value *event)
{
    const struct rh_value *ignored = rh_value_get(event, "ignored");
    enum rh_status status;

    if (rh_value_is(ignored, RH_BOOLEAN) && ignored->u.integer)
        j->counts.ignored++;
    else if (rh_status_read(rh_value_get_str(event, "status", ""), &status))
        j->counts.by_status[status]++;
}

/* An event may have the state after it, which stands in a line of its own otherwise. Returns the event alone.
 */
static struct rh_value *
take_after(struct rh_run_journal *j, struct rh_value *line)
{
    const struct rh_value *after = rh_value_get(line, "after");
    struct rh_value *state, *event;

    if (!rh_value_is(after, RH_HASH))
        return line;
    state = rh_value_hash(j->arena, 5);
    rh_value_put(state, "state", rh_value_string(j->arena, "after"));
    if (rh_value_get(line, "seq"))
        rh_value_put_ref(state, "seq", rh_value_get(line, "seq"));
    rh_value_put_ref(state, "type", rh_value_get(line, "type"));
    rh_value_put_ref(state, "title", rh_value_get(line, "title"));
    rh_value_put_ref(state, "attributes", after);
    rh_value_append(j->states, state);
    event = rh_value_hash(j->arena, rh_value_count(line));
    for (size_t i = 0; i < rh_value_count(line); i++)
        if (rh_value_entry(line, i)->value != after)
            rh_value_put_ref(event, rh_value_entry(line, i)->key, rh_value_entry(line, i)->value);
    return event;
}

static void
take_line(struct rh_run_journal *j, struct rh_value *line)
{
    const char *batch = rh_value_get_str(line, "batch", NULL);

    j->last = line;
    if (rh_value_get_str(line, "run", NULL)) {
        j->begin = line;
    } else if (rh_value_get_str(line, "ended", NULL)) {
        j->end = line;
    } else if (batch) {
        j->under_way = strcmp(batch, "done") == 0 ? NULL : line;
    } else if (rh_value_get_str(line, "state", NULL)) {
        rh_value_append(j->states, line);
    } else if (rh_value_get(line, "guard")) {
        j->under_way = line;
    } else if (rh_value_get_str(line, "type", NULL)) {
        count(j, line);
        rh_value_append(j->lines, take_after(j, line));
        if (rh_value_get(j->under_way, "guard") && same_resource(j->under_way, line))
            j->under_way = NULL; /* the guard said no, or could not be asked */
    } else if (rh_value_get_str(line, "message", NULL)) {
        rh_value_append(j->lines, line);
    }
}

static void
read_line(struct reading *r, size_t number, const char *text, size_t n)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_value *line = rh_value_from_json(r->j->arena, text, n, &why);
    const struct rh_value *own = rh_value_get(line, "seq");

    if (!rh_value_is(line, RH_HASH)) {
        report_bad(r);
        r->bad.line = number;
        r->bad.why = why.message ? rh_take(&why.message) : rh_xstrdup("it is not a JSON object");
        return;
    }
    if (rh_value_is(own, RH_INTEGER)) {
        if (own->u.integer < r->next)
            return; /* it was written before */
        if (own->u.integer > r->next)
            report_bad(r);
        r->next = own->u.integer < INT64_MAX ? own->u.integer + 1 : INT64_MAX;
        free(r->bad.why);
        r->bad = (struct bad){ 0 };
    }
    take_line(r->j, line);
}

static void
read_lines(struct rh_run_journal *j, const char *text, size_t n)
{
    struct reading r = { .j = j };
    size_t number = 1;

    for (const char *end; n; number++, n -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', n);
        if (!end)
            break; /* it was being written when the run was killed, or still is */
        if (end > text)
            read_line(&r, number, text, (size_t)(end - text));
    }
    report_bad(&r);
}

/* What the last line says of how many there were. */
static void
take_counts(struct rh_run_journal *j)
{
    const struct rh_value *counts = rh_value_get(j->end, "counts");

    if (!rh_value_is(counts, RH_HASH))
        return;
    j->counts = (struct rh_counts){ 0 };
    for (size_t i = 0; i < rh_value_count(counts); i++) {
        const struct rh_entry *e = rh_value_entry(counts, i);
        enum rh_status status;
        size_t n = 0;

        if (rh_value_is(e->value, RH_INTEGER) && e->value->u.integer > 0)
            n = (size_t)e->value->u.integer;
        if (strcmp(e->key, "total") == 0)
            j->counts.total = n;
        else if (strcmp(e->key, "ignored") == 0)
            j->counts.ignored = n;
        else if (strcmp(e->key, "refresh_failed") == 0)
            j->counts.refresh_failed = n;
        else if (strcmp(e->key, "refresh_skipped") == 0)
            j->counts.refresh_skipped = n;
        else if (strcmp(e->key, "audited") == 0)
            j->counts.audited = n;
        else if (strcmp(e->key, "not_reached") == 0)
            j->counts.not_reached = n;
        else if (rh_status_read(e->key, &status))
            j->counts.by_status[status] = n;
    }
    /* They are among those. */
    if (j->counts.refresh_failed > j->counts.by_status[RH_FAILED])
        j->counts.refresh_failed = 0;
    if (j->counts.refresh_skipped > j->counts.by_status[RH_SKIPPED])
        j->counts.refresh_skipped = 0;
}

/* It has ended, and nobody has looked yet. */
static bool
is_zombie(pid_t process)
{
    rh_autofree char *path = rh_printf("/proc/%d/stat", (int)process);
    size_t n;
    rh_autofree char *stat = rh_read_file(path, 4096, &n, NULL);
    const char *behind = stat ? strrchr(stat, ')') : NULL;

    return behind && (strncmp(behind, ") Z", 3) == 0 || strncmp(behind, ") X", 3) == 0);
}

/* Whether the process that wrote it is there, and is what we are: its number may be another's now. */
static bool
is_there(const struct rh_value *process)
{
    rh_autofree char *path = NULL, *theirs = NULL, *ours = NULL;
    size_t n;

    if (!rh_value_is(process, RH_INTEGER) || process->u.integer < 2 || process->u.integer > INT32_MAX
        || (kill((pid_t)process->u.integer, 0) < 0 && errno != EPERM) || is_zombie((pid_t)process->u.integer))
        return false;
    path = rh_printf("/proc/%d/comm", (int)process->u.integer);
    theirs = rh_read_file(path, 4096, &n, NULL);
    ours = rh_read_file("/proc/self/comm", 4096, &n, NULL);
    return !theirs || !ours || strcmp(theirs, ours) == 0;
}

int
rh_run_journal_read(const char *state_dir, const char *run, struct rh_run_journal *j, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/runs/%s.jsonl", state_dir, run);
    rh_autofree char *text = NULL;
    struct stat st;
    size_t n = 0;

    *j = (struct rh_run_journal){ 0 };
    if (lstat(path, &st) < 0)
        return rh_error_system(err, errno, "cannot read the journal '%s'", path);
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "journal '%s' is not a regular file", path);
    text = rh_read_kept_file(path, LARGEST, &n, err);
    if (!text)
        return rh_error_prefix(err, "cannot read a journal");
    j->arena = rh_arena_new(NULL);
    j->run = rh_arena_strdup(j->arena, run);
    j->lines = rh_value_new(j->arena, RH_ARRAY);
    j->states = rh_value_new(j->arena, RH_ARRAY);
    j->problems = rh_value_new(j->arena, RH_ARRAY);
    read_lines(j, text, n);
    if (!j->begin)
        rh_value_append(j->problems, rh_value_string(j->arena, "its first line is missing"));
    if (j->end)
        j->under_way = NULL;
    else
        j->goes_on = is_there(rh_value_get(j->begin, "pid"));
    take_counts(j);
    return 0;
}

void
rh_run_journal_clear(struct rh_run_journal *j)
{
    rh_arena_free(j->arena);
    *j = (struct rh_run_journal){ 0 };
}

uint64_t
rh_run_journal_number(const char *state_dir, const char *run)
{
    rh_autofree char *path = rh_printf("%s/runs/%s.jsonl", state_dir, run);
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error ignored = { 0 };
    char line[LONGEST_HEAD];
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line);
    const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
    const struct rh_value *v = end ? rh_value_from_json(a, line, (size_t)(end - line), &ignored) : NULL;

    v = rh_value_is(v, RH_HASH) ? rh_value_get(v, "run_seq") : NULL;
    return rh_value_is(v, RH_INTEGER) && v->u.integer > 0 ? (uint64_t)v->u.integer : 0;
}
