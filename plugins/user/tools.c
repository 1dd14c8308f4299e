/* SPDX-License-Identifier: Apache-2.0 */
/* tools - the system's own tools for accounts, run one at a time, and what they leave in the files.
 *
 * All of them take the lock of lckpwdf(3) and wait for it 15 seconds, silently. So who holds it is looked
 * for beforehand, and told. The older locks beside each file (/etc/passwd.lock) are found out about by
 * the tool only, which says "cannot lock", and is run again. */

#include "tools.h"

#include <rhost/exec.h>

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LOCK "/etc/.pwd.lock"

enum {
    RETRY_EVERY = 100,     /* milliseconds */
    TRY_AGAIN = 1000,      /* after the tool has waited by itself */
    LONGEST_RUN = 3600000, /* of a tool: a large home directory may be moved */
};

void
tools_word(struct tools_command *c, const char *word)
{
    if (c->n < TOOLS_WORDS)
        c->words[c->n++] = word;
}

void
tools_option(struct tools_command *c, const char *option, const char *value)
{
    if (!value)
        return;
    tools_word(c, option);
    tools_word(c, value);
}

const char *
tools_list(rhost_ctx *ctx, const rhost_value *array)
{
    size_t size = 1, at = 0, n = rhost_count(array);
    char *list;

    for (size_t i = 0; i < n; i++)
        size += strlen(rhost_str_at(array, i)) + 1;
    list = rhost_alloc(ctx, size);
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(list + at, size - at, "%s%s", i ? "," : "", rhost_str_at(array, i));
    return list;
}

const char *
tools_number(rhost_ctx *ctx, int64_t n)
{
    char *text = rhost_alloc(ctx, 24);

    snprintf(text, 24, "%lld", (long long)n);
    return text;
}

static int64_t
now(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
rest(int64_t milliseconds)
{
    const struct timespec ts = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000 };

    (void)nanosleep(&ts, NULL);
}

/* Who has the lock, in words; 0 when nobody has. */
static int
is_locked(char *who, size_t size)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int fd = open(LOCK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), locked;
    char path[64], name[64] = "";
    ssize_t got = -1;

    if (fd < 0)
        return 0;
    locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    (void)close(fd);
    if (!locked)
        return 0;
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)lock.l_pid);
    fd = lock.l_pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        got = read(fd, name, sizeof name - 1);
        (void)close(fd);
    }
    if (got > 0)
        snprintf(who, size, "process %ld (%.*s)", (long)lock.l_pid, (int)strcspn(name, "\n"), name);
    else
        snprintf(who, size, "another process");
    return 1;
}

/* Waiting for others: from when on, how long at most, and whether it was told. */
struct patience {
    int64_t since, limit;
    int reported;
};

static int
is_over(struct patience *p)
{
    if (!p->since)
        p->since = now();
    return now() - p->since >= p->limit;
}

static int32_t
wait_for_lock(rhost_ctx *ctx, struct patience *p)
{
    char who[128];

    while (is_locked(who, sizeof who)) {
        if (is_over(p))
            return rhost_fail(ctx, "'%s' is locked by %s, for more than %lld s", LOCK, who,
                              (long long)(p->limit / 1000));
        if (!p->reported)
            rhost_warning(ctx, "'%s' is locked by %s, waiting up to %lld s", LOCK, who,
                          (long long)(p->limit / 1000));
        p->reported = 1;
        rest(RETRY_EVERY);
    }
    return 0;
}

/* What a tool has said, in one line. */
static const char *
in_one_line(rhost_ctx *ctx, const char *printed)
{
    char *line = rhost_alloc(ctx, strlen(printed) * 2 + 1);
    size_t at = 0;

    while (*(printed += strspn(printed, "\n"))) {
        size_t n = strcspn(printed, "\n");

        if (at) {
            memcpy(line + at, "; ", 2);
            at += 2;
        }
        memcpy(line + at, printed, n);
        at += n;
        printed += n;
    }
    return line;
}

int32_t
tools_run(rhost_ctx *ctx, const struct rhost_change *change, const struct tools_command *c)
{
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = c->words,
        .input = c->input,
        .input_len = c->input ? strlen(c->input) : 0,
        .output_limit = 8192,
        .timeout = LONGEST_RUN,
    };
    struct patience patience = {
        .limit = rhost_int(change->should, "lock_wait", rhost_int(change->is, "lock_wait", 60)) * 1000,
    };
    struct rhost_output out = { 0 };
    const char *printed;

    if (c->n == TOOLS_WORDS)
        return rhost_fail(ctx, "the command line of '%s' is too long", c->words[0]);
    for (;;) {
        if (wait_for_lock(ctx, &patience) < 0)
            return -1;
        tools_close(ctx);
        if (rhost_run(ctx, &command, &out) < 0)
            return -1;
        printed = in_one_line(ctx, out.err);
        /* Who may not lock the files at all does not wait for somebody else's lock. */
        if (out.status == 0 || !strstr(printed, "cannot lock") || strstr(printed, "Permission denied")
            || is_over(&patience))
            break;
        if (!patience.reported)
            rhost_warning(ctx, "%s: trying again, for up to %lld s", printed,
                          (long long)(patience.limit / 1000));
        patience.reported = 1;
        rest(TRY_AGAIN);
    }
    if (out.status == 0) {
        if (*printed)
            rhost_info(ctx, "%s", printed);
        return 0;
    }
    if (*printed)
        return rhost_fail(ctx, "%s", printed);
    return rhost_fail(ctx, "'%s' failed with status %d, without any output", c->words[0], out.status);
}

const struct accounts *
tools_accounts(rhost_ctx *ctx)
{
    void **kept = ctx->host->state(ctx);
    const char *path;

    if (*kept && accounts_is_fresh(*kept))
        return *kept;
    accounts_free(*kept);
    *kept = accounts_read(&path);
    if (!*kept)
        rhost_fail_errno(ctx, "cannot read '%s'", path);
    return *kept;
}

void
tools_close(rhost_ctx *ctx)
{
    void **kept = ctx->host->state(ctx);

    accounts_free(*kept);
    *kept = NULL;
}
