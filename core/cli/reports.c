/* SPDX-License-Identifier: Apache-2.0 */
/* reports - the reports of a run that the settings ask for. */
#include "config.h"

#include "cli/reports.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/source.h"
#include "cli/command.h"
#include "cli/session.h"
#include "run/event-file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_file(const struct stat *report, const char *name)
{
    struct stat st;

    return name && stat(name, &st) == 0 && st.st_dev == report->st_dev && st.st_ino == report->st_ino;
}

static bool
is_among(const struct stat *report, const struct rh_words *names)
{
    for (size_t i = 0; i < names->n; i++) {
        const char *equals = strchr(names->v[i], '='); /* of NAME=FILE */

        if (is_file(report, names->v[i]) || (equals && is_file(report, equals + 1)))
            return true;
    }
    return false;
}

/* Whether an option names the file as something to read. */
static bool
is_input(const struct stat *report, const struct rh_settings *o)
{
    const char *const names[] = { o->backup_key, o->otlp_headers, o->targets, o->become_password_file,
                                  o->fixture,    o->aliases,      o->output };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_file(report, names[i]))
            return true;
    return is_among(report, &o->attribute_files) || is_among(report, &o->secret_files);
}

static bool
is_source(const struct stat *report, const struct rh_sources *sources)
{
    const char *name;

    for (unsigned i = 1; (name = rh_sources_name(sources, i)); i++)
        if (is_file(report, name))
            return true;
    for (size_t i = 0; i < sources->n_read; i++)
        if (is_file(report, sources->read[i]))
            return true;
    return false;
}

/* Whether a file is in this directory, or below it. It need not be there. */
static bool
is_below(const char *path, const char *dir)
{
    const char *slash = strrchr(path, '/');
    rh_autofree char *folder =
        slash ? rh_xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : rh_xstrdup(".");
    rh_autofree char *real = realpath(folder, NULL), *top = dir && *dir ? realpath(dir, NULL) : NULL;
    size_t n = top ? strlen(top) : 0;

    return n && real && strncmp(real, top, n) == 0 && (real[n] == '/' || !real[n]);
}

/* Journals and keys of rhost, and what systemd lends to a unit. Devices and pipes are written to, and keep
 * nothing. */
static int
refuse_kept(const struct rh_settings *o, const char *path, struct rh_error *err)
{
    rh_autofree char *state_dir = rh_session_state_dir(o);
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return 0;
    if (is_below(path, state_dir))
        return rh_error_set(err, RH_EINPUT, "cannot write the report '%s': it is in the state directory",
                            path);
    if (is_below(path, getenv("CREDENTIALS_DIRECTORY")))
        return rh_error_set(err, RH_EINPUT,
                            "cannot write the report '%s': it is in the directory of credentials", path);
    return 0;
}

/* A report in its place would be the end of a manifest or a key, by whatever name it is given. */
static int
refuse_sources(const struct rh_settings *o, const struct rh_sources *sources, const char *path,
               struct rh_error *err)
{
    struct stat report;

    if (refuse_kept(o, path, err) < 0)
        return rh_error_suggest(err, NULL, "give the report a name of its own");
    if (stat(path, &report) < 0 || !S_ISREG(report.st_mode)
        || (!is_input(&report, o) && !is_source(&report, sources)))
        return 0;
    (void)rh_error_set(err, RH_EINPUT, "cannot write the report '%s': this run reads that file", path);
    return rh_error_suggest(err, NULL, "give the report a name of its own");
}

/* Two in one file: the last would replace the other. Devices and pipes take both. */
static int
refuse_twice(const struct rh_settings *o, enum rh_report_kind kind, struct rh_error *err)
{
    struct stat st;

    for (int i = 0; i < (int)kind; i++)
        if (o->reports[i] && strcmp(o->reports[i], o->reports[kind]) == 0
            && (stat(o->reports[kind], &st) < 0 || S_ISREG(st.st_mode)))
            return rh_error_set(err, RH_EINPUT, "cannot write two reports to '%s'", o->reports[kind]);
    return 0;
}

int
rh_reports_open(struct rh_reports *r, const struct rh_settings *o, const struct rh_sources *sources,
                struct rh_error *err)
{
    if (o->format == RH_FORMAT_JSON)
        r->standard = rh_report_new(&(struct rh_report_options){ .kind = RH_REPORT_JSON,
                                                                 .changes_only = o->changes_only,
                                                                 .sources = sources },
                                    err);
    for (int i = 0; i < RH_REPORTS; i++) {
        const struct rh_report_options options = {
            .kind = (enum rh_report_kind)i,
            .path = o->reports[i],
            .headers = o->otlp_headers,
            .changes_only = o->changes_only,
            .sources = sources,
        };

        if (!options.path)
            continue;
        if (refuse_sources(o, sources, options.path, err) < 0 || refuse_twice(o, options.kind, err) < 0
            || !(r->v[i] = rh_report_new(&options, err)))
            return -1;
    }
    return 0;
}

struct rh_event_file *
rh_events_open(const struct rh_settings *o, const struct rh_sources *sources, struct rh_error *err)
{
    struct stat st;

    if (o->format == RH_FORMAT_JSON && rh_session_events_on(o, STDOUT_FILENO)) {
        (void)rh_error_set(err, RH_EINPUT, "cannot write the events and the report to standard output, both");
        return NULL;
    }
    for (int i = 0; i < RH_REPORTS; i++)
        if (o->reports[i] && strcmp(o->reports[i], o->events) == 0
            && (stat(o->events, &st) < 0 || S_ISREG(st.st_mode))) {
            (void)rh_error_set(err, RH_EINPUT, "cannot write the events and a report to '%s', both",
                               o->events);
            return NULL;
        }
    if (refuse_sources(o, sources, o->events, err) < 0)
        return NULL;
    return rh_event_file_open(o->events, err);
}

/* A failure to write something makes a run a failure. */
static int
failed_status(int status)
{
    return status < 0 || status > 128 ? status : status | RH_EXIT_FAILED;
}

int
rh_events_close(struct rh_event_file *events, int status)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_event_file_close(events, &err) == 0)
        return status;
    rh_log_error(RH_ERR, &err);
    return failed_status(status);
}

static int
close_one(struct rh_report_writer **w, int status)
{
    rh_autoerror struct rh_error err = { 0 };
    int rc = rh_report_close(*w, &err);

    *w = NULL;
    if (rc == 0)
        return status;
    rh_log_error(rc < 0 ? RH_ERR : RH_WARNING, &err);
    return rc > 0 ? status : failed_status(status);
}

int
rh_reports_close(struct rh_reports *r, int status)
{
    for (int i = 0; i < RH_REPORTS; i++)
        if (r->v[i] && !rh_report_is_sent(r->v[i]))
            status = close_one(&r->v[i], status);
    return close_one(&r->standard, status);
}

void
rh_reports_send(struct rh_reports *r)
{
    for (int i = 0; i < RH_REPORTS; i++)
        if (r->v[i])
            (void)close_one(&r->v[i], 0);
}
