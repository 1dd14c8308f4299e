/* SPDX-License-Identifier: Apache-2.0 */
/* manager - a user's own systemd manager: how units are, and jobs. */

#include "manager.h"

#include "../service-systemd/names.h"
#include "../service-systemd/tidy.h"

#include <string.h>

/* --- Whether it can be reached. -------------------------------------------------------------- */

/* 0: it does not run. -1: it does, or nobody knows, and the reason was given. */
static int
unreachable(rhost_ctx *ctx, const struct account *a, const struct rhost_output *out)
{
    const char *service = rhost_fmt(ctx, "user@%lld.service", (long long)a->owner.uid);
    const char *const words[] = { "show", "--property=ActiveState", "--value", "--", service, NULL };
    struct rhost_output state;

    if (systemctl_run(ctx, NULL, words, 0, RHOST_EXEC_READS, &state) < 0)
        return -1;
    if (state.status == 0 && strncmp(state.out, "active", 6) != 0)
        return 0;
    return rhost_fail(
        ctx,
        "the systemd manager of user '%s' runs and cannot be reached: %s; 'systemctl restart %s' "
        "starts it again",
        a->owner.user, systemctl_complaint(ctx, out), service);
}

/* As systemctl_run(); 1 with its output, whatever its status, or 0 when there is no manager to ask. */
static int
ask(rhost_ctx *ctx, const struct account *a, const char *const *words, struct rhost_output *out)
{
    if (!a->has_folder)
        return 0;
    if (systemctl_run(ctx, &a->owner, words, 0, RHOST_EXEC_READS, out) < 0)
        return -1;
    return out->status && strstr(out->err, "Failed to connect to") ? unreachable(ctx, a, out) : 1;
}

/* --- How units are. --------------------------------------------------------------------------- */

/* A value of a unit, as text for a message. */
static const char *
value(rhost_ctx *ctx, const char *text, size_t len)
{
    char *copy = rhost_copy(ctx, text, len);

    tidy_line(copy);
    return copy;
}

static void
take_property(rhost_ctx *ctx, const char *line, size_t len, struct shown *s)
{
    const struct {
        const char *name, **to;
    } texts[] = {
        { "LoadState=", &s->unit.load },
        { "ActiveState=", &s->unit.active },
        { "SubState=", &s->unit.sub },
        { "Type=", &s->type },
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        size_t n = strlen(texts[i].name);

        if (len >= n && strncmp(line, texts[i].name, n) == 0)
            *texts[i].to = value(ctx, line + n, len - n);
    }
    if (len == 20 && strncmp(line, "NeedDaemonReload=yes", 20) == 0)
        s->stale = 1;
    if (len > 4 && strncmp(line, "Job=", 4) == 0)
        s->busy = 1;
}

/* The units come in the order in which they were asked for, each behind an empty line. Returns how many. */
static size_t
take_units(rhost_ctx *ctx, const char *text, struct shown *out, size_t n)
{
    size_t at = 0;

    while (*text) {
        size_t len = strcspn(text, "\n");

        if (!len)
            at++;
        else if (at < n)
            take_property(ctx, text, len, &out[at]);
        text += len + (text[len] == '\n');
    }
    return at + 1;
}

int
manager_show(rhost_ctx *ctx, const struct account *a, const char *const *names, size_t n, struct shown *out)
{
    const char **words = rhost_alloc(ctx, (n + 4) * sizeof *words);
    struct rhost_output output;
    int r;

    for (size_t i = 0; i < n; i++)
        out[i] = (struct shown){ .unit = { .name = names[i],
                                           .load = "not-found",
                                           .active = "inactive",
                                           .sub = "dead",
                                           .file = "" },
                                 .type = "" };
    words[0] = "show";
    words[1] = "--property=LoadState,ActiveState,SubState,Type,NeedDaemonReload,Job";
    words[2] = "--";
    memcpy(words + 3, names, n * sizeof *words);
    words[n + 3] = NULL;
    r = n ? ask(ctx, a, words, &output) : a->has_folder;
    if (r <= 0 || !n)
        return r;
    if (output.status || output.truncated || take_units(ctx, output.out, out, n) != n)
        return rhost_fail(ctx, "cannot ask the systemd manager of user '%s' how units are: %s", a->owner.user,
                          output.status ? systemctl_complaint(ctx, &output) : "its answer is incomplete");
    return 1;
}

const char *
manager_property(rhost_ctx *ctx, const struct account *a, const char *unit, const char *property)
{
    const char *const words[] = { "show", "--property", property, "--", unit, NULL };
    struct rhost_output output;

    if (systemctl_run(ctx, &a->owner, words, 0, RHOST_EXEC_READS, &output) < 0 || output.status)
        return "";
    return rhost_copy(ctx, output.out, output.out_len);
}

char *
manager_list(rhost_ctx *ctx, const struct account *a, const char *pattern)
{
    const char *const words[] = { "list-units", "--all", "--plain", "--no-legend", "--no-pager",
                                  "--full",     "--",    pattern,   NULL };
    struct rhost_output output;

    return ask(ctx, a, words, &output) == 1 && !output.status ? rhost_copy(ctx, output.out, output.out_len)
                                                              : NULL;
}

const char *
manager_next(char **list)
{
    char *line;

    while ((line = strsep(list, "\n"))) {
        char *name = strsep(&line, " ");

        if (name && *name && strlen(name) < NAMES_MAX && names_type(name))
            return name;
    }
    return NULL;
}

/* --- Jobs. ------------------------------------------------------------------------------------ */

int
manager_do(rhost_ctx *ctx, const struct account *a, const char *verb, const char *const *units, double limit,
           struct rhost_output *out)
{
    struct systemctl_owner owner = a->owner;
    const char **words;
    size_t n = 0;

    while (units[n])
        n++;
    words = rhost_alloc(ctx, (n + 3) * sizeof *words);
    words[0] = verb;
    words[1] = "--";
    memcpy(words + 2, units, (n + 1) * sizeof *words);
    owner.limit = limit;
    return systemctl_run(ctx, &owner, words, 0, 0, out);
}
