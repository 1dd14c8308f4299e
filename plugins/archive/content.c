/* SPDX-License-Identifier: Apache-2.0 */
/* content - what was unpacked to a directory, compared with an archive, and unpacked anew. */

#include "content.h"

#include "source.h"
#include "stage.h"
#include "unpack.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

/* 1 or 0; -1 with the reason given. */
static int
is_empty(rhost_ctx *ctx, const char *path, int fd)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *e;
    int empty = 1;

    if (!dir) {
        rhost_path_close(own);
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    }
    while (empty && (errno = 0, e = readdir(dir)))
        empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    if (empty && errno)
        empty = rhost_fail_errno(ctx, "cannot read '%s'", path);
    (void)closedir(dir);
    return empty;
}

int32_t
content_read(rhost_ctx *ctx, const rhost_value *name, const char *path, int fd, struct content *c)
{
    const char *identity = record_identity(ctx, fd);
    struct record_work w;

    *c = (struct content){ .fd = -1 };
    if (!identity)
        return -1;
    c->is_ours = c->is_known = record_read(ctx, name, identity, &c->record);
    /* A run that was killed: what it has left is removed when the archive is unpacked again. */
    if (record_work_read(ctx, name, &w)) {
        if (w.fresh && strcmp(w.fresh, identity) == 0)
            c->is_ours = 1;
        if (stage_is_left(ctx, name, path))
            c->is_known = 0;
    }
    if (!c->is_ours)
        c->is_empty = is_empty(ctx, path, fd);
    return c->is_empty < 0 ? -1 : 0;
}

void
content_report(rhost_ctx *ctx, const struct content *c, rhost_value *current)
{
    struct stat st;

    rhost_put_int(current, "strip",
                  c->is_known ? c->record.strip : 0); /* of another directory: the default */
    if (!c->is_known)
        return;
    rhost_put_str(current, "checksum", c->record.sum);
    if (rhost_path_stat(ctx, c->record.source, RHOST_PATH_FOLLOW, &st) == 0
        && strcmp(source_stamp(ctx, &st), c->record.stamp) == 0)
        rhost_put_str(current, "source", c->record.source);
}

/* The digest of an archive, in memory of the call, which is read only when its file has changed since `r` was
 * made (NULL: it is). 0; RHOST_ABSENT: there is none; -1 with the reason given. */
static int32_t
digest(rhost_ctx *ctx, const char *path, const struct record *r, const char **sum)
{
    struct source s;
    int32_t result = source_open(ctx, path, &s);

    if (result != 0)
        return result;
    if (r && r->stamp && strcmp(r->stamp, s.stamp) == 0)
        *sum = r->sum;
    else if ((result = source_sum(ctx, path, &s)) == 0)
        *sum = rhost_strdup(ctx, s.sum);
    source_close(&s);
    return result;
}

static int32_t
fail_checksum(rhost_ctx *ctx, const char *path, const char *sum, const char *wanted)
{
    return rhost_fail_attr(ctx, "checksum", "the SHA-256 of '%s' is %s, expected %s", path, sum, wanted);
}

/* Whether the manifest determines the file, so that it may be another one at the turn of the archive. */
static int
is_declared(rhost_ctx *ctx, const char *path)
{
    return rhost_will_exist(ctx, "file", path) || rhost_will_exist(ctx, "link", path)
           || rhost_will_exist(ctx, "remote_file", path);
}

int32_t
content_foresee(rhost_ctx *ctx, const struct record *r, const rhost_value *should)
{
    const char *source = rhost_str(should, "source"), *wanted = rhost_str(should, "checksum"), *sum = NULL;
    int32_t result;

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    if (r && r->sum && wanted && strcmp(r->sum, wanted) == 0)
        return 0;
    if (!source)
        return r ? 0 : rhost_fail_attr(ctx, "source", "a directory that does not exist needs a 'source'");
    if (is_declared(ctx, source))
        return 0;
    result = digest(ctx, source, r, &sum);
    if (result == RHOST_ABSENT)
        return rhost_fail_missing(ctx, "source", rhost_fmt(ctx, "'%s' does not exist", source));
    return result == 0 && wanted && strcmp(sum, wanted) != 0 ? fail_checksum(ctx, source, sum, wanted)
                                                             : result;
}

int32_t
content_compare_source(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *source = rhost_str(change->should, "source"), *wanted = rhost_str(change->should, "checksum");
    const char *was = rhost_str(change->is, "checksum"), *from = rhost_str(change->is, "source"), *sum = NULL;
    int32_t result;

    if (!source || !was)
        return RHOST_DEFAULT_COMPARISON;
    /* Which bytes they are is what counts, and not where they lie. */
    if (wanted)
        return strcmp(wanted, was) == 0 || (from && strcmp(from, source) == 0) ? 0 : RHOST_DEFAULT_COMPARISON;
    /* It is reported only while its file is as it was. */
    if (from && strcmp(from, source) == 0)
        return 0;
    result = digest(ctx, source, NULL, &sum);
    if (result == RHOST_ABSENT)
        return rhost_noop(ctx) && is_declared(ctx, source)
                   ? rhost_differs(ctx, "'%s' is created in this run", source)
                   : rhost_fail_attr(ctx, "source", "'%s' does not exist", source);
    if (result < 0)
        return -1;
    return strcmp(sum, was) == 0
               ? 0
               : rhost_differs(ctx, "the SHA-256 of '%s' is %.12s..., and %.12s... was unpacked", source, sum,
                               was);
}

