/* SPDX-License-Identifier: Apache-2.0 */
/* manager - runs a manager of packages, and says why it failed. */

#include "manager.h"

enum { LONGEST_COMPLAINT = 600 };

void
words_add(struct words *w, const char *word)
{
    if (w->n + 2 > w->room) {
        const char **more = rhost_alloc(w->ctx, (w->room = w->room * 2 + 32) * sizeof *more);

        if (w->n)
            memcpy(more, w->all, w->n * sizeof *more);
        w->all = more;
    }
    w->all[w->n++] = word;
    w->all[w->n] = NULL;
}

int32_t
manager_run(const struct manager *m, const struct place *p, const struct words *w, uint64_t flags,
            struct rhost_output *output)
{
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = w->all,
        .env = m->env,
        .cwd = m->cwd      ? m->cwd
               : p->exists ? p->path
                           : "/",
        .user = p->user,
        .flags = flags,
        .output_limit = 1 << 20,
        .timeout = (uint32_t)rhost_int(p->should, "timeout", 600) * 1000,
    };

    return rhost_run(p->ctx, &command, output);
}

int32_t
manager_do(const struct manager *m, const struct place *p, const struct words *w, const char *what)
{
    struct rhost_output output;

    if (manager_run(m, p, w, RHOST_EXEC_TAIL, &output) < 0)
        return -1;
    return output.status == 0
               ? 0
               : rhost_fail(p->ctx, "cannot %s: %s", what, manager_complaint(m, p->ctx, &output));
}

/* The length of the first of these that the line begins with; 0: none. */
static size_t
begins_with(const char *const *all, const char *line, size_t len)
{
    for (; *all; all++)
        if (len >= strlen(*all) && strncmp(line, *all, strlen(*all)) == 0)
            return strlen(*all);
    return 0;
}

/* Lines of `text` joined: those that begin with a prefix, without it, and what follows one that ends with a
 * colon; or the last one that says something. */
static const char *
gather(const struct manager *m, rhost_ctx *ctx, const char *text, int any)
{
    const char *joined = NULL;
    int goes_on = 0;

    for (const char *line = text; *line; line += *line == '\n') {
        size_t len = strcspn(line, "\n"), skip = begins_with(m->prefixes, line, len);
        const char *from = line + skip;
        size_t n = len - skip;

        line += len;
        while (n && strchr(" \t\r", *from)) {
            from++;
            n--;
        }
        while (n && strchr(" \t\r", from[n - 1]))
            n--;
        if (n == 0 || (!any && !skip && !goes_on))
            continue;
        if (begins_with(m->idle, from, n)) {
            goes_on = skip != 0; /* the reason is in the next line */
            continue;
        }
        if (any || !joined)
            joined = rhost_copy(ctx, from, n < LONGEST_COMPLAINT ? n : LONGEST_COMPLAINT);
        else if (strlen(joined) + n < LONGEST_COMPLAINT)
            joined = rhost_fmt(ctx, "%s%s %.*s", joined, joined[strlen(joined) - 1] == ':' ? "" : ";", (int)n,
                               from);
        goes_on = from[n - 1] == ':';
    }
    return joined;
}

const char *
manager_complaint(const struct manager *m, rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *said = gather(m, ctx, output->err, 0);

    if (!said)
        said = gather(m, ctx, output->out, 0);
    if (!said)
        said = gather(m, ctx, output->err, 1);
    if (!said)
        said = gather(m, ctx, output->out, 1);
    if (said)
        return said;
    if (output->signal)
        return rhost_fmt(ctx, "signal %d ended %s", (int)output->signal, m->name);
    return rhost_fmt(ctx, "%s ended with status %d and gave no reason", m->name, (int)output->status);
}

int
manager_url_has_credentials(const char *url)
{
    const char *host = strstr(url, "://");

    return host && memchr(host + 3, '@', strcspn(host + 3, "/?#"));
}
