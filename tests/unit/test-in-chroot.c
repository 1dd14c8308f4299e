/* SPDX-License-Identifier: Apache-2.0 */
/* test-in-chroot - rhost_in_chroot(): which roots are those of an image, and which that of a machine or a
 * container. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A root, as far as it is looked at: the file that is there, and what / and the first process's / are. */
static struct {
    const char *file;
    int dev, ino, first_dev, first_ino; /* 0: cannot be told */
} root;

static int
our_stat(const char *path, struct stat *st)
{
    int first = strcmp(path, "/proc/1/root/.") == 0, own = strcmp(path, "/") == 0;
    int ino = own ? root.ino : first ? root.first_ino : 0;

    *st = (struct stat){ .st_dev = (dev_t)(own ? root.dev : root.first_dev), .st_ino = (ino_t)ino };
    if (ino || (root.file && strcmp(path, root.file) == 0))
        return 0;
    errno = own || first ? EACCES : ENOENT;
    return -1;
}

#define stat(path, st) our_stat(path, st)
#include <rhost/posix.h>
#undef stat

#include <cmocka.h>

static void
a_root_that_is_not_that_of_the_first_process_is_an_image(void **state)
{
    static const struct {
        const char *file;
        int dev, ino, first_dev, first_ino, expected;
    } table[] = {
        { NULL, 1, 2, 1, 2, 0 }, /* the machine's own */
        { NULL, 1, 9, 1, 2, 1 }, /* a directory of the same file system */
        { NULL, 8, 2, 1, 2, 1 }, /* another file system, whose root has the same number */
        { NULL, 8, 9, 1, 2, 1 },
        { NULL, 1, 9, 1, 0, 0 }, /* /proc is not there, or not ours to see */
        { NULL, 1, 0, 1, 2, 0 },
        { "/run/rhost/image", 1, 2, 1, 2, 1 },
        { "/dev/rhost/image", 1, 2, 1, 2, 1 },
        { "/run/.containerenv", 8, 9, 1, 2, 0 },
        { "/.dockerenv", 8, 9, 1, 2, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        root.file = table[i].file;
        root.dev = table[i].dev;
        root.ino = table[i].ino;
        root.first_dev = table[i].first_dev;
        root.first_ino = table[i].first_ino;
        if (rhost_in_chroot() != table[i].expected)
            fail_msg("row %zu is expected to be %d", i, table[i].expected);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_that_is_not_that_of_the_first_process_is_an_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
