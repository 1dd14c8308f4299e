/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what a run is about to do and what it has done. */
#include "config.h"

#include "run/journal.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "run/audit.h"
#include "run/event-json.h"
#include "run/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 50, FLUSH_AT = 64 << 10 };

struct rh_journal {
    int fd;
    char *path;
    struct rh_buf out;
    char *trouble; /* what went wrong while nobody could be told */
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Run ids sort by time, so the first names are the oldest. */
static void
remove_oldest(const char *folder)
{
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;
    char **names = NULL;
    size_t n = 0, cap = 0;

    while (d && (e = readdir(d)))
        if (strlen(e->d_name) > 6 && strcmp(e->d_name + strlen(e->d_name) - 6, ".jsonl") == 0) {
            names = rh_xgrow(names, &cap, n, sizeof *names);
            names[n++] = rh_xstrdup(e->d_name);
        }
    if (n)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        if (i + KEPT < n && unlinkat(dirfd(d), names[i], 0) < 0)
            rh_debug("cannot remove the journal '%s': %s", names[i], strerror(errno));
        free(names[i]);
    }
    free(names);
}

static int
flush(struct rh_journal *j, struct rh_error *err)
{
    if (j->out.n && rh_write_all(j->fd, j->out.s, j->out.n) < 0)
        return rh_error_system(err, errno, "cannot write the journal '%s'", j->path);
    rh_buf_truncate(&j->out, 0);
    return 0;
}

struct rh_journal *
rh_journal_open(const char *state_dir, const char *run, const char *started, struct rh_error *err)
{
    rh_autofree char *folder = rh_printf("%s/runs", state_dir);
    struct rh_journal *j;

    if (rh_make_directory(folder, 0700, err) < 0)
        return NULL;
    remove_oldest(folder);
    j = rh_xalloc(sizeof *j);
    j->path = rh_printf("%s/%s.jsonl", folder, run);
    j->fd = open(j->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (j->fd < 0) {
        rh_error_system(err, errno, "cannot create the journal '%s'", j->path);
        free(j->path);
        free(j);
        return NULL;
    }
    rh_buf_addf(&j->out, "{\"run\": \"%s\", \"rhost\": \"%s\", \"started\": \"%s\", \"process\": %d}\n",
                run, PACKAGE_VERSION, started, (int)getpid());
    return j;
}

int
rh_journal_batch(struct rh_journal *j, const char *provider, size_t first, struct rh_error *err)
{
    rh_buf_addf(&j->out, "{\"batch\": \"%s\", \"first\": %zu}\n", provider, first);
    return flush(j, err);
}

void
rh_journal_event(struct rh_journal *j, const struct rh_event *event)
{
    if (event->outcome->status == RH_LEFT_OUT
        || (event->outcome->status == RH_UNCHANGED
            && !rh_findings_tell(event->findings, event->n_findings)))
        return;
    rh_event_to_json(&j->out, event, NULL, NULL);
    rh_buf_addc(&j->out, '\n');
    if (j->out.n > FLUSH_AT && !j->trouble) {
        rh_autoerror struct rh_error err = { 0 };

        if (flush(j, &err) < 0)
            j->trouble = rh_take(&err.message);
    }
}

int
rh_journal_batch_done(struct rh_journal *j, bool changed, struct rh_error *err)
{
    if (j->trouble)
        return rh_error_set(err, RH_ESYSTEM, "%s", j->trouble);
    if (!changed)
        return 0;
    rh_buf_add(&j->out, "{\"batch\": \"done\"}\n");
    if (flush(j, err) < 0)
        return -1;
    if (fdatasync(j->fd) < 0)
        return rh_error_system(err, errno, "cannot bring the journal '%s' to disk", j->path);
    return 0;
}

int
rh_journal_close(struct rh_journal *j, const struct rh_run_end *end, struct rh_error *err)
{
    int rc;

    if (!j)
        return 0;
    rh_buf_addf(&j->out, "{\"ended\": \"%s\", \"exit\": %d, \"seconds\": %.3f, \"counts\": ", end->run,
                end->exit, end->seconds);
    rh_counts_to_json(&j->out, &end->counts);
    rh_buf_add(&j->out, "}\n");
    rc = j->trouble ? rh_error_set(err, RH_ESYSTEM, "%s", j->trouble) : flush(j, err);
    if (close(j->fd) < 0 && rc == 0)
        rc = rh_error_system(err, errno, "cannot close the journal '%s'", j->path);
    rh_buf_clear(&j->out);
    free(j->trouble);
    free(j->path);
    free(j);
    return rc;
}
