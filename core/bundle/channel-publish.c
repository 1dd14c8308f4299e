/* SPDX-License-Identifier: Apache-2.0 */
/* channel-publish - has a channel or a preview signed, and replaces the one in the directory. */
#include "config.h"

#include "bundle/channel-parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/new-file.h"
#include "base/wait.h"
#include "bundle/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST_SIGNATURE = 64 << 10 };

/* Where it is signed before it is published. */
struct scratch {
    char directory[64];
    char *file, *signature;
};

static void
scratch_clear(struct scratch *s)
{
    if (s->file)
        (void)unlink(s->file);
    if (s->signature)
        (void)unlink(s->signature);
    if (*s->directory)
        (void)rmdir(s->directory);
    free(s->file);
    free(s->signature);
}

static int
scratch_make(struct scratch *s, struct rh_error *err)
{
    (void)memcpy(s->directory, "/tmp/rhost-channel-XXXXXX", sizeof "/tmp/rhost-channel-XXXXXX");
    if (!mkdtemp(s->directory)) {
        *s->directory = '\0';
        return rh_error_system(err, errno, "cannot create a directory in '/tmp'");
    }
    s->file = rh_printf("%s/" RH_CHANNEL_FILE, s->directory);
    s->signature = rh_printf("%s.sig", s->file);
    return 0;
}

/* ssh-keygen asks for the passphrase on the terminal, or has the agent sign. */
static int
sign(const char *key, const char *path, struct rh_error *err)
{
    rh_autofree char *own_key = rh_xstrdup(key), *own_path = rh_xstrdup(path);
    char name[] = "ssh-keygen", quiet[] = "-q", verb[] = "-Y", what[] = "sign", space[] = "-n",
         name_space[] = RH_CHANNEL_NAMESPACE, file[] = "-f", end[] = "--";
    char *argv[] = { name, quiet, verb, what, space, name_space, file, own_key, end, own_path, NULL };
    int number, status = 0;
    pid_t pid;

    number = posix_spawnp(&pid, name, NULL, NULL, argv, environ);
    if (number) {
        rh_error_system(err, number, "cannot start 'ssh-keygen'");
        return rh_error_suggest(err, NULL, "install the package openssh-client");
    }
    if (rh_wait_child(pid, &status) < 0)
        return rh_error_system(err, errno, "cannot wait for 'ssh-keygen'");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return rh_error_set(err, RH_EINPUT, "ssh-keygen did not sign with '%s'", key);
    return 0;
}

/* The name of a channel that is whole, until it takes its place; the caller's. */
static char *
next_path(const char *directory, const char *name)
{
    return rh_printf("%s/.%s.new", directory, name);
}

static bool
is_signed(const char *path, const char *signature, const char *signers)
{
    rh_autosigned struct rh_signed s = { 0 };

    return rh_signed_open_beside(&s, path, signature, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, signers, NULL)
           == 0;
}

int
rh_channel_recover_file(const char *directory, const char *name, const char *signers, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", directory, name), *signature = rh_printf("%s.sig", path),
                     *next = next_path(directory, name);

    if (!signers || access(next, F_OK) < 0 || is_signed(path, signature, signers)
        || !is_signed(next, signature, signers))
        return 0;
    if (rh_replaceable(path, err) < 0 || rh_rename_file(next, path, err) < 0)
        return -1;
    return rh_sync_directory(directory, err);
}

int
rh_channel_lock(const char *directory, struct rh_error *err)
{
    rh_autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return rh_error_system(err, errno, "cannot open the directory '%s'", directory);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0)
        return rh_error_system(err, errno, "another channel is being made in '%s'", directory);
    return rh_take_fd(&fd);
}

int
rh_channel_recover(const char *directory, const char *signers, struct rh_error *err)
{
    rh_autoclose int lock = rh_channel_lock(directory, NULL);

    /* Another program that has the lock ends it itself. */
    return lock < 0 ? 0 : rh_channel_recover_file(directory, RH_CHANNEL_FILE, signers, err);
}

/* Both are whole, and on disk, before either takes its place; the lock of the directory makes their names
 * ours. The signature goes first: for a moment it belongs to no channel, and who reads tries again. */
static int
replace(const struct scratch *s, const struct rh_channel_request *r, const char *name, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", r->directory, name), *there = rh_printf("%s.sig", path),
                     *next = next_path(r->directory, name), *next_signature = rh_printf("%s.sig", next);
    size_t n = 0, n_signature = 0;
    rh_autofree char *text = rh_read_kept_file(s->file, RH_CHANNEL_BYTES, &n, err);
    rh_autofree char *signature =
        text ? rh_read_kept_file(s->signature, LARGEST_SIGNATURE, &n_signature, err) : NULL;

    if (!signature || rh_replaceable(there, err) < 0 || rh_replaceable(path, err) < 0
        || rh_replace_file(next, text, n, 0644, err) < 0
        || rh_replace_file(next_signature, signature, n_signature, 0644, err) < 0
        || rh_rename_file(next_signature, there, err) < 0) {
        (void)unlink(next);
        (void)unlink(next_signature);
        return -1;
    }
    /* From here on the next command ends what is begun. */
    return rh_rename_file(next, path, err) < 0 ? -1 : rh_sync_directory(r->directory, err);
}

int
rh_channel_publish(const struct rh_channel_request *r, const char *name, const struct rh_buf *text,
                   struct rh_error *err)
{
    __attribute__((cleanup(scratch_clear))) struct scratch s = { .directory = "" };
    rh_autosigned struct rh_signed check = { 0 };

    if (scratch_make(&s, err) < 0 || rh_replace_file(s.file, text->s, text->n, 0644, err) < 0
        || sign(r->key, s.file, err) < 0)
        return -1;
    /* A channel by a key that does not count would stop all machines. */
    if (rh_signed_open(&check, s.file, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, r->signers, err) < 0)
        return rh_error_prefix(err, "nothing was published");
    return replace(&s, r, name, err);
}
