/* SPDX-License-Identifier: Apache-2.0 */
/* backup-file - the file that a resource edits a part of: to undo that takes the file as it was. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/extensions.h"
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/claim.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
#include <rhost/ids.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 32 << 20 };

static void
take_path(void *data, const char *title)
{
    const char **path = data;

    if (*title == '/')
        *path = title;
}

/* A type that says without a condition that it edits a file does nothing else. */
const char *
rh_backup_edited(const struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const char *path = NULL;

    for (size_t i = 0; i < rt->type->n_claims; i++) {
        const struct rh_claim *c = &rt->type->claims[i];

        if (!c->owns && !c->n_conditions && strcmp(c->what.type, "content") == 0)
            rh_claim_titles(c, job->name, job->should, take_path, &path);
    }
    return path ? rh_arena_strdup(a, path) : NULL;
}

/* Editing a file follows a link to it, and so does keeping it: what the link leads to is what changes. */
const char *
rh_backup_edited_file(struct rh_arena *a, const char *path)
{
    struct rh_unsafe unsafe;
    char name[NAME_MAX + 1], proc[64], dir[PATH_MAX];
    rh_autoclose int fd = -1;
    struct stat st;
    ssize_t n;

    fd = rh_safe_parent(path, false, name, &unsafe);
    if (fd < 0 || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
        return path;
    (void)close(fd);
    fd = rh_safe_parent(path, true, name, &unsafe);
    if (fd < 0)
        return path;
    (void)snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
    n = readlink(proc, dir, sizeof dir);
    if (n <= 0 || (size_t)n >= sizeof dir || dir[0] != '/')
        return path;
    return rh_arena_printf(a, "%.*s/%s", n == 1 ? 0 : (int)n, dir, name);
}

/* Its bytes, or NULL: then *absent says whether it is not there. */
static char *
read_file(const char *path, size_t *n, struct stat *st, bool *absent)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_unsafe unsafe;
    rh_autoclose int fd = rh_safe_open(path, false, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0, &unsafe);

    *absent = fd < 0 && errno == ENOENT;
    if (fd < 0 || fstat(fd, st) < 0 || !S_ISREG(st->st_mode) || st->st_size > LARGEST)
        return NULL;
    return rh_read_descriptor(fd, path, LARGEST, n, &err);
}

bool
rh_backup_wants_secret(const struct rh_runtime *rt, const struct rh_job *job)
{
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && (attr->sensitive || rh_value_sensitive(e->value)))
            return true;
    }
    return false;
}

static struct rh_value *
content_of(struct rh_runtime *rt, struct rh_arena *a, const char *bytes, size_t n)
{
    bool text = rh_utf8_valid(bytes, n) && !memchr(bytes, '\0', n);
    struct rh_value *v = text ? rh_value_stringn(a, bytes, n) : rh_value_binary(a, bytes, n);

    if (rh_outgoing_value(rt, a, v) == v)
        return v;
    v->marks |= RH_SENSITIVE;
    return v;
}

/* As providers report it: the name, or the number where there is none. */
static const struct rh_value *
owner_of(rhost_ctx *ctx, struct rh_arena *a, int32_t kind, uint32_t id)
{
    const char *name = NULL;

    if (rh_ext_ids()->name(ctx, kind, id, &name) < 0 || !name)
        name = rh_arena_printf(a, "%lu", (unsigned long)id);
    return rh_value_string(a, name);
}

/* One attribute: before, as a value; after, as a record. */
static void
put(struct rh_arena *a, struct rh_value *all, enum rh_backup_stage stage, const char *attribute,
    const struct rh_value *v)
{
    rh_value_put_ref(all, attribute, stage == RH_BACKUP_AFTER ? rh_observed_new(a, attribute, v, NULL) : v);
}

static void
put_stat(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *all, enum rh_backup_stage stage,
         const struct stat *st)
{
    struct rh_call call;

    rh_call_begin(&call, rt, a, "backup", NULL, 0);
    put(a, all, stage, "mode", rh_value_string(a, rh_arena_printf(a, "%04o", (unsigned)st->st_mode & 07777)));
    put(a, all, stage, "owner", owner_of(call.ctx, a, RHOST_IDS_USER, st->st_uid));
    put(a, all, stage, "group", owner_of(call.ctx, a, RHOST_IDS_GROUP, st->st_gid));
    (void)rh_call_end(&call, 0);
}

bool
rh_backup_file(struct rh_runtime *rt, struct rh_arena *a, const struct rh_backup *how, const char *path,
               enum rh_backup_stage stage, bool secret, const struct rh_value **state)
{
    struct stat st;
    bool absent;
    size_t n;
    rh_autofree char *bytes = read_file(path, &n, &st, &absent);
    struct rh_value *all, *content;

    *state = NULL;
    if (!bytes)
        return absent;
    content = content_of(rt, a, bytes, n);
    if (secret)
        content->marks |= RH_SENSITIVE;
    secret = content->marks & RH_SENSITIVE;
    if (secret && !how->sealed)
        return false;
    all = rh_value_hash(a, 5);
    *state = all;
    put(a, all, stage, "ensure", rh_value_string(a, "present"));
    if (stage == RH_BACKUP_AFTER)
        rh_value_put(all, "content", rh_observed_new(a, "content", content, secret ? how->key : NULL));
    else
        rh_value_put_ref(all, "content", content);
    put_stat(rt, a, all, stage, &st);
    return true;
}