int
content_differs(rhost_ctx *ctx, const struct content *c, const rhost_value *should)
{
    const char *source = rhost_str(should, "source"), *wanted = rhost_str(should, "checksum"), *sum = NULL;
    int32_t result;

    if (!source && !wanted)
        return 0;
    if (!c->is_known || rhost_int(should, "strip", c->record.strip) != c->record.strip)
        return 1;
    if (wanted)
        return strcmp(wanted, c->record.sum) != 0;
    result = digest(ctx, source, &c->record, &sum);
    if (result == RHOST_ABSENT)
        return rhost_fail_attr(ctx, "source", "'%s' does not exist", source);
    return result < 0 ? -1 : strcmp(sum, c->record.sum) != 0;
}

/* The owner and the mode of the new directory: as desired, and else as those of the one that it replaces. */
static int32_t
choose_owner(rhost_ctx *ctx, const rhost_value *should, int former, struct unpack_order *order, int64_t *mode)
{
    struct stat st;

    if (rhost_wanted_id(ctx, should, "owner", 0, &order->uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &order->gid) < 0)
        return -1;
    *mode = rhost_wanted_mode(should);
    if (former >= 0) {
        if (fstat(former, &st) < 0)
            return rhost_fail_errno(ctx, "cannot stat the directory");
        if (order->uid < 0 && st.st_uid != geteuid())
            order->uid = st.st_uid;
        if (order->gid < 0 && st.st_gid != getegid())
            order->gid = st.st_gid;
        if (*mode < 0)
            *mode = st.st_mode & 07777;
    }
    if (*mode < 0)
        *mode = 0755;
    return 0;
}

/* Unpacks it to the directory under work. */
static int32_t
fill(rhost_ctx *ctx, const struct rhost_change *change, struct stage *stage, struct source *s,
     const char *path, int former)
{
    const char *wanted = rhost_str(change->should, "checksum");
    struct unpack_order order = {
        .path = path,
        .into = stage->fd,
        .strip = rhost_int_of(change, "strip", 0),
        .size_limit = rhost_int(change->should, "size_limit", INT64_C(4294967296)),
        .entry_limit = rhost_int(change->should, "entry_limit", 200000),
    };
    int64_t mode;

    if (choose_owner(ctx, change->should, former, &order, &mode) < 0
        || (source_is_exposed(s) && source_copy(ctx, path, stage->fd, s) < 0) || source_sum(ctx, path, s) < 0)
        return -1;
    if (wanted && strcmp(wanted, s->sum) != 0)
        return fail_checksum(ctx, path, s->sum, wanted);
    order.from = s->fd;
    order.size = (uint64_t)s->st.st_size;
    if (unpack(ctx, &order) < 0 || source_is_unchanged(ctx, path, s) < 0)
        return -1;
    if (rhost_path_own(ctx, stage->fd, order.uid, order.gid, mode) < 0)
        return rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", stage->path);
    return 0;
}

static int32_t
put_from(rhost_ctx *ctx, const struct rhost_change *change, const struct content *former, struct source *s,
         const char *path)
{
    struct record r = { .stamp = s->stamp, .source = path, .strip = rhost_int_of(change, "strip", 0) };
    struct stage stage;
    int32_t result;

    if (stage_open(ctx, change->name, rhost_str(change->name, "path"), &stage) < 0)
        return -1;
    result = fill(ctx, change, &stage, s, path, former ? former->fd : -1);
    if (result == 0)
        result = former ? stage_replace(ctx, &stage, former->fd) : stage_place(ctx, &stage);
    r.sum = s->sum;
    if (result == 0)
        result = record_write(ctx, change->name, stage.work.fresh, &r) < 0
                     ? -1
                     : record_work_end(ctx, change->name);
    stage_close(ctx, &stage);
    return result;
}

int32_t
content_put(rhost_ctx *ctx, const struct rhost_change *change, const struct content *former)
{
    const char *path = rhost_str(change->should, "source");
    struct source s;
    int32_t result;

    if (!path && former)
        path = former->record.source;
    if (!path)
        return rhost_fail_attr(ctx, "source", "there is nothing to unpack: 'source' is missing");
    if (former && stage_check_removable(ctx, former->fd, rhost_str(change->name, "path")) < 0)
        return -1;
    result = source_open(ctx, path, &s);
    if (result == RHOST_ABSENT)
        return rhost_fail_attr(ctx, "source", "'%s' does not exist", path);
    if (result < 0)
        return -1;
    result = put_from(ctx, change, former, &s, path);
    source_close(&s);
    return result;
}
