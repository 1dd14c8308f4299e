/* SPDX-License-Identifier: Apache-2.0 */
/* call-file - rhost.file/1 as a callback gets it: a secret decides the mode of the file that it is written
 * to, and the call notes whether a file was replaced. */
#include "config.h"

#include "provider/extensions.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/runtime-parts.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

/* A text that is marked in what is wanted, also one that is too short to be looked for elsewhere. */
static bool
has_marked(const struct rh_value *v, bool marked, const char *content, size_t n)
{
    bool found = false;

    if (!v)
        return false;
    marked |= v->marks & RH_SENSITIVE;
    if (v->kind == RH_HASH || rh_kind_has_items(v->kind)) {
        for (uint32_t i = 0; i < v->count && !found; i++)
            found = has_marked(rh_value_part(v, i), marked, content, n);
        return found;
    }
    return marked && rh_kind_has_text(v->kind) && v->count && v->count <= n
           && memmem(content, n, v->u.string, v->count);
}

static bool
is_secret(struct rh_call *call, const struct rhost_new_file *file)
{
    if (file->flags & RHOST_FILE_SECRET)
        return true;
    for (size_t i = 0; i < call->n_jobs; i++) {
        const struct rh_value *should = call->jobs[i]->should;

        if (!rh_value_sensitive(should))
            continue;
        if (file->source ? rh_value_sensitive(rh_value_get(should, "source"))
                         : file->content && has_marked(should, false, file->content, file->content_len))
            return true;
    }
    return !file->source && file->content
           && rh_secrets_has(&call->rt->secrets, file->content, file->content_len);
}

static bool
is_mode_stated(const struct rh_call *call)
{
    for (size_t i = 0; i < call->n_jobs; i++) {
        const struct rh_value *mode = rh_value_get(call->jobs[i]->should, "mode");

        if (mode && mode->kind != RH_UNDEF)
            return true;
    }
    return false;
}

static int
stat_target(const struct rhost_new_file *file, struct stat *st)
{
    int follow = file->flags & RHOST_FILE_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW;
    const char *slash = strrchr(file->path, '/');

    if (file->flags & RHOST_FILE_AT)
        return fstatat(file->dir, slash ? slash + 1 : file->path, st, follow);
    return fstatat(AT_FDCWD, file->path, st, follow);
}

/* A mode that only the provider says is for what is open to all. */
static void
narrow(const struct rh_call *call, struct rhost_new_file *file)
{
    struct stat old;

    file->flags |= RHOST_FILE_SECRET;
    if (file->mode < 0 || is_mode_stated(call))
        return;
    if (stat_target(file, &old) == 0 && S_ISREG(old.st_mode))
        file->mode &= old.st_mode & 07777;
    else
        file->mode &= 0700;
}

static void
warn(rhost_ctx *ctx, const struct rhost_new_file *file)
{
    rh_autofree char *text = NULL;
    struct stat st;

    if (stat_target(file, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & S_IROTH))
        return;
    text = rh_printf("'%s' holds a secret and has mode %04o: others can read it", file->path,
                     (unsigned)(st.st_mode & 07777));
    ctx->host->log(ctx, RHOST_WARNING, NULL, 0, text);
}

static int32_t
replace_narrowly(rhost_ctx *ctx, const struct rhost_new_file *asked)
{
    struct rhost_new_file file = { 0 };
    size_t size = asked->struct_size;
    bool secret;
    int32_t result;

    memcpy(&file, asked, size < sizeof file ? size : sizeof file);
    secret =
        size >= offsetof(struct rhost_new_file, validate) && file.path && is_secret(rh_call_of(ctx), &file);
    if (!secret)
        return rh_ext_file()->replace(ctx, asked);
    narrow(rh_call_of(ctx), &file);
    result = rh_ext_file()->replace(ctx, &file);
    if (result == 0)
        warn(ctx, &file);
    return result;
}

static int32_t
replace(rhost_ctx *ctx, const struct rhost_new_file *asked)
{
    struct rh_call *call = rh_call_of(ctx);
    int32_t result = replace_narrowly(ctx, asked);

    if (result == 0)
        call->file_changed = true;
    else if (asked->struct_size >= offsetof(struct rhost_new_file, validate)
             && asked->flags & RHOST_FILE_ONLY_CHANGE)
        call->file_kept = true;
    return result;
}

static void
touched(rhost_ctx *ctx, const char *path)
{
    rh_call_of(ctx)->file_changed = true;
    rh_ext_file()->touched(ctx, path);
}

const struct rhost_file *
rh_call_file(void)
{
    static const struct rhost_file extension = { .struct_size = sizeof extension,
                                                 .replace = replace,
                                                 .touched = touched };

    return &extension;
}
