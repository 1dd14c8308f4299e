/* SPDX-License-Identifier: Apache-2.0 */
/* reason - why a unit of a user did not do as it was asked. */

#include "reason.h"

#include "../service-systemd/ended.h"
#include "../service-systemd/tidy.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LONGEST = 300, LOOKS = 5 };

static const char needs[] = "Requires,Requisite,BindsTo";

/* The value of the first line "KEY=..."; "" when there is none. */
static const char *
first(rhost_ctx *ctx, const char *text, const char *key)
{
    size_t n = strlen(key);

    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, key, n) == 0 && text[n] == '=')
            return rhost_copy(ctx, text + n + 1, strcspn(text + n + 1, "\n"));
    return "";
}

static int
number(const char *text)
{
    long n = strtol(text, NULL, 10);

    return n < 0 || n > 65535 ? 0 : (int)n;
}

/* --- What has ended. -------------------------------------------------------------------------- */

/* Of a line "PHASE={ path=... ; ... ; code=exited ; status=3 }"; NULL: this command has not failed. */
static const char *
failed_command(rhost_ctx *ctx, const char *line)
{
    const char *path = strstr(line, "{ path="), *code = strstr(line, " ; code="), *status;
    char who[400];
    int killed;

    if (!path || !code || strstr(line, " ; ignore_errors=yes ;"))
        return NULL;
    path += 7;
    code += 8;
    killed = strncmp(code, "killed", 6) == 0 || strncmp(code, "dumped", 6) == 0;
    status = strstr(code, " ; status=");
    if (!status || (!killed && strncmp(code, "exited", 6) != 0))
        return NULL;
    status += 10;
    if (!killed && number(status) == 0)
        return NULL;
    snprintf(who, sizeof who, "%.*s (%.*s)", (int)strcspn(path, " "), path, (int)strcspn(line, "="), line);
    tidy_line(who);
    return ended_how(ctx, who, killed ? CLD_KILLED : CLD_EXITED, number(status));
}

static const char *
any_failed_command(rhost_ctx *ctx, const struct account *a, const char *unit)
{
    const char *text = manager_property(
        ctx, a, unit, "ExecCondition,ExecStartPre,ExecStart,ExecStartPost,ExecReload,ExecStop");
    const char *found = NULL;

    for (; *text && !found; text += strcspn(text, "\n"), text += *text == '\n')
        found = failed_command(ctx, rhost_copy(ctx, text, strcspn(text, "\n")));
    return found;
}

static const char *
main_process(rhost_ctx *ctx, const char *text)
{
    int code = number(first(ctx, text, "ExecMainCode")), status = number(first(ctx, text, "ExecMainStatus"));

    return code && (code != CLD_EXITED || status) ? ended_how(ctx, "its main process", code, status) : NULL;
}

/* NULL: nothing of it has failed. */
static const char *
failure(rhost_ctx *ctx, const struct account *a, const char *unit)
{
    const char *text = manager_property(ctx, a, unit, "Result,ExecMainCode,ExecMainStatus"), *found;
    const char *result = first(ctx, text, "Result");

    if (!*result || strcmp(result, "success") == 0)
        return NULL;
    found = ended_means(result);
    if (!found)
        found = any_failed_command(ctx, a, unit);
    if (!found)
        found = main_process(ctx, text);
    return found ? found : rhost_fmt(ctx, "its result is '%.100s'", result);
}

/* --- What it needs. --------------------------------------------------------------------------- */

/* Those of a unit's dependencies that have failed; "": none, or nobody knows. */
static const char *
failed_needs(rhost_ctx *ctx, const struct account *a, const char *unit)
{
    char *text = rhost_strdup(ctx, manager_property(ctx, a, unit, needs)), *word;
    const char *found = "";

    while ((word = strsep(&text, " \n="))) {
        struct shown s;
        const char *const names[] = { word };

        if (!strchr(word, '.') || manager_show(ctx, a, names, 1, &s) != 1
            || strcmp(s.unit.active, "failed") != 0)
            continue;
        found = rhost_fmt(ctx, "%s%s%.200s (failed)", found, *found ? ", " : "", word);
    }
    return found;
}

/* --- What was said. --------------------------------------------------------------------------- */

/* The line of systemctl that names the unit, without where else to look; NULL: none does. */
static const char *
line_about(rhost_ctx *ctx, const char *said, const char *unit)
{
    for (; *said; said += strcspn(said, "\n"), said += *said == '\n') {
        char *line = rhost_copy(ctx, said, strcspn(said, "\n"));
        char *more = strstr(line, " See ");

        if (!strstr(line, unit) || strncmp(line, "See ", 4) == 0)
            continue;
        if (more)
            *more = '\0';
        line[strlen(line) - (line[0] && line[strlen(line) - 1] == '.')] = '\0';
        tidy_line(line);
        return rhost_fmt(ctx, "%.*s", LONGEST, line);
    }
    return NULL;
}

/* Each line by itself: what is no text in it becomes '?'. */
static const char *
indented(rhost_ctx *ctx, char *text)
{
    const char *all = "";
    char *line;

    while ((line = strsep(&text, "\n"))) {
        if (!*line)
            continue;
        tidy_line(line);
        all = rhost_fmt(ctx, "%s\n  %.*s", all, LONGEST, line);
    }
    return all;
}

/* The last lines of the unit, and of the manager about it, since then. They get into the journal a little
 * later. */
static const char *
log_lines(rhost_ctx *ctx, const struct account *a, const char *unit, int64_t since)
{
    const struct timespec moment = { .tv_nsec = 200000000 };
    const char *uid = rhost_fmt(ctx, "_UID=%lld", (long long)a->owner.uid);
    const char *const argv[] = { "journalctl",
                                 "--quiet",
                                 "--no-pager",
                                 "--output=cat",
                                 "--lines=6",
                                 rhost_fmt(ctx, "--since=@%lld", (long long)since),
                                 uid,
                                 rhost_fmt(ctx, "_SYSTEMD_USER_UNIT=%s", unit),
                                 "+",
                                 uid,
                                 rhost_fmt(ctx, "USER_UNIT=%s", unit),
                                 NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .flags = RHOST_EXEC_READS,
        .output_limit = 16 << 10,
        .timeout = 30000,
    };
    struct rhost_output out;

    for (int i = 0; i < LOOKS; i++) {
        (void)nanosleep(&moment, NULL);
        if (rhost_run(ctx, &command, &out) < 0 || out.status)
            return "";
        if (out.out_len)
            return indented(ctx, rhost_copy(ctx, out.out, out.out_len));
    }
    return "";
}

const char *
reason_for(rhost_ctx *ctx, const struct account *a, const struct shown *s, const char *what, const char *said,
           int64_t since)
{
    const char *unit = s->unit.name, *needed = "", *line = line_about(ctx, said, unit), *why, *lines;

    why = failure(ctx, a, unit);
    if (!why && line && strstr(line, "dependency"))
        needed = failed_needs(ctx, a, unit);
    if (*needed)
        why = rhost_fmt(ctx, "what it needs has failed: %s", needed);
    if (!why)
        why = line;
    if (!why)
        why = *s->type ? "a condition of its unit is not met, or it has ended already"
                       : "systemd refused, or a condition of its unit is not met";
    lines = log_lines(ctx, a, unit, since);
    return rhost_fmt(ctx, "cannot %s %s of user '%s': %s%s%s", what, unit, a->owner.user, why,
                     *lines ? "; the last lines of its log:" : "", lines);
}
