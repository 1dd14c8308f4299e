/* SPDX-License-Identifier: Apache-2.0 */
/* publish-s3 - puts bundles and channels into a store that speaks S3, by rhost-s3.
 *
 * An object comes into place whole. What is not to be replaced is put on the condition that it is new, and a
 * channel on the condition that it is still the one that was compared. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/io.h"
#include "base/text.h"
#include "base/wait.h"
#include "bundle/channel.h"
#include "bundle/signed.h"
#include "reach/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MISSING = 3, CHANGED = 4, PIECE = 16 << 10, LARGEST_SIGNATURE = 64 << 10 };

/* Starts rhost-s3, which has our environment: the credentials are there, or in a file. */
static int
start(const char *verb, const char *object, const char *condition, int input, int output, pid_t *pid,
      struct rh_error *err)
{
    rh_autofree char *program = rh_installation_program("rhost-s3"), *own_verb = rh_xstrdup(verb),
                     *own_object = rh_xstrdup(object),
                     *own_condition = condition ? rh_xstrdup(condition) : NULL;
    char *const argv[] = { program, own_verb, own_object, own_condition, NULL };
    posix_spawn_file_actions_t actions;
    int number;

    if (posix_spawn_file_actions_init(&actions) != 0)
        rh_out_of_memory();
    number = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (!number && output >= 0)
        number = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!number)
        number = posix_spawn(pid, program, &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (!number)
        return 0;
    rh_error_system(err, number, "cannot start '%s'", program);
    return rh_error_suggest(err, NULL, "install the package rhost-fleet");
}

/* Its exit status; -1 with an error where that is none of those that it has. */
static int
status_of(pid_t pid, const char *object, struct rh_error *err)
{
    int status = 0;

    if (rh_wait_child(pid, &status) < 0)
        return rh_error_system(err, errno, "cannot wait for 'rhost-s3'");
    if (WIFEXITED(status)
        && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == MISSING || WEXITSTATUS(status) == CHANGED))
        return WEXITSTATUS(status);
    return rh_error_set(err, RH_ESYSTEM, "the store did not take or give 's3:%s'", object);
}

/* An object: `there` is false where there is none. */
struct object {
    bool there;
    char etag[256];
    struct rh_buf bytes;
};

static void
object_clear(struct object *o)
{
    rh_buf_clear(&o->bytes);
}

#define autoobject __attribute__((cleanup(object_clear)))

