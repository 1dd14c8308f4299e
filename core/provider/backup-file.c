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
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/claim.h"
#include "schema/type.h"

#include <errno.h>
#include <fcntl.h>
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

bool
rh_backup_file(struct rh_runtime *rt, struct rh_arena *a, const struct rh_backup *how, const char *path,
               enum rh_backup_stage stage, const struct rh_value **state)
{
    struct stat st;
    bool absent;
    size_t n;
    rh_autofree char *bytes = read_file(path, &n, &st, &absent);
    struct rh_value *all, *content;
    bool secret;

    *state = NULL;
    if (!bytes)
        return absent;
    content = content_of(rt, a, bytes, n);
    secret = content->marks & RH_SENSITIVE;
    if (secret && !how->sealed)
        return false;
    all = rh_value_hash(a, 4);
    *state = all;
    if (stage == RH_BACKUP_AFTER) {
        rh_value_put(all, "ensure", rh_observed_new(a, "ensure", rh_value_string(a, "present"), NULL));
        rh_value_put(all, "content", rh_observed_new(a, "content", content, secret ? how->key : NULL));
        return true;
    }
    rh_value_put(all, "ensure", rh_value_string(a, "present"));
    rh_value_put_ref(all, "content", content);
    rh_value_put(all, "mode", rh_value_string(a, rh_arena_printf(a, "%04o", (unsigned)st.st_mode & 07777)));
    return true;
}
