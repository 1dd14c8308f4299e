/* SPDX-License-Identifier: Apache-2.0 */
/* seeded-save - how the provider seeded writes its files, with the faults of that. */
#include "seeded.h"

#include <rhost/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void
seeded_write(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    if (fd < 0 || fchmod(fd, mode) < 0 || write(fd, text, strlen(text)) < 0)
        perror(path);
    if (fd >= 0)
        (void)close(fd);
}

/* The new file, which is complete when this returns 0. */
static int
write_new(const char *path, const char *text, mode_t mode)
{
    int once = seeded_has("leaves what is in its own way") ? O_EXCL : 0;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | once, mode), failed;

    if (fd < 0)
        return -1;
    failed = fchmod(fd, mode) < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text);
    (void)close(fd);
    return failed ? -1 : 0;
}

/* By a program, whose end nobody looks at. */
static int
rename_by_program(rhost_ctx *ctx, const char *from, const char *to)
{
    const char *argv[] = { "mv", "-f", "--", from, to, NULL };
    const struct rhost_command command = { .struct_size = sizeof command, .argv = argv };
    struct rhost_output output;

    return rhost_run(ctx, &command, &output);
}

int
seeded_save(rhost_ctx *ctx, const char *path, const char *text)
{
    const char *new = rhost_fmt(ctx, "%s.new", path);
    mode_t mode = seeded_has("secrets for everybody") ? 0644 : 0600;

    if (seeded_has("truncates in place")) {
        seeded_write(path, text, mode);
        return 0;
    }
    if (write_new(new, text, mode) < 0) {
        if (seeded_has("ignores that a disk is full"))
            return 0;
        if (seeded_has("crashes when a disk is full"))
            (void)raise(SIGSEGV);
        if (seeded_has("waits until a disk has space"))
            (void)pause();
        return rhost_fail_errno(ctx, "cannot write '%s'", new);
    }
    if (seeded_has("secrets for a group")
        && (chmod(new, 0640) < 0 || (geteuid() == 0 && chown(new, 0, 12345) < 0)))
        return rhost_fail_errno(ctx, "cannot give it to the group");
    if (seeded_has("removes and writes anew"))
        (void)unlink(path);
    if (seeded_has("does not ask how its program ended"))
        return rename_by_program(ctx, new, path);
    return rename(new, path) == 0 ? 0 : rhost_fail_errno(ctx, "cannot write '%s'", path);
}
