/* SPDX-License-Identifier: Apache-2.0 */
/* latest - which version of a package is the newest: asked once for all. */

#include "latest.h"

#include "tool.h"
#include "version.h"

#include <rhost/catalog.h>

#include <stdlib.h>

struct memory *
latest_memory(rhost_ctx *ctx)
{
    return *ctx->host->state(ctx);
}

int32_t
latest_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct memory));
    return *state ? 0 : rhost_fail(ctx, "out of memory");
}

static void
free_known(struct known *one)
{
    free(one->name);
    free(one->release);
    free(one->version);
}

void
latest_forget(rhost_ctx *ctx)
{
    struct memory *m = latest_memory(ctx);

    for (size_t i = 0; i < m->n; i++)
        free_known(&m->known[i]);
    free(m->known);
    m->known = NULL;
    m->n = 0;
}

void
latest_close(rhost_ctx *ctx)
{
    latest_forget(ctx);
    free(latest_memory(ctx));
    *ctx->host->state(ctx) = NULL;
}

/* What there is no memory for is asked for again. */
static void
remember(struct memory *m, const char *name, const char *release, const char *version)
{
    struct known *more = realloc(m->known, (m->n + 1) * sizeof *more);
    struct known *one;

    if (!more)
        return;
    m->known = more;
    one = &more[m->n];
    *one = (struct known){ strdup(name), strdup(release), strdup(version) };
    if (one->name && one->release && one->version)
        m->n++;
    else
        free_known(one);
}

static const char *
recall(const struct memory *m, const char *name, const char *release)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->known[i].name, name) == 0 && strcmp(m->known[i].release, release) == 0)
            return m->known[i].version;
    return NULL;
}

/* This one, and all others of the manifest that are to be the latest. */
static struct words
names_like(rhost_ctx *ctx, const char *name, const char *release)
{
    const rhost_value *all = rhost_declared_all(ctx, "package");
    struct words names = { 0 };

    words_add(ctx, &names, name);
    for (size_t i = 0; i < rhost_count(all); i++) {
        const rhost_value *one = rhost_get(rhost_at(all, i, NULL), "should");
        const char *other = rhost_str(one, "name");

        if (other && strcmp(other, name) != 0 && strcmp(rhost_str_or(one, "version", ""), "latest") == 0
            && strcmp(rhost_str_or(one, "default_release", ""), release) == 0)
            words_add(ctx, &names, other);
    }
    return names;
}

int32_t
latest_of(rhost_ctx *ctx, const struct rhost_change *change, latest_query *query, const char **version)
{
    const char *name = rhost_str(change->name, "name");
    const char *release = rhost_str_or(change->should, "default_release", "");
    const char *known = recall(latest_memory(ctx), name, release);

    if (!known) {
        struct words names = names_like(ctx, name, release);
        const char **found = rhost_alloc(ctx, names.n * sizeof *found);

        if (query(ctx, &names, release, found) < 0)
            return -1;
        for (size_t i = 0; i < names.n; i++)
            remember(latest_memory(ctx), names.at[i], release, found[i] ? found[i] : "");
        known = found[0] ? found[0] : "";
    }
    *version = *known ? known : NULL;
    return 0;
}

int
latest_lists(rhost_ctx *ctx, const rhost_value *should, const struct words *argv, const char *const *locks,
             const char *more, const char **printed, const char **why)
{
    struct memory *m = latest_memory(ctx);
    struct rhost_output out;

    *why = "the package lists could not be brought up to date";
    if (m->refreshed)
        return m->refreshed < 0 ? -1 : 0;
    m->refreshed = 1;
    if (rhost_noop(ctx)) {
        rhost_info(ctx, "would bring the package lists up to date%s", more);
        return 0;
    }
    latest_forget(ctx);
    if (tool_wait(ctx, locks, rhost_int(should, "lock_timeout", 300), why) == 0) {
        if (tool_act(ctx, argv, NULL, rhost_int(should, "timeout", 3600), &out) < 0)
            return -1;
        *printed = out.out;
        if (!out.status)
            return 0;
        *why = rhost_fmt(ctx, "the package lists could not be brought up to date:\n%s",
                         lines_of_error(ctx, out.out));
    }
    m->refreshed = -1;
    return -1;
}

void
latest_refresh_for(rhost_ctx *ctx, struct jobs *jobs, latest_refresh *refresh)
{
    const char *why = NULL;

    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].gone && refresh(ctx, jobs->at[i].change->should, &why) < 0)
            job_fail(ctx, &jobs->at[i], "refresh: %s", why);
}

int32_t
latest_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute,
              const struct latest_how *how)
{
    const char *wants = job_wants(change), *source = rhost_str(change->should, "source");
    const char *latest = NULL, *why = NULL;

    if (strcmp(attribute, "version") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (!wants || strcmp(wants, "latest") != 0)
        return version_insync(ctx, change, NULL);
    if (source) {
        if (how->of_file(ctx, source, rhost_str(change->name, "name"), &latest, &why) < 0)
            return -1;
        return latest ? version_insync(ctx, change, latest) : rhost_fail(ctx, "%s", why);
    }
    if (how->refresh(ctx, change->should, &why) < 0)
        return rhost_fail_attr(ctx, "refresh", "%s", why);
    if (latest_of(ctx, change, how->listed, &latest) < 0)
        return -1;
    return version_insync(ctx, change, latest);
}
