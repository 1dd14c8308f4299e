/* SPDX-License-Identifier: Apache-2.0 */
/* spool - reports until they have arrived. */
#include "config.h"

#include "agent/spool.h"

#include "agent/settings.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "run/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, RESERVE = 64 << 10, DIGITS = 15 };

static const char losses_file[] = "losses.json", reserve_file[] = ".reserve";

static char *
path_of(const struct rh_spool *s, int64_t number)
{
    return rh_printf("%s/%0*lld-%c.json", s->directory, DIGITS, (long long)(number < 0 ? -number : number),
                     number < 0 ? 'n' : 'c');
}

/* The number of "000000000000012-c.json"; 0: it is none. */
static int64_t
number_of(const char *name)
{
    int64_t n = strtoll(name, NULL, 10);

    if (strspn(name, "0123456789") != DIGITS || n < 1)
        return 0;
    return strcmp(name + DIGITS, "-c.json") == 0 ? n : strcmp(name + DIGITS, "-n.json") == 0 ? -n : 0;
}

static int
by_number(const void *a, const void *b)
{
    int64_t x = llabs(*(const int64_t *)a), y = llabs(*(const int64_t *)b);

    return x < y ? -1 : x > y;
}

static uint64_t
size_of(const struct rh_spool *s, int64_t number)
{
    rh_autofree char *path = path_of(s, number);
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static void
add(struct rh_spool *s, int64_t number)
{
    s->v = rh_xgrow(s->v, &s->cap, s->n, sizeof *s->v);
    s->v[s->n++] = number;
    s->bytes += size_of(s, number);
    if (llabs(number) > s->last)
        s->last = llabs(number);
}

/* Room on the disk that a report can have when there is no other. */
static void
keep_reserve(const struct rh_spool *s)
{
    rh_autofree char *path = rh_printf("%s/%s", s->directory, reserve_file);
    rh_autoclose int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd >= 0)
        (void)posix_fallocate(fd, 0, RESERVE);
}

static void
free_reserve(const struct rh_spool *s)
{
    rh_autofree char *path = rh_printf("%s/%s", s->directory, reserve_file);

    (void)unlink(path);
}

static int
read_reports(struct rh_spool *s, bool cleans, struct rh_error *err)
{
    rh_autoclosedir DIR *d = opendir(s->directory);
    const struct dirent *e;

    if (!d)
        return rh_error_system(err, errno, "cannot read the directory '%s'", s->directory);
    while ((e = readdir(d))) {
        int64_t number = number_of(e->d_name);

        if (number)
            add(s, number);
        else if (cleans && strncmp(e->d_name, "0000", 4) == 0) /* what a killed agent was just writing */
            (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, by_number);
    return 0;
}

int
rh_spool_open(struct rh_spool *s, const char *agent_directory, struct rh_error *err)
{
    *s = (struct rh_spool){ .directory = rh_printf("%s/spool", agent_directory) };
    if (rh_make_directory(s->directory, 0700, err) < 0 || read_reports(s, true, err) < 0)
        return -1;
    keep_reserve(s);
    return 0;
}

int
rh_spool_count(struct rh_spool *s, const char *agent_directory, struct rh_error *err)
{
    *s = (struct rh_spool){ .directory = rh_printf("%s/spool", agent_directory) };
    return access(s->directory, F_OK) < 0 && errno == ENOENT ? 0 : read_reports(s, false, err);
}

void
rh_spool_clear(struct rh_spool *s)
{
    free(s->directory);
    free(s->v);
    *s = (struct rh_spool){ 0 };
}

int
rh_spool_losses(const struct rh_spool *s, struct rh_spool_losses *l, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *v = rh_state_load(a, s->directory, losses_file, err), *number;

    *l = (struct rh_spool_losses){ 0 };
    if (!v)
        return -1;
    number = rh_value_get(v, "folded");
    l->folded = rh_value_is(number, RH_INTEGER) ? number->u.integer : 0;
    number = rh_value_get(v, "dropped");
    l->dropped = rh_value_is(number, RH_INTEGER) ? number->u.integer : 0;
    return 0;
}

static int
save_losses(const struct rh_spool *s, const struct rh_spool_losses *l, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "folded", rh_value_integer(a, l->folded));
    rh_value_put(v, "dropped", rh_value_integer(a, l->dropped));
    return rh_state_save(s->directory, losses_file, v, err);
}

int
rh_spool_forget_losses(const struct rh_spool *s, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", s->directory, losses_file);

    if (unlink(path) < 0 && errno != ENOENT)
        return rh_error_system(err, errno, "cannot remove '%s'", path);
    return rh_sync_directory(s->directory, err);
}

int
rh_spool_remove(struct rh_spool *s, size_t i, struct rh_error *err)
{
    rh_autofree char *path = path_of(s, s->v[i]);
    uint64_t size = size_of(s, s->v[i]);

    if (unlink(path) < 0 && errno != ENOENT)
        return rh_error_system(err, errno, "cannot remove '%s'", path);
    s->bytes -= size < s->bytes ? size : s->bytes;
    memmove(s->v + i, s->v + i + 1, (s->n - i - 1) * sizeof *s->v);
    s->n--;
    return 0;
}

/* One report makes room: the oldest without a change, or the oldest. It is counted before it goes, so that a
 * crash between counts one too many and never one too few. */
/* The message of a system call that failed ends with the system's reason. */
static bool
is_full(const struct rh_error *err)
{
    return strstr(err->message, strerror(ENOSPC)) || strstr(err->message, strerror(EDQUOT));
}

static bool
has_foldable(const struct rh_spool *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i] < 0)
            return true;
    return false;
}

static int
drop_one(struct rh_spool *s, struct rh_error *err)
{
    struct rh_spool_losses l;
    size_t i = 0;

    while (i < s->n && s->v[i] > 0)
        i++;
    if (rh_spool_losses(s, &l, err) < 0)
        return -1;
    if (i < s->n) {
        l.folded++;
    } else {
        i = 0;
        l.dropped++;
    }
    return save_losses(s, &l, err) < 0 ? -1 : rh_spool_remove(s, i, err);
}

int
rh_spool_fold(struct rh_spool *s, const struct rh_agent_settings *settings, struct rh_error *err)
{
    while (s->n && (s->n > (size_t)settings->spool_reports || s->bytes > (uint64_t)settings->spool_bytes))
        if (drop_one(s, err) < 0)
            return -1;
    return 0;
}

int
rh_spool_put(struct rh_spool *s, const char *report, size_t n, bool change, struct rh_error *err)
{
    int64_t number = change ? s->last + 1 : -(s->last + 1);
    rh_autofree char *path = path_of(s, number);
    rh_autoerror struct rh_error why = { 0 };

    while (rh_replace_file(path, report, n, 0600, &why) < 0) {
        free_reserve(s);
        rh_error_clear(&why);
        if (rh_replace_file(path, report, n, 0600, &why) == 0)
            break;
        /* Its count takes the room that the reserve had. What removing cannot help is left alone, and a
         * report without a change takes the place of no other. */
        if (!s->n || !is_full(&why) || s->bytes < n || (!change && !has_foldable(s))
            || drop_one(s, err) < 0) {
            rh_error_move(err, &why);
            return -1;
        }
        rh_error_clear(&why);
    }
    add(s, number);
    keep_reserve(s);
    return rh_sync_directory(s->directory, err);
}

char *
rh_spool_read(const struct rh_spool *s, size_t i, size_t *n, struct rh_error *err)
{
    rh_autofree char *path = path_of(s, s->v[i]);

    return rh_read_kept_file(path, LARGEST, n, err);
}
