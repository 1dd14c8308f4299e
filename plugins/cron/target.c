/* SPDX-License-Identifier: Apache-2.0 */
/* target - where jobs are kept: in a file that we write, or in a crontab that is handed to crontab(1). */

#include "target.h"

#include "crontab.h"

#include <pwd.h>

struct state {
    char *user; /* whose crontab was read last */
    struct rhost_lines *tab;
    struct stat stat; /* of it, before it was read */
};

int32_t
target_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct state));
    return *state ? 0 : rhost_fail(ctx, "out of memory");
}

static void
forget_tab(struct state *state)
{
    free(state->user);
    rhost_lines_free(state->tab);
    state->user = NULL;
    state->tab = NULL;
}

void
target_close(rhost_ctx *ctx)
{
    struct state *state = *ctx->host->state(ctx);

    if (state)
        forget_tab(state);
    free(state);
}

const char *
target_user(const char *target)
{
    const size_t n = sizeof TARGET_CRONTAB - 1;

    return strncmp(target, TARGET_CRONTAB, n) == 0 ? target + n : NULL;
}

int
target_user_exists(const char *user)
{
    errno = 0;
    return getpwnam(user) ? 1 : errno == ENOMEM ? -1 : 0;
}

static int
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* The lines of a crontab, read again unless it is seen to be what it was; NULL after the reason. */
static struct rhost_lines *
tab_lines(rhost_ctx *ctx, const char *user)
{
    struct state *state = *ctx->host->state(ctx);
    struct stat now;
    struct timespec clock = { 0 };
    int seen = crontab_stat(ctx, user, &now) == 0;

    if (seen && state->tab && strcmp(state->user, user) == 0 && !state->tab->edited
        && is_same(&now, &state->stat))
        return state->tab;
    forget_tab(state);
    state->user = strdup(user);
    if (!state->user) {
        rhost_fail(ctx, "cannot read the crontab of '%s': out of memory", user);
        return NULL;
    }
    state->tab = crontab_read(ctx, user);
    (void)clock_gettime(CLOCK_REALTIME, &clock);
    /* What was changed a moment ago may change again without looking different. */
    if (!seen || clock.tv_sec - now.st_ctim.tv_sec < 2)
        memset(&now, 0, sizeof now);
    state->stat = now;
    return state->tab;
}

struct rhost_lines *
target_lines(rhost_ctx *ctx, const char *target)
{
    const char *user = target_user(target);

    return user ? tab_lines(ctx, user) : rhost_lines_of(ctx, target);
}

static const char *
path_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)ctx;
    return rhost_str_or(change->name, "target", TARGET_DEFAULT);
}

/* Crontabs, as rhost_lines_set_kept() has them; the data are the changes. */
static int
same_tab(rhost_ctx *ctx, void *data, size_t i, size_t k)
{
    const struct rhost_change *const *changes = data;

    return strcmp(path_of(ctx, changes[i]), path_of(ctx, changes[k])) == 0;
}

static struct rhost_lines *
read_tab(rhost_ctx *ctx, void *data, size_t i)
{
    const struct rhost_change *const *changes = data;
    const char *user = target_user(path_of(ctx, changes[i]));
    int exists = target_user_exists(user);

    if (exists > 0)
        return tab_lines(ctx, user);
    if (exists < 0)
        rhost_fail_errno(ctx, "cannot look up user '%s'", user);
    else
        rhost_fail(ctx, "unknown user '%s'", user);
    return NULL;
}

static int32_t
write_tab(rhost_ctx *ctx, void *data, size_t i, struct rhost_lines *l)
{
    const struct rhost_change *const *changes = data;

    return crontab_write(ctx, target_user(path_of(ctx, changes[i])), l);
}

/* A file of which nothing is left goes. */
static void
tidy_up(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = path_of(ctx, change);
    struct stat st;

    if (rhost_gone(change) && rhost_path_stat(ctx, path, 0, &st) == 0 && S_ISREG(st.st_mode) && !st.st_size
        && rhost_path_unlink(ctx, path, 0) == 0)
        rhost_touched(ctx, path);
}

int32_t
target_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n, target_edit *edit)
{
    const struct rhost_lines_how how = { .struct_size = sizeof how, .path = path_of, .edit = edit };
    const struct rhost_change **in_files = rhost_alloc(ctx, n * sizeof(struct rhost_change *));
    const struct rhost_change **in_tabs = rhost_alloc(ctx, n * sizeof(struct rhost_change *));
    const struct rhost_lines_keeper tabs = {
        .struct_size = sizeof tabs,
        .data = in_tabs,
        .same = same_tab,
        .read = read_tab,
        .edit = edit,
        .write = write_tab,
    };
    size_t n_files = 0, n_tabs = 0;
    int32_t result = 0;

    for (size_t i = 0; i < n; i++)
        if (target_user(path_of(ctx, changes[i])))
            in_tabs[n_tabs++] = changes[i];
        else
            in_files[n_files++] = changes[i];
    if (n_files && rhost_lines_set(ctx, in_files, n_files, &how) < 0)
        result = -1;
    for (size_t i = 0; i < n_files; i++)
        tidy_up(ctx, in_files[i]);
    if (n_tabs && rhost_lines_set_kept(ctx, in_tabs, n_tabs, &tabs) < 0)
        result = -1;
    return result;
}
