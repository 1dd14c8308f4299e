/* SPDX-License-Identifier: Apache-2.0 */
/* starts - in an image, packages of Debian start none of their services while they are installed.
 *
 * invoke-rc.d asks /usr/sbin/policy-rc.d whether it may start a service. In an image that has none, this is
 * made a link to a program below /run, and removed afterwards. /run is empty when the image starts: a link
 * that a killed run leaves leads nowhere, which invoke-rc.d takes for no policy, and the next transaction
 * removes it. What starts by systemd's units needs nothing: deb-systemd-invoke does nothing where systemd
 * does not run. */

#include "starts.h"

#include <rhost/path.h>
#include <rhost/posix.h>

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#define POLICY "/usr/sbin/policy-rc.d"
#define PROGRAM "/run/rhost-policy-rc.d"

static const char program[] =
    "#!/bin/sh\n# Of rhost, while packages are installed in an image: nothing is started.\n"
    "exit 101\n";

/* Whether the image has a policy: 1 one that is ours, 0 none, -1 one of its own. */
static int
policy(rhost_ctx *ctx)
{
    char target[PATH_MAX];
    struct stat st;

    if (rhost_path_readlink(ctx, POLICY, target, sizeof target) > 0)
        return strcmp(target, PROGRAM) == 0 ? 1 : -1;
    return rhost_path_stat(ctx, POLICY, 0, &st) < 0 && errno == ENOENT ? 0 : -1;
}

/* By itself, since a file of rhost_replace_file() stays open for a while, and cannot be executed until it is
 * closed. */
static int32_t
write_program(rhost_ctx *ctx)
{
    int fd, failed;

    /* Every system that boots has it, and what a tool makes of a few packages need not. */
    if (rhost_path_mkdir(ctx, "/run", 0755) < 0 && errno != EEXIST)
        return rhost_fail_path(ctx, "cannot hold back the start of services: cannot create '%s'", "/run");
    (void)rhost_path_unlink(ctx, PROGRAM, 0);
    fd = rhost_path_open(ctx, PROGRAM, 0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot hold back the start of services: cannot create '%s'", PROGRAM);
    failed = write(fd, program, sizeof program - 1) != (ssize_t)(sizeof program - 1) || fchmod(fd, 0755) < 0;
    if (failed)
        (void)rhost_fail_errno(ctx, "cannot hold back the start of services: cannot write '%s'", PROGRAM);
    (void)close(fd);
    return failed ? -1 : 0;
}

int32_t
starts_prevent(rhost_ctx *ctx)
{
    int has;

    if (rhost_noop(ctx) || !rhost_in_chroot())
        return 0;
    has = policy(ctx);
    if (has < 0)
        return 0; /* it decides */
    if (write_program(ctx) < 0)
        return -1;
    if (!has && rhost_path_symlink(ctx, PROGRAM, POLICY, 0) < 0)
        return rhost_fail_path(ctx, "cannot hold back the start of services: cannot create '%s'", POLICY);
    rhost_debug(ctx, "services are not started in an image: '%s' refuses", POLICY);
    return 0;
}

void
starts_release(rhost_ctx *ctx)
{
    if (rhost_noop(ctx) || !rhost_in_chroot() || policy(ctx) != 1)
        return;
    if (rhost_path_unlink(ctx, POLICY, 0) < 0)
        rhost_warning(ctx, "cannot remove '%s': %s; it is left", POLICY, strerror(errno));
    (void)rhost_path_unlink(ctx, PROGRAM, 0);
}
