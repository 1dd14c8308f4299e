/* SPDX-License-Identifier: Apache-2.0 */
/* choice - reads and changes one name by update-alternatives. */

#include "choice.h"

#include <rhost/exec.h>
#include <rhost/path.h>

#include <stdlib.h>

enum { MOST = 1000 }; /* words of a command */

/* The first line of what the tool printed, without its name. */
static const char *
complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    static const char prefix[] = "update-alternatives: error: ";
    const char *text = output->err && *output->err ? output->err : output->out;
    const char *error = text ? strstr(text, prefix) : NULL;

    if (!text || !*text)
        return "it gives no reason";
    if (error)
        text = error + sizeof prefix - 1;
    return rhost_copy(ctx, text, strcspn(text, "\n"));
}

/* `words` follow the options with the places. 0, or -1 with the reason given; `output` may be NULL. */
static int32_t
run(rhost_ctx *ctx, const struct places *at, const char *const *words, uint64_t flags,
    struct rhost_output *output)
{
    static const char *const env[] = { "LC_ALL=C", NULL };
    const char *argv[MOST + 6] = { "update-alternatives", "--admindir", at->notes, "--altdir", at->links };
    struct rhost_command command = {
        .struct_size = sizeof command, .argv = argv, .env = env, .flags = flags, .output_limit = 4 << 20
    };
    struct rhost_output own;
    size_t n = 5;

    if (!output)
        output = &own;
    while (*words && n < MOST + 5)
        argv[n++] = *words++;
    argv[n] = NULL;
    if (*words)
        return rhost_fail(ctx, "there are too many slave links");
    if (rhost_run(ctx, &command, output) < 0)
        return -1;
    if (output->status != 0)
        return rhost_fail(ctx, "update-alternatives failed: %s", complaint(ctx, output));
    return output->truncated ? rhost_fail(ctx, "update-alternatives printed more than 4 MiB") : 0;
}

struct reading {
    rhost_ctx *ctx;
    struct choice *g;
    struct candidate *last;
    size_t room;
    int in_slaves, failed;
};

static void *
one_more(rhost_ctx *ctx, void *array, size_t n, size_t size)
{
    char *more = rhost_alloc(ctx, (n + 1) * size);

    if (n)
        memcpy(more, array, n * size);
    return more;
}

static const char *
after(const char *line, const char *key)
{
    size_t n = strlen(key);

    return strncmp(line, key, n) == 0 && line[n] == ':' ? line + n + 1 + (line[n + 1] == ' ') : NULL;
}

/* " pager.1.gz /usr/share/man/man1/less.1.gz" */
static void
take_slave(struct reading *r, const char *line)
{
    struct slave **slaves = r->last ? &r->last->slaves : &r->g->slaves;
    size_t *n = r->last ? &r->last->n_slaves : &r->g->n_slaves, len = strcspn(line, " ");
    struct slave s = { .name = rhost_copy(r->ctx, line, len) };

    if (line[len] != ' ') {
        r->failed = 1;
        return;
    }
    if (r->last)
        s.path = rhost_strdup(r->ctx, line + len + 1);
    else
        s.link = rhost_strdup(r->ctx, line + len + 1);
    *slaves = one_more(r->ctx, *slaves, *n, sizeof s);
    (*slaves)[(*n)++] = s;
}

static void
take_candidate(struct reading *r, const char *path)
{
    struct choice *g = r->g;

    g->candidates = one_more(r->ctx, g->candidates, g->n, sizeof *g->candidates);
    r->last = &g->candidates[g->n++];
    r->last->path = rhost_strdup(r->ctx, path);
}

