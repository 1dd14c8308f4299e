/* SPDX-License-Identifier: Apache-2.0 */
/* hostile-all - all attempts of tests/unit/attempts.h, made by a provider at work. */
#include "config.h"

#include "hostile-all.h"

#include "../unit/attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scene scene;

static void
make_file(const char *directory)
{
    char path[160];
    int fd;

    (void)snprintf(path, sizeof path, "%s/file", directory);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    if (fd < 0)
        return;
    if (write(fd, "text\n", 5) != 5 || fchmod(fd, 0755) < 0)
        (void)unlink(path);
    (void)close(fd);
}

/* What an attempt has changed is made good: where this can't be done, neither could the attempt. */
static void
reset(void)
{
    char path[160];

    (void)snprintf(path, sizeof path, "%s/moved", scene.top);
    if (rename(path, scene.inside) < 0 && errno == EXDEV)
        abort();
    (void)snprintf(path, sizeof path, "%s/new", scene.outside);
    (void)unlink(path);
    (void)rmdir(path);
    (void)snprintf(path, sizeof path, "%s/new", scene.inside);
    (void)unlink(path);
    (void)rmdir(path);
    (void)snprintf(path, sizeof path, "%s/directory", scene.outside);
    (void)mkdir(path, 0755);
    make_file(scene.outside);
    make_file(scene.readable);
    make_file(scene.inside);
}

/* In a process of its own, which the attempt may end or replace. */
static int
try_one(const struct attempt *a)
{
    int status;
    pid_t child;

    reset();
    child = fork();
    if (child == 0) {
        int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);

        (void)alarm(10);
        if (silent >= 0)
            (void)dup2(silent, STDOUT_FILENO);
        errno = 0;
        _exit(a->run(&scene));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

const char *
hostile_report(const char *where)
{
    static char text[16384];
    size_t n = 0;
    int victim;

    if (sscanf(where, "%63s %hu %31s %d", scene.top, &scene.port, scene.abstract, &victim) != 4)
        return NULL;
    scene.victim = victim;
    (void)snprintf(scene.inside, sizeof scene.inside, "%s/inside", scene.top);
    (void)snprintf(scene.readable, sizeof scene.readable, "%s/readable", scene.top);
    (void)snprintf(scene.outside, sizeof scene.outside, "%s/outside", scene.top);
    (void)snprintf(scene.socket, sizeof scene.socket, "%s/socket", scene.outside);
    for (size_t i = 0; i < n_attempts && n < sizeof text - 200; i++) {
        int why;

        /* That would be this process itself; hostile.c has these. */
        if (strstr(attempts[i].name, "parent"))
            continue;
        why = try_one(&attempts[i]);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s: %s\n", attempts[i].name,
                              why ? strerror(why) : "works");
    }
    reset();
    return text;
}

int
hostile_try_all(const char *where, const char *path)
{
    const char *text = hostile_report(where);
    size_t n = text ? strlen(text) : 0;
    int fd = text ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1, rc;

    if (fd < 0)
        return -1;
    rc = write(fd, text, n) == (ssize_t)n ? 0 : -1;
    return close(fd) < 0 ? -1 : rc;
}
