/* SPDX-License-Identifier: Apache-2.0 */
/* apply - have systemd-networkd apply a file that was written, and wait until it has. */

#include "apply.h"

#include "running.h"

#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <time.h>

enum {
    ALL = RUNNING_ADDRESSES | RUNNING_GATEWAY | RUNNING_ROUTES | RUNNING_FRESHNESS,
    STEP = 200,      /* milliseconds between two looks */
    AGAIN = 3000,    /* after which an interface is configured by name */
    LONGEST = 20000, /* IPv6 takes its time to find out that nobody else has an address */
};

int
apply_open(rhost_ctx *ctx, const rhost_value *should, struct apply *a)
{
    if (rhost_bool(should, "apply", 1) && !rhost_in_chroot()) {
        a->runs = running_is_active(ctx);
        if (a->runs == 0)
            rhost_notice(ctx, "systemd-networkd does not run: the file takes effect when it starts");
    }
    return a->runs < 0 ? -1 : 0;
}

int
apply_lacks(rhost_ctx *ctx, const char *path, const rhost_value *config, int which, const char **what)
{
    int runs = running_is_active(ctx);
    const char **names;
    ssize_t n;

    *what = NULL;
    if (runs <= 0)
        return runs;
    n = running_interfaces(ctx, rhost_str_or(config, "match", ""), &names);
    for (ssize_t i = 0; i < n && !*what; i++) {
        const char *file = running_file(ctx, names[i]);

        if (!file)
            return -1;
        if (strcmp(file, path) == 0) {
            if (running_lacks(ctx, names[i], config, path, which, what) < 0)
                return -1;
        } else if ((which & RUNNING_FRESHNESS) && !*file) {
            *what = rhost_fmt(ctx, "systemd-networkd does not configure %s", names[i]);
        } else if (which & RUNNING_FRESHNESS) {
            *what = rhost_fmt(ctx, "systemd-networkd configures %s by '%s'", names[i], file);
        }
    }
    return n < 0 ? -1 : 0;
}

/* The file is as it was, so that the next run finds a difference. */
static void
put_back(rhost_ctx *ctx, const struct apply *a)
{
    struct rhost_new_file file = { .struct_size = sizeof file,
                                   .path = a->path,
                                   .content = a->old,
                                   .content_len = a->old_len,
                                   .mode = -1,
                                   .uid = -1,
                                   .gid = -1 };

    if (!a->config) {
        file.mode = a->old_stat.st_mode & 07777;
        file.uid = a->old_stat.st_uid;
        file.gid = a->old_stat.st_gid;
    }
    if (a->old)
        (void)rhost_replace_file(ctx, &file);
    else if (rhost_path_unlink(ctx, a->path, 0) == 0)
        rhost_touched(ctx, a->path);
}

/* -1 after the reason was given, and the file was put back. */
static int
reload(rhost_ctx *ctx, struct apply *a)
{
    if (running_reload(ctx) == 0)
        return 0;
    put_back(ctx, a);
    (void)running_reload(ctx); /* it may have read the new one */
    return -1;
}

static void
pause_for(int milliseconds)
{
    const struct timespec t = { .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L };

    (void)nanosleep(&t, NULL);
}

/* `reloaded`: networkd is at work on it already. */
static int
wait_for(rhost_ctx *ctx, const struct apply *a, const char *interface, int reloaded)
{
    int asked = 0, wrong_file;

    for (int waited = 0;; waited += STEP) {
        const char *file = running_file(ctx, interface), *what = NULL;

        if (!file)
            return -1;
        wrong_file = strcmp(file, a->path) != 0;
        if (wrong_file)
            what = *file ? rhost_fmt(ctx, "it is configured by '%s'", file)
                         : rhost_fmt(ctx, "'%s' is not for it, or it is not managed", a->path);
        else if (running_lacks(ctx, interface, a->config, a->path, ALL, &what) < 0)
            return -1;
        if (!what)
            return 0;
        if (!asked && (!reloaded || waited >= AGAIN)) {
            asked = 1;
            if (running_reconfigure(ctx, interface) < 0)
                return -1;
        }
        if (waited >= (wrong_file ? 2 * AGAIN : LONGEST))
            return rhost_fail(
                ctx,
                "systemd-networkd has not configured %s within %d s: %s; 'networkctl status %s' and "
                "'journalctl -u systemd-networkd' show why",
                interface, waited / 1000, what, interface);
        if (rhost_stopping(ctx))
            return rhost_fail(ctx, "the run ends: systemd-networkd has not yet configured %s", interface);
        if (waited == 0)
            rhost_busy(ctx, LONGEST / 1000.0 + 60, "waiting for systemd-networkd to configure %s", interface);
        pause_for(STEP);
    }
}

int
apply_file(rhost_ctx *ctx, struct apply *a, int written)
{
    const char **names, *what;
    ssize_t n;

    if (!a->runs)
        return 0;
    if (!written && apply_lacks(ctx, a->path, a->config, RUNNING_FRESHNESS, &what) < 0)
        return -1;
    if (written ? reload(ctx, a) < 0 : what && running_reload(ctx) < 0)
        return -1;
    n = running_interfaces(ctx, rhost_str_or(a->config, "match", ""), &names);
    if (n == 0)
        rhost_notice(ctx, "interface '%s' does not exist yet: the file takes effect when it does",
                     rhost_str_or(a->config, "match", ""));
    for (ssize_t i = 0; i < n; i++)
        if (wait_for(ctx, a, names[i], written) < 0)
            return -1;
    return n < 0 ? -1 : 0;
}

int
apply_removal(rhost_ctx *ctx, struct apply *a)
{
    return a->runs ? reload(ctx, a) : 0;
}
