/* SPDX-License-Identifier: Apache-2.0 */
/* publish-rsync - copies a bundle to another machine, or to a directory, by rsync. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts rsync with our environment: ssh needs its agent. What it prints goes to `out`; -1: to where we
 * print. */
static int
start(char *const *argv, int out, pid_t *pid, struct rh_error *err)
{
    posix_spawn_file_actions_t actions;
    int number;

    if (posix_spawn_file_actions_init(&actions) != 0)
        rh_out_of_memory();
    number = out >= 0 ? posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) : 0;
    if (!number)
        number = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (!number)
        return 0;
    rh_error_system(err, number, "cannot start 'rsync'");
    return rh_error_suggest(err, NULL, "install the package rsync");
}

static int
wait_for(pid_t pid, const char *to, struct rh_error *err)
{
    int status = 0;

    if (rh_wait_child(pid, &status) < 0)
        return rh_error_system(err, errno, "cannot wait for 'rsync'");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return rh_error_set(err, RH_ESYSTEM, "rsync could not copy to '%s'", to);
    return 0;
}

/* Each file comes into place whole, as rsync does it. */
static int
copy(const char *file, const char *to, const char *how, struct rh_error *err)
{
    rh_autofree char *own_file = rh_xstrdup(file), *own_to = rh_printf("%s/", to), *own_how = rh_xstrdup(how);
    char name[] = "rsync", quiet[] = "--quiet", mode[] = "--chmod=F644", end[] = "--";
    char *const argv[] = { name, quiet, mode, own_how, end, own_file, own_to, NULL };
    pid_t pid = 0;

    return start(argv, -1, &pid, err) < 0 ? -1 : wait_for(pid, to, err);
}

/* Whether there is a file of this name with other bytes: rsync prints a line for it, and copies nothing. */
static int
check(const char *file, const char *to, struct rh_error *err)
{
    rh_autofree char *own_file = rh_xstrdup(file), *own_to = rh_printf("%s/", to);
    char name[] = "rsync", dry[] = "--dry-run", sum[] = "--checksum", existing[] = "--existing",
         format[] = "--out-format=%n", end[] = "--";
    char *const argv[] = { name, dry, sum, existing, format, end, own_file, own_to, NULL };
    char text[256];
    bool differs = false;
    int pair[2];
    pid_t pid = 0;
    ssize_t n;

    if (pipe2(pair, O_CLOEXEC) < 0)
        return rh_error_system(err, errno, "cannot start 'rsync'");
    n = start(argv, pair[1], &pid, err);
    (void)close(pair[1]);
    while (n == 0 && ((n = read(pair[0], text, sizeof text)) > 0 || (n < 0 && errno == EINTR))) {
        differs |= n > 0;
        n = 0;
    }
    (void)close(pair[0]);
    if (!pid || wait_for(pid, to, err) < 0)
        return -1;
    return differs ? rh_error_set(err, RH_EINPUT, "'%s' in '%s' is another bundle of the same revision",
                                  strrchr(file, '/') ? strrchr(file, '/') + 1 : file, to)
                   : 0;
}

int
rh_bundle_publish_rsync(const struct rh_bundle *b, const char *path, const char *to, struct rh_error *err)
{
    rh_autofree char *archive = rh_bundle_archive_path(path, b->description.sha256),
                     *signature = rh_printf("%s.sig", path);

    /* A signature may be a newer one. */
    return check(path, to, err) < 0 || copy(archive, to, "--ignore-existing", err) < 0
                   || (access(signature, F_OK) == 0 && copy(signature, to, "--checksum", err) < 0)
                   || copy(path, to, "--ignore-existing", err) < 0
               ? -1
               : 0;
}
