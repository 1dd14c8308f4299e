/* SPDX-License-Identifier: Apache-2.0 */
/* swap - another process that exchanges a file at the worst moment. Linked with --wrap=openat. */
#ifndef TEST_SWAP_H
#define TEST_SWAP_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum by { LINK, PIPE };

/* The file whose name begins so is moved to "away" right before (or after) it is opened; another takes its
 * place. */
static struct {
    const char *name;
    enum by by;
    const char *target; /* of the link */
    bool after;
    int done;
} swap;

static void
put(int at, const char *name)
{
    if (swap.by == LINK)
        assert_int_equal(symlinkat(swap.target, at, name), 0);
    else
        assert_int_equal(mkfifoat(at, name, 0600), 0);
}

static void
swap_now(int at, const char *name, bool after)
{
    struct stat st;

    if (swap.done || !swap.name || swap.after != after || strncmp(name, swap.name, strlen(swap.name)) != 0
        || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0) /* it was only looked for */
        return;
    swap.done = 1;
    assert_int_equal(renameat(at, name, at, "away"), 0);
    put(at, name);
}

int __real_openat(int at, const char *name, int flags, ...);
int __wrap_openat(int at, const char *name, int flags, ...);

int
__wrap_openat(int at, const char *name, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;
    int fd;

    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        va_end(ap);
    }
    swap_now(at, name, false);
    fd = __real_openat(at, name, flags, mode);
    if (fd >= 0)
        swap_now(at, name, true);
    return fd;
}

/* What it is called where a long has 32 bits. */
int __wrap_openat64(int at, const char *name, int flags, ...) __attribute__((alias("__wrap_openat")));

#endif
