/* SPDX-License-Identifier: Apache-2.0 */
/* powerloss - applies a manifest, records what it writes and syncs, and looks at what the disk may have
 * had if the power had gone. Usage: powerloss RHOST PLUGIN-DIR STATES RECOVERIES [SYNC]
 * With SYNC, such as fdatasync, these calls do nothing: that must be noticed.
 *
 * Before each sync, and at the end, up to STATES states of the disk are made (see disk-model.h). In each:
 * - a file that replaces another has its old or its new content, whole; one that replaces nothing may be
 *   incomplete as long as no journal says that its batch is done;
 * - what a journal says of a batch that is done is so, and of a batch that was followed by another the
 *   journal says it;
 * - where a notifier has changed and its target has not run, the pending notification is there;
 * - the files of the state directory are whole.
 * After RECOVERIES of them rhost is run again, and must converge and deliver. */
#include "config.h"

#include "disk-model.h"
#include "disk-watch.h"
#include "scenario.h"
#include "tracer.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, MAX_TOLD = 20 };

struct rig {
    struct scenario s;
    struct disk *disk;
    size_t limit, recoveries; /* of one scenario */
    size_t points, states, distinct, recovered, violations, incomplete;
    char journal[300]; /* that the run writes, relative to the top */
    uint64_t *seen;    /* hashes of states */
    size_t cap_seen;
    struct tree *kept; /* a choice of distinct states, to recover from */
    size_t n_kept;
};

static void
complain(struct rig *r, const struct tree *state, const char *what, const char *path)
{
    r->violations++;
    if (r->violations > MAX_TOLD)
        return;
    printf("  violation: %s: %s\n", path, what);
    for (size_t i = 0; r->violations == 1 && state && i < state->n; i++)
        printf("    %s (%zu bytes)\n", state->v[i].path, state->v[i].size);
}

/* Does the state fit what has happened? */

static const char *
journal_of(const struct tree *state)
{
    const char *text = NULL;

    for (size_t i = 0; i < state->n; i++)
        if (strncmp(state->v[i].path, "state/runs/", 11) == 0)
            text = state->v[i].path; /* the last one */
    return text;
}

static size_t
line_length(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));

    return newline ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

static bool
line_has(const char *line, size_t n, const char *text)
{
    return memmem(line, n, text, strlen(text));
}

/* Whether the journal says that a batch is done in which the thing at `path` was changed. */
static bool
journal_says_done(const struct rig *r, const struct entry *journal, const char *path)
{
    const char *at = journal->content, *end = at + journal->size;
    char full[600];
    bool changed = false;

    snprintf(full, sizeof full, "%s/%s", r->s.top, path);
    for (size_t n; at < end; at += n) {
        n = line_length(at, end);
        if (at[n - 1] != '\n')
            break;
        if (line_has(at, n, "\"status\": \"changed\"") && line_has(at, n, full))
            changed = true;
        if (changed && line_has(at, n, "\"batch\": \"done\""))
            return true;
    }
    return false;
}

/* How much of the journal must be on disk: up to the last batch that was done, has changed something, and
 * has something behind it. */
static size_t
promised(const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    size_t result = 0, done = 0;
    bool changed = false;

    for (size_t n; at < end; at += n) {
        n = line_length(at, end);
        result = done ? done : result;
        done = 0;
        changed |= line_has(at, n, "\"status\": \"changed\"");
        if (line_has(at, n, "\"batch\": \"done\"")) {
            done = changed ? (size_t)(at - text) + n : 0;
            changed = false;
        }
    }
    return result;
}

static void
check_journal(struct rig *r, const struct tree *state)
{
    const char *path = journal_of(state);
    const struct entry *journal = path ? tree_find(state, path) : NULL;
    bool old = path && tree_find(&r->s.base, path);
    size_t size = 0, owing;
    const char *text;

    text = *r->journal ? disk_newest(r->disk, r->journal, &size) : NULL;
    owing = text ? promised(text, size) : 0;
    if (owing && (!journal || old || journal->size < owing || memcmp(journal->content, text, owing) != 0))
        complain(r, state, "the journal lacks a batch that was done before another began", r->journal);
    if (!journal || old)
        return;
    for (size_t i = 0; i < r->s.done.n; i++) {
        const struct entry *e = &r->s.done.v[i];

        if (scenario_is_managed(e->path) && !entry_same(e, tree_find(state, e->path))
            && journal_says_done(r, journal, e->path))
            complain(r, state, "the journal says done, and it is not on disk", e->path);
    }
}

