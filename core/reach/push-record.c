/* SPDX-License-Identifier: Apache-2.0 */
/* push-record - what a target keeps of a push until the controller has acknowledged its end. */
#include "config.h"

#include "reach/push-record.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/new-file.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 4 << 20, MOST = 20, LEFT_AFTER = 24 * 3600 /* seconds */ };

static char *
folder_of(const char *state_dir)
{
    return rh_printf("%s/received", state_dir);
}

/* Written over in place: the lock belongs to the file. */
static int
write_record(const struct rh_push_record *r, const struct rh_value *v, struct rh_error *err)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, v, false);
    rh_buf_addc(&text, '\n');
    if (rh_write_all_at(r->fd, text.s, text.n, 0) < 0 || ftruncate(r->fd, (off_t)text.n) < 0
        || fsync(r->fd) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", r->path);
    return 0;
}

size_t
rh_push_record_size(const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, v, false);
    return text.n;
}

int
rh_push_record_open(struct rh_push_record *r, const char *state_dir, const char *push,
                    const struct rh_value *begun, struct rh_error *err)
{
    rh_autofree char *folder = folder_of(state_dir), *first = NULL;
    int rc;

    if (rh_make_directory(folder, 0700, err) < 0)
        return -1;
    r->path = rh_printf("%s/%s.json", folder, push);
    first = rh_printf("%s/.%s.new", folder, push);
    if (access(r->path, F_OK) == 0)
        return rh_error_system(err, EEXIST, "cannot write '%s'", r->path);
    r->fd = open(first, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (r->fd < 0)
        return rh_error_system(err, errno, "cannot write '%s'", r->path);
    /* It gets its name when it is held and has its text: another push takes one that is not held for that of
     * a receiver which was killed. */
    rc = flock(r->fd, LOCK_EX | LOCK_NB) < 0 ? rh_error_system(err, errno, "cannot write '%s'", r->path)
                                             : write_record(r, begun, err);
    if (rc == 0)
        rc = rh_rename_file(first, r->path, err);
    if (rc < 0)
        (void)unlink(first);
    return rc < 0 ? rc : rh_sync_directory(folder, err);
}

int
rh_push_record_keep(struct rh_push_record *r, const struct rh_value *end, struct rh_error *err)
{
    return r->fd < 0 ? 0 : write_record(r, end, err);
}

void
rh_push_record_remove(struct rh_push_record *r)
{
    if (r->path && r->fd >= 0)
        (void)unlink(r->path);
}

void
rh_push_record_close(struct rh_push_record *r)
{
    if (r->fd >= 0)
        (void)close(r->fd);
    free(r->path);
    *r = RH_PUSH_RECORD_INIT;
}

static struct rh_value *
read_record(struct rh_arena *a, int dir, const char *name)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    rh_autofree char *text = NULL;
    struct rh_value *v;
    struct stat st;
    size_t n = 0;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return NULL;
    text = rh_read_descriptor(fd, name, LARGEST, &n, &err);
    v = text ? rh_value_from_json(a, text, n, &err) : NULL;
    if (!rh_value_is(v, RH_HASH))
        v = rh_value_new(a, RH_HASH);
    rh_value_put(v, "file", rh_value_string(a, name));
    if (flock(fd, LOCK_SH | LOCK_NB) < 0)
        rh_value_put(v, "running", rh_value_boolean(a, true));
    return v;
}

/* A record without a name, of a receiver that was killed before it could give it one. */
static void
remove_left(int dir, const char *name)
{
    size_t n = strlen(name);
    struct stat st;

    if (n > 4 && strcmp(name + n - 4, ".new") == 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0
        && time(NULL) - st.st_mtime > LEFT_AFTER)
        (void)unlinkat(dir, name, 0);
}

struct rh_value *
rh_push_records_earlier(struct rh_arena *a, const char *state_dir)
{
    rh_autofree char *folder = folder_of(state_dir);
    rh_autoclosedir DIR *dir = opendir(folder);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    struct dirent *e;

    while (dir && (e = readdir(dir)) && list->count < MOST) {
        size_t n = strlen(e->d_name);
        struct rh_value *v;

        if (e->d_name[0] == '.')
            remove_left(dirfd(dir), e->d_name);
        if (n > 5 && e->d_name[0] != '.' && strcmp(e->d_name + n - 5, ".json") == 0
            && (v = read_record(a, dirfd(dir), e->d_name)))
            rh_value_append(list, v);
    }
    return list;
}

void
rh_push_records_forget(const char *state_dir, const struct rh_value *earlier)
{
    rh_autofree char *folder = folder_of(state_dir);
    rh_autoclose int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    for (size_t i = 0; dir >= 0 && i < rh_value_count(earlier); i++)
        if (!rh_value_get(rh_value_at(earlier, i), "running"))
            (void)unlinkat(dir, rh_value_get_str(rh_value_at(earlier, i), "file", ""), 0);
}