static void
take_line(struct reading *r, const char *line)
{
    const char *text;

    if (*line == ' ' && r->in_slaves) {
        take_slave(r, line + 1);
        return;
    }
    r->in_slaves = after(line, "Slaves") != NULL;
    if ((text = after(line, "Alternative")))
        take_candidate(r, text);
    else if ((text = after(line, "Priority")) && r->last)
        r->last->priority = strtoll(text, NULL, 10);
    else if ((text = after(line, "Link")))
        r->g->link = rhost_strdup(r->ctx, text);
    else if ((text = after(line, "Status")))
        r->g->is_manual = strcmp(text, "manual") == 0;
    else if ((text = after(line, "Best")))
        r->g->best = rhost_strdup(r->ctx, text);
    else if ((text = after(line, "Value")))
        r->g->value = strcmp(text, "none") == 0 ? NULL : rhost_strdup(r->ctx, text);
}

int32_t
choice_query(rhost_ctx *ctx, const struct places *at, const char *name, struct choice *g)
{
    const char *const words[] = { "--query", name, NULL };
    struct reading r = { .ctx = ctx, .g = g };
    struct rhost_output output;
    struct stat st;

    *g = (struct choice){ 0 };
    if (rhost_path_stat(ctx, rhost_fmt(ctx, "%s/%s", at->notes, name), 0, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? RHOST_ABSENT
                   : rhost_fail_path(ctx, "cannot stat '%s/%s'", at->notes, name);
    if (run(ctx, at, words, RHOST_EXEC_READS, &output) < 0)
        return -1;
    for (const char *line = output.out; *line; line += *line == '\n') {
        size_t len = strcspn(line, "\n");

        take_line(&r, rhost_copy(ctx, line, len));
        line += len;
    }
    if (!g->link || r.failed)
        return rhost_fail(ctx, "cannot understand what 'update-alternatives --query %s' prints", name);
    return 0;
}

const struct candidate *
choice_find(const struct choice *g, const char *path)
{
    for (size_t i = 0; g && i < g->n; i++)
        if (strcmp(g->candidates[i].path, path) == 0)
            return &g->candidates[i];
    return NULL;
}

/* The tool follows the links that it finds. */
static int32_t
check_trusted(rhost_ctx *ctx, const char *path)
{
    return rhost_path_trusted(ctx, path) < 0 && errno != ENOENT
               ? rhost_fail_path(ctx, "cannot change '%s'", path)
               : 0;
}

static const char *
link_of_slave(const struct choice *g, const char *name)
{
    for (size_t i = 0; i < g->n_slaves; i++)
        if (strcmp(g->slaves[i].name, name) == 0)
            return g->slaves[i].link;
    return NULL;
}

int32_t
choice_install(rhost_ctx *ctx, const struct places *at, const char *name, const struct choice *g,
               const char *link, const char *path, int64_t priority, int force)
{
    const struct candidate *was = choice_find(g, path);
    const char *words[MOST + 1], *of_slave;
    size_t n = 0;

    if (check_trusted(ctx, link) < 0 || check_trusted(ctx, at->notes) < 0
        || check_trusted(ctx, at->links) < 0)
        return -1;
    if (force)
        words[n++] = "--force";
    words[n++] = "--install";
    words[n++] = link;
    words[n++] = name;
    words[n++] = path;
    words[n++] = rhost_fmt(ctx, "%lld", (long long)priority);
    for (size_t i = 0; was && i < was->n_slaves && n + 5 < MOST; i++) {
        of_slave = link_of_slave(g, was->slaves[i].name);
        if (!of_slave)
            continue;
        words[n++] = "--slave";
        words[n++] = of_slave;
        words[n++] = was->slaves[i].name;
        words[n++] = was->slaves[i].path;
    }
    words[n] = NULL;
    return run(ctx, at, words, 0, NULL);
}

int32_t
choice_command(rhost_ctx *ctx, const struct places *at, const char *word, const char *name, const char *path)
{
    const char *const words[] = { word, name, path, NULL };

    if (check_trusted(ctx, at->notes) < 0 || check_trusted(ctx, at->links) < 0)
        return -1;
    return run(ctx, at, words, 0, NULL);
}