static bool
is_temporary(const char *path)
{
    const char *base = strrchr(path, '/');

    return base && strstr(base, ".rhost-");
}

static void
check_files(struct rig *r, const struct tree *state)
{
    for (size_t i = 0; i < state->n; i++) {
        const struct entry *is = &state->v[i];
        const struct entry *was = tree_find(&r->s.base, is->path), *new = tree_find(&r->s.done, is->path);

        if (!scenario_is_managed(is->path) || is_temporary(is->path) || (was && entry_same(is, was))
            || (new &&entry_same(is, new)))
            continue;
        if (!was && new)
            r->incomplete++; /* that it isn't done is for the journal to say */
        else
            complain(r, state, "neither old nor new", is->path);
    }
    for (size_t i = 0; i < r->s.base.n; i++) {
        const char *path = r->s.base.v[i].path;

        if (scenario_is_managed(path) && !tree_find(state, path) && tree_find(&r->s.done, path))
            complain(r, state, "gone", path);
    }
}

static void
check_pending(struct rig *r, const struct tree *state)
{
    const struct entry *record = tree_find(state, "effects/record");
    const struct entry *owed = tree_find(state, "state/pending.jsonl");

    for (size_t i = 0; scenario_effects[i]; i++) {
        char path[20], title[40];
        const struct entry *is, *was;

        snprintf(path, sizeof path, "files/%c", *scenario_effects[i]);
        snprintf(title, sizeof title, "\"title\": \"%c\"", *scenario_effects[i]);
        is = tree_find(state, path);
        was = tree_find(&r->s.base, path);
        if (entry_same(is, was) || (record && strstr(record->content, scenario_effects[i])))
            continue;
        if (!owed || !line_has(owed->content, owed->size, title))
            complain(r, state, "changed, its target has not run, and no notification is pending", path);
    }
}

static void
check_state_files(struct rig *r, const struct tree *state)
{
    static const char *const names[] = { "state/plugins.json", "state/audit.json", "state/schedule.json" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct entry *e = tree_find(state, names[i]);

        if (e
            && (e->size < 3 || e->content[0] != '{' || strncmp(e->content + e->size - 2, "}\n", 2) != 0
                || memchr(e->content, 0, e->size)))
            complain(r, state, "not whole", names[i]);
    }
}

static uint64_t
hash(const struct tree *state)
{
    uint64_t h = 14695981039346656037U;

    for (size_t i = 0; i < state->n; i++) {
        const struct entry *e = &state->v[i];

        for (const char *p = e->path; *p; p++)
            h = (h ^ (unsigned char)*p) * 1099511628211U;
        for (size_t k = 0; k < e->size; k++)
            h = (h ^ (unsigned char)e->content[k]) * 1099511628211U;
        h = (h ^ e->mode) * 1099511628211U;
    }
    return h ? h : 1;
}

static bool
is_new(struct rig *r, uint64_t h)
{
    if (2 * r->distinct >= r->cap_seen) {
        uint64_t *old = r->seen;
        size_t n = r->cap_seen;

        r->cap_seen = n ? 4 * n : 4096;
        r->seen = calloc(r->cap_seen, sizeof *r->seen);
        if (!r->seen)
            give_up("allocate", "a table");
        for (size_t i = 0; i < n; i++)
            if (old[i]) {
                size_t k = old[i] % r->cap_seen;

                while (r->seen[k])
                    k = (k + 1) % r->cap_seen;
                r->seen[k] = old[i];
            }
        free(old);
    }
    size_t k = h % r->cap_seen;

    while (r->seen[k] && r->seen[k] != h)
        k = (k + 1) % r->cap_seen;
    if (r->seen[k])
        return false;
    r->seen[k] = h;
    r->distinct++;
    return true;
}

static void
keep(struct rig *r, const struct tree *state)
{
    struct tree *t;
    size_t at = r->n_kept;

    /* A reservoir: each distinct state has the same chance. */
    if (at == r->recoveries) {
        at = (size_t)(r->distinct * 2654435761U) % r->distinct;
        if (at >= r->recoveries)
            return;
        tree_clear(&r->kept[at]);
    } else {
        r->n_kept++;
    }
    t = &r->kept[at];
    *t = (struct tree){ 0 };
    for (size_t i = 0; i < state->n; i++) {
        const struct entry *e = &state->v[i];
        char *content = e->content ? malloc(e->size + 1) : NULL;

        if (content)
            memcpy(content, e->content, e->size + 1);
        tree_add(t, e->path, e->mode, content, e->size);
    }
}

