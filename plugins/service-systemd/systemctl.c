/* SPDX-License-Identifier: Apache-2.0 */
/* systemctl - units of an image: a directory that systemd will start from, where no manager runs yet. */

#include "systemctl.h"

#include <rhost/exec.h>
#include <rhost/posix.h>

#include <unistd.h>

enum { MOST_STATUS = 4 }; /* of a unit that is not enabled, or that does not exist */

static const char *
program(void)
{
    static const char *const places[] = { "/usr/bin/systemctl", "/bin/systemctl" };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

int
systemctl_has_image(void)
{
    return rhost_in_chroot() && program();
}

int
systemctl_is_init(void)
{
    char target[256];
    ssize_t n = readlink("/sbin/init", target, sizeof target - 1);
    const char *name;

    if (n < 0)
        return access("/sbin/init", F_OK) < 0;
    target[n] = '\0';
    name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
    return strcmp(name, "systemd") == 0;
}

/* -1 after the reason was given. */
static int
run(rhost_ctx *ctx, const char *const *argv, uint64_t flags, struct rhost_output *out)
{
    /* It sees a chroot by itself, unless /proc is missing. */
    static const char *const env[] = { "SYSTEMD_OFFLINE=1", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER=", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .flags = flags,
        .timeout = 60000,
    };

    return rhost_run(ctx, &command, out) < 0 ? -1 : 0;
}

/* The last line of a text. */
static const char *
last_line(rhost_ctx *ctx, const char *text)
{
    size_t n = strlen(text), start;

    while (n && text[n - 1] == '\n')
        n--;
    for (start = n; start && text[start - 1] != '\n';)
        start--;
    return rhost_copy(ctx, text + start, n - start);
}

const char *
systemctl_state(rhost_ctx *ctx, const char *unit)
{
    const char *const argv[] = { program(), "is-enabled", "--", unit, NULL };
    struct rhost_output out;
    const char *state;

    if (run(ctx, argv, RHOST_EXEC_READS, &out) < 0)
        return NULL;
    if (out.signal || out.status > MOST_STATUS) {
        (void)rhost_fail(ctx, "'systemctl is-enabled %s' failed with status %d: %s", unit, (int)out.status,
                         last_line(ctx, out.err));
        return NULL;
    }
    state = rhost_copy(ctx, out.out, strcspn(out.out, "\n"));
    return strcmp(state, "not-found") == 0 ? "" : state;
}

const char *
systemctl_change(rhost_ctx *ctx, const char *verb, const char *unit)
{
    const char *const argv[] = { program(), verb, "--", unit, NULL };
    struct rhost_output out;

    if (run(ctx, argv, 0, &out) < 0)
        return "systemctl could not be run";
    if (!out.status)
        return NULL;
    return *out.err ? last_line(ctx, out.err)
                    : rhost_fmt(ctx, "systemctl exited with status %d", (int)out.status);
}

char *
systemctl_list(rhost_ctx *ctx, const char *pattern)
{
    const char *const argv[] = { program(), "list-unit-files", "--no-legend", "--no-pager", "--full",
                                 "--",      pattern,           NULL };
    struct rhost_output out;

    if (run(ctx, argv, RHOST_EXEC_READS, &out) < 0)
        return NULL;
    if (out.status && !*out.out
        && *out.err) { /* that nothing fits is a failure for newer ones, without a word */
        (void)rhost_fail(ctx, "cannot list the units of this image: %s", last_line(ctx, out.err));
        return NULL;
    }
    return rhost_copy(ctx, out.out, out.out_len);
}
