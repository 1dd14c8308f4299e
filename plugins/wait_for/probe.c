/* SPDX-License-Identifier: Apache-2.0 */
/* probe - one probe of what a resource waits for: a path, a port, a Unix socket, or a unit. */

#include "probe.h"

#include "../line/pattern.h"

#include <rhost/exec.h>
#include <rhost/lines.h>
#include <rhost/path.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    LARGEST = 64 << 20, /* bytes of a file that is searched */
    SLICE = 50          /* milliseconds after which it is asked whether the run is to end */
};

double
probe_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
probe_pause(rhost_ctx *ctx, double seconds)
{
    double end = probe_now() + seconds, left;

    while ((left = end - probe_now()) > 0) {
        struct timespec t = { .tv_nsec = SLICE * 1000000L };

        if (rhost_stopping(ctx))
            return -1;
        if (left < SLICE / 1000.0)
            t.tv_nsec = (long)(left * 1e9);
        (void)nanosleep(&t, NULL); /* ended early, it is asked again */
    }
    return rhost_stopping(ctx) ? -1 : 0;
}

void
probe_init(struct probe *l, rhost_ctx *ctx, const rhost_value *should)
{
    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    l->should = should;
    l->found = PROBE_UNKNOWN;
}

enum probe_result
probe_text(struct probe *l, const char *bytes, size_t n)
{
    const rhost_value *text = rhost_get(l->should, "text");
    struct pattern p;
    char why[512];
    int rc;

    if (pattern_init(&p, rhost_str(l->should, "text"), rhost_is_utf8(bytes, n) ? PATTERN_TEXT : PATTERN_BYTES,
                     why, sizeof why)
        < 0) {
        (void)rhost_fail_attr(l->ctx, "text", "%s",
                              text->host->sensitive(text) ? "invalid regular expression" : why);
        return PROBE_FAILED;
    }
    rc = pattern_matches(&p, bytes, n);
    pattern_clear(&p);
    if (rc >= 0)
        return rc ? PROBE_PRESENT : PROBE_ABSENT;
    (void)rhost_fail_attr(l->ctx, "text", "the regular expression takes too many steps");
    return PROBE_FAILED;
}

static enum probe_result
fail_to_read(struct probe *l, const char *path)
{
    (void)rhost_fail_path(l->ctx, "cannot read '%s'", path);
    return PROBE_FAILED;
}

/* All of an open file, for free(), or NULL with errno. */
static char *
read_all(int fd, size_t size, size_t *len)
{
    char *bytes = malloc(size + 1);
    size_t n = 0;

    while (bytes && n < size) {
        ssize_t got = read(fd, bytes + n, size - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int why = errno;

            free(bytes);
            errno = why;
            return NULL;
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    *len = n;
    return bytes;
}

static int
is_seen(const struct probe *l, const struct stat *st)
{
    return l->found != PROBE_UNKNOWN && l->seen.st_dev == st->st_dev && l->seen.st_ino == st->st_ino
           && l->seen.st_size == st->st_size && l->seen.st_mtim.tv_sec == st->st_mtim.tv_sec
           && l->seen.st_mtim.tv_nsec == st->st_mtim.tv_nsec;
}

static enum probe_result
search(struct probe *l, const char *path, int fd)
{
    struct stat st;
    size_t n = 0;
    char *bytes;

    if (fstat(fd, &st) < 0)
        return fail_to_read(l, path);
    if (!S_ISREG(st.st_mode) || st.st_size > LARGEST) {
        (void)rhost_fail_attr(l->ctx, "path", "'%s' is %s", path,
                              S_ISREG(st.st_mode) ? "larger than 64 MiB: it is not searched"
                                                  : "not a regular file");
        return PROBE_FAILED;
    }
    (void)snprintf(l->why, sizeof l->why, "'%.300s' exists, without a match of 'text'", path);
    if (is_seen(l, &st))
        return l->found;
    bytes = read_all(fd, (size_t)st.st_size, &n);
    if (!bytes)
        return fail_to_read(l, path);
    l->found = probe_text(l, bytes, n);
    l->seen = st;
    free(bytes);
    if (l->found == PROBE_PRESENT)
        (void)snprintf(l->why, sizeof l->why, "'%.300s' has a match of 'text'", path);
    return l->found;
}

static enum probe_result
probe_path(struct probe *l, const char *path)
{
    enum probe_result found;
    struct stat st;
    int fd;

    if (!rhost_has(l->should, "text")) {
        if (rhost_path_stat(l->ctx, path, RHOST_PATH_FOLLOW, &st) == 0) {
            (void)snprintf(l->why, sizeof l->why, "'%.300s' exists", path);
            return PROBE_PRESENT;
        }
        fd = -1;
    } else {
        fd = rhost_path_open(l->ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    }
    if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
        return fail_to_read(l, path);
    (void)snprintf(l->why, sizeof l->why, "'%.300s' does not exist", path);
    if (fd < 0)
        return PROBE_ABSENT;
    found = search(l, path, fd);
    rhost_path_close(fd);
    return found;
}

static enum probe_result
probe_unit(struct probe *l, const char *unit)
{
    static const char *const gone[] = { "inactive", "failed", "unknown" };
    const char *argv[] = { "systemctl", "is-active", "--", unit, NULL };
    double left = l->until - probe_now();
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .output_limit = 512,
        .timeout = left > 30  ? 30000
                   : left < 5 ? 5000
                              : (uint32_t)(left * 1000),
        .flags = RHOST_EXEC_READS | RHOST_EXEC_STOPPABLE,
    };
    struct rhost_output output;
    char state[40];

    if (rhost_run(l->ctx, &command, &output) < 0)
        return PROBE_FAILED;
    if (output.status != 0 && output.err_len) {
        (void)rhost_fail_attr(l->ctx, "unit", "cannot ask systemd: %.*s", (int)strcspn(output.err, "\n"),
                              output.err);
        return PROBE_FAILED;
    }
    (void)snprintf(state, sizeof state, "%.*s", (int)strcspn(output.out, "\n"), output.out);
    (void)snprintf(l->why, sizeof l->why, "unit '%.200s' is %s", unit, *state ? state : "unknown");
    if (output.status == 0)
        return PROBE_PRESENT;
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        if (!*state || strcmp(state, gone[i]) == 0)
            return PROBE_ABSENT;
    return PROBE_UNKNOWN; /* it starts, or ends */
}

enum probe_result
probe_once(struct probe *l)
{
    const char *path = rhost_str(l->should, "path"), *socket = rhost_str(l->should, "socket");
    const char *unit = rhost_str(l->should, "unit");

    if (path)
        return probe_path(l, path);
    if (socket)
        return probe_socket(l, socket);
    return unit ? probe_unit(l, unit) : probe_port(l, rhost_int(l->should, "port", 0));
}