static void
on_state(void *data, const struct tree *state)
{
    struct rig *r = data;

    r->states++;
    check_files(r, state);
    check_journal(r, state);
    check_pending(r, state);
    check_state_files(r, state);
    if (r->recoveries && is_new(r, hash(state)))
        keep(r, state);
}

/* The first one that was not there before. */
static void
find_journal(struct rig *r)
{
    char folder[300];
    DIR *d;
    const struct dirent *e;

    snprintf(folder, sizeof folder, "%s/state/runs", r->s.top);
    d = opendir(folder);
    while (d && (e = readdir(d))) {
        snprintf(r->journal, sizeof r->journal, "state/runs/%.200s", e->d_name);
        if (*e->d_name != '.' && !tree_find(&r->s.base, r->journal))
            break;
        r->journal[0] = '\0';
    }
    if (d)
        (void)closedir(d);
}

static void
power_goes(void *data)
{
    struct rig *r = data;

    if (!*r->journal)
        find_journal(r);
    r->points++;
    (void)disk_states(r->disk, r->limit, on_state, r);
}

static void
recover(struct rig *r)
{
    for (size_t i = 0; i < r->n_kept; i++) {
        const char *wrong = NULL;
        int status;

        tree_lay_out(&r->kept[i], r->s.top);
        status = scenario_apply(&r->s);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 2))
            wrong = "the run afterwards failed";
        else
            wrong = scenario_check(&r->s);
        if (wrong) {
            complain(r, r->violations ? NULL : &r->kept[i], wrong, "recovery");
            if (r->violations < 3)
                printf("%s\n", read_whole(r->s.output, NULL));
        }
        r->recovered++;
        tree_clear(&r->kept[i]);
    }
}

/* Nothing is kept for undo: what the store syncs for itself covers nothing else by chance. */
static void
without_backup(struct scenario *s)
{
    size_t n = 0;

    while (s->argv[n])
        n++;
    if (n + 1 >= sizeof s->argv / sizeof s->argv[0])
        give_up("add --no-backup to", s->argv[0]);
    s->argv[n] = "--no-backup";
    s->argv[n + 1] = NULL;
}

static void
one(const char *name, const char *const *args, const char *isolation, bool cold, struct rig *sum)
{
    struct rig r = { .limit = strtoul(args[2], NULL, 10), .recoveries = strtoul(args[3], NULL, 10) };
    struct disk_watch watch = { .power_goes = power_goes, .data = &r };
    const struct trace_hooks hooks = { &watch, NULL, disk_watch_enter, disk_watch_leave };
    struct trace_end end;

    scenario_open(&r.s, args[0], args[1], NULL, isolation, cold);
    if (strstr(name, "without backup"))
        without_backup(&r.s);
    r.kept = calloc(r.recoveries + 1, sizeof *r.kept);
    r.disk = disk_new(&r.s.base, r.s.top);
    watch.disk = r.disk;
    watch.top = r.s.top;
    watch.ignore = args[4];
    if (!r.kept || trace_run(r.s.argv, r.s.output, &hooks, SECONDS, &end) < 0)
        give_up("trace", args[0]);
    if (!WIFEXITED(end.status) || WEXITSTATUS(end.status) != 2)
        complain(&r, NULL, "the recorded run failed", name);
    power_goes(&r);
    recover(&r);
    printf("%-22s %4zu points, %7zu states, %5zu recovered from, %4zu with an incomplete new file, "
           "%zu violations\n",
           name, r.points, r.states, r.recovered, r.incomplete, r.violations);
    sum->points += r.points;
    sum->states += r.states;
    sum->recovered += r.recovered;
    sum->violations += r.violations;
    disk_free(r.disk);
    scenario_close(&r.s);
    free(r.kept);
    free(r.seen);
}

int
main(int argc, char **argv)
{
    struct rig sum = { 0 };
    const char *const *args = (const char *const *)(argv + 1);

    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: powerloss RHOST PLUGIN-DIR STATES RECOVERIES [SYNC]\n");
        return 2;
    }
    if (!trace_is_supported()) {
        printf("skipped: the tracer does not know this machine\n");
        return 77;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    one("with workers", args, "worker", false, &sum);
    one("first run, workers", args, "worker", true, &sum);
    one("inline", args, "none", false, &sum);
    one("first run, inline", args, "none", true, &sum);
    one("without backup", args, "none", false, &sum);
    printf("%zu points, %zu states tried, %zu recovered from, %zu violations\n", sum.points, sum.states,
           sum.recovered, sum.violations);
    return sum.violations > 0;
}
