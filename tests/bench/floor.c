/* SPDX-License-Identifier: Apache-2.0 */
/* floor - what a bare C program needs for the same system calls: the measure of all that we do.
 *
 *   floor start                       nothing
 *   floor create DIR N [none|batch|each]
 *                                     N files, each beside its place and then renamed into it;
 *                                     brought to disk not at all, with one syncfs, one by one
 *   floor check DIR N                 reads N files, and fails unless all are as wanted
 *   floor differ DIR N                the same for N files that all differ
 *   floor spoil DIR N                 makes all N differ (for preparing, not for measuring)
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN = 65536 };
enum durability { NONE, BATCH, EACH };

static void __attribute__((noreturn)) give_up(const char *what)
{
    (void)fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* bench.sh writes the same into manifests. */
static int
content_of(long i, char *text, size_t size)
{
    return snprintf(text, size, "# kept as it should be\nnumber = %07ld\n", i);
}

static void
path_of(const char *dir, long i, char *path, size_t size)
{
    if (snprintf(path, size, "%s/file-%07ld.conf", dir, i) >= (int)size)
        give_up("path too long");
}

static void
write_all(int fd, const char *text, size_t n)
{
    if (write(fd, text, n) != (ssize_t)n)
        give_up("write");
}

static void
create_one(int dir, long i, const char *text, size_t n, enum durability durability)
{
    char name[64], beside[80];
    struct stat st;
    int fd;

    (void)snprintf(name, sizeof name, "file-%07ld.conf", i);
    (void)snprintf(beside, sizeof beside, ".%s.new", name);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        give_up("file already exists");
    fd = openat(dir, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        give_up(beside);
    write_all(fd, text, n);
    if (fchmod(fd, 0644) < 0)
        give_up("fchmod");
    if (durability == EACH && fsync(fd) < 0)
        give_up("fsync");
    if (renameat(dir, beside, dir, name) < 0)
        give_up("rename");
    if (close(fd) < 0)
        give_up("close");
}

static int
create(const char *path, long n, enum durability durability)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (dir < 0)
        give_up(path);
    for (long i = 0; i < n; i++) {
        char text[128];
        int len = content_of(i, text, sizeof text);

        create_one(dir, i, text, (size_t)len, durability);
    }
    if (durability == BATCH && syncfs(dir) < 0)
        give_up("syncfs");
    if (durability == EACH && fsync(dir) < 0)
        give_up("fsync");
    return close(dir);
}

static int
is_wanted(const char *path, const char *text, size_t n)
{
    char is[SHOWN];
    struct stat st;
    int same, fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
    ssize_t got;

    if (fd < 0 || fstat(fd, &st) < 0)
        give_up(path);
    got = pread(fd, is, sizeof is, 0);
    same = got == (ssize_t)n && memcmp(is, text, n) == 0 && (st.st_mode & 07777) == 0644;
    if (close(fd) < 0)
        give_up("close");
    return same;
}

static int
check(const char *dir, long n, int wanted)
{
    long differ = 0;

    for (long i = 0; i < n; i++) {
        char path[4096], text[128];
        int len = content_of(i, text, sizeof text);

        path_of(dir, i, path, sizeof path);
        if (is_wanted(path, text, (size_t)len) != wanted)
            differ++;
    }
    return differ != 0;
}

static int
spoil(const char *dir, long n)
{
    for (long i = 0; i < n; i++) {
        char path[4096], text[128];
        int fd, len = content_of(i, text, sizeof text);

        text[2] = 'K';
        path_of(dir, i, path, sizeof path);
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        if (fd < 0)
            give_up(path);
        write_all(fd, text, (size_t)len);
        if (close(fd) < 0)
            give_up("close");
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *how = argc > 4 ? argv[4] : "none";
    long n = argc > 3 ? strtol(argv[3], NULL, 10) : 0;

    if (strcmp(what, "start") == 0)
        return 0;
    if (argc < 4) {
        (void)fputs("usage: floor start | create DIR N [none|batch|each] | check DIR N | differ DIR N "
                    "| spoil DIR N\n",
                    stderr);
        return 2;
    }
    if (strcmp(what, "create") == 0)
        return create(argv[2], n, strcmp(how, "each") == 0 ? EACH : strcmp(how, "batch") == 0 ? BATCH : NONE);
    if (strcmp(what, "check") == 0)
        return check(argv[2], n, 1);
    if (strcmp(what, "differ") == 0)
        return check(argv[2], n, 0);
    return strcmp(what, "spoil") == 0 ? spoil(argv[2], n) : 2;
}