static int
get(const char *name, struct object *o, struct rh_error *err)
{
    rh_autoclose int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char piece[PIECE], *end;
    int pair[2], status;
    pid_t pid = 0;
    ssize_t n = 0;

    if (null < 0 || pipe2(pair, O_CLOEXEC) < 0)
        return rh_error_system(err, errno, "cannot start 'rhost-s3'");
    status = start("get", name, NULL, null, pair[1], &pid, err);
    (void)close(pair[1]);
    while (status == 0 && o->bytes.n <= RH_SITE_BYTES + sizeof o->etag
           && ((n = read(pair[0], piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            rh_buf_addn(&o->bytes, piece, (size_t)n);
    (void)close(pair[0]);
    if (status < 0)
        return -1;
    status = status_of(pid, name, err);
    if (status != 0)
        return status == MISSING ? 0 : -1;
    end = o->bytes.n ? memchr(o->bytes.s, '\n', o->bytes.n) : NULL;
    if (!end || (size_t)(end - o->bytes.s) >= sizeof o->etag)
        return rh_error_set(err, RH_ESYSTEM, "the store gave an answer for 's3:%s' that cannot be used",
                            name);
    memcpy(o->etag, o->bytes.s, (size_t)(end - o->bytes.s));
    o->bytes.n -= (size_t)(end + 1 - o->bytes.s);
    memmove(o->bytes.s, end + 1, o->bytes.n);
    o->there = true;
    return 0;
}

/* The status, as above. */
static int
put(const char *name, const char *bytes, size_t n, const char *condition, struct rh_error *err)
{
    /* A pipe would have to be written while it is read: memory does not. */
    rh_autoclose int fd = memfd_create("rhost-s3", MFD_CLOEXEC);
    pid_t pid = 0;

    if (fd < 0 || rh_write_all_at(fd, bytes, n, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return rh_error_system(err, errno, "cannot prepare what is sent to the store");
    return start("put", name, condition, fd, -1, &pid, err) < 0 ? -1 : status_of(pid, name, err);
}

static bool
is_same(const struct object *o, const char *bytes, size_t n)
{
    return o->there && o->bytes.n == n && memcmp(o->bytes.s, bytes, n) == 0;
}

/* Puts what must not be there with other bytes. */
static int
put_new(const char *name, const char *bytes, size_t n, struct rh_error *err)
{
    autoobject struct object before = { .there = false };
    autoobject struct object after = { .there = false };
    int status;

    if (get(name, &before, err) < 0)
        return -1;
    if (!before.there) {
        status = put(name, bytes, n, "new", err);
        if (status <= 0)
            return status;
        /* Somebody else was quicker. */
        if (get(name, &after, err) < 0)
            return -1;
    }
    if (is_same(before.there ? &before : &after, bytes, n))
        return 0;
    return rh_error_set(err, RH_EINPUT, "'s3:%s' is there already, and is another bundle", name);
}

static int
put_signature(const char *file, const char *name, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *bytes = NULL;
    int status;

    if (access(file, F_OK) < 0)
        return 0;
    bytes = rh_read_kept_file(file, LARGEST_SIGNATURE, &n, err);
    if (!bytes)
        return -1;
    status = put(name, bytes, n, "", err);
    return status <= 0 ? status : rh_error_set(err, RH_ESYSTEM, "the store refuses 's3:%s'", name);
}

int
rh_bundle_publish_s3(const struct rh_bundle *b, const char *path, const char *to, struct rh_error *err)
{
    rh_autofree char *archive = rh_bundle_archive_path(path, b->description.sha256),
                     *signature = rh_printf("%s.sig", path),
                     *description = rh_printf("%s/r%lld.json", to, (long long)b->description.revision),
                     *archive_there = rh_printf("%s/%s" RH_BUNDLE_SUFFIX, to, b->description.sha256),
                     *signature_there = rh_printf("%s.sig", description);
    autoobject struct object there = { .there = false };
    size_t n = 0;
    rh_autofree char *bytes = rh_read_file(archive, RH_SITE_BYTES, &n, err);

    if (!bytes || get(description, &there, err) < 0)
        return -1;
    if (there.there && !is_same(&there, b->described.text, b->described.n))
        return rh_error_set(err, RH_EINPUT, "'s3:%s' is there already, and is another bundle", description);
    /* The description comes last: who finds it finds the others. */
    return put_new(archive_there, bytes, n, err) < 0 || put_signature(signature, signature_there, err) < 0
                   || put_new(description, b->described.text, b->described.n, err) < 0
               ? -1
               : 0;
}

/* The revisions that it names must be there. */
static int
check_revision(const char *to, int64_t revision, struct rh_error *err)
{
    rh_autofree char *name = rh_printf("%s/r%lld.json", to, (long long)revision);
    autoobject struct object o = { .there = false };

    if (get(name, &o, err) < 0)
        return -1;
    return o.there ? 0
                   : rh_error_set(err, RH_EINPUT, "'s3:%s' is not there: publish revision %lld first", name,
                                  (long long)revision);
}

/* The one that is there must be older; what cannot be read is not replaced. */
static int
check_older(const struct object *o, const struct rh_channel *c, const char *name, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_channel old;

    if (!o->there)
        return 0;
    if (rh_channel_read(a, o->bytes.s, o->bytes.n, &old, err) < 0)
        return rh_error_prefix(err, "'s3:%s' is no channel", name);
    if (old.serial < c->serial)
        return 0;
    return rh_error_set(err, RH_EINPUT, "'s3:%s' has serial %lld, and this one has %lld", name,
                        (long long)old.serial, (long long)c->serial);
}

int
rh_channel_publish_s3(const char *path, const char *signers, const char *to, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autosigned struct rh_signed s = { 0 };
    rh_autofree char *name = rh_printf("%s/" RH_CHANNEL_FILE, to), *signature = rh_printf("%s.sig", path),
                     *signature_there = rh_printf("%s.sig", name);
    autoobject struct object there = { .there = false };
    struct rh_channel c;
    int status;

    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, signers, err) < 0)
        return -1;
    if (rh_channel_read(a, s.text, s.n, &c, err) < 0)
        return rh_error_prefix(err, "'%s' is no channel", path);
    if (get(name, &there, err) < 0)
        return -1;
    if (is_same(&there, s.text, s.n))
        return put_signature(signature, signature_there, err);
    if (check_older(&there, &c, name, err) < 0 || check_revision(to, c.want, err) < 0
        || (c.other != c.want && check_revision(to, c.other, err) < 0)
        || put_signature(signature, signature_there, err) < 0)
        return -1;
    /* For a moment the signature belongs to no channel: who reads tries again. */
    status = put(name, s.text, s.n, there.there ? there.etag : "new", err);
    return status <= 0 ? status
                       : rh_error_set(err, RH_EINPUT,
                                      "'s3:%s' was replaced by somebody else meanwhile: publish again", name);
}
