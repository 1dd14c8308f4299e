/* SPDX-License-Identifier: Apache-2.0 */
/* crypto - what the types of X.509 share: libcrypto without its configuration file, and PEM files. */

#include "crypto.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <openssl/crypto.h>
#include <openssl/err.h>

enum { LARGEST = 1 << 20 };

int32_t
crypto_open(rhost_ctx *ctx)
{
    /* The configuration of openssl(1) can load any library, and is not among what the types need. The worker
     * ends without running what was registered with atexit(). */
    if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL))
        return rhost_fail(ctx, "cannot use libcrypto");
    ERR_clear_error();
    return 0;
}

int
crypto_fail(rhost_ctx *ctx, const char *doing, const char *path)
{
    const char *why = ERR_reason_error_string(ERR_peek_last_error());

    ERR_clear_error();
    return rhost_fail(ctx, "%s '%s': %s", doing, path, why ? why : "libcrypto gives no reason");
}

int
crypto_read(rhost_ctx *ctx, const char *path, uint64_t flags, BIO **bio, struct stat *st)
{
    const char *text;
    size_t len;

    if (crypto_open(ctx) < 0)
        return -1;
    text = rhost_path_read(ctx, path, flags, LARGEST, &len, st);
    if (!text && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (!text && errno == ELOOP && !rhost_path_unsafe(ctx))
        return rhost_fail(ctx, "cannot read '%s': it is a symbolic link", path);
    if (!text && (errno == EINVAL || errno == EISDIR || errno == ENXIO))
        return rhost_fail(ctx, "cannot read '%s': it is not a regular file", path);
    if (!text)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    *bio = BIO_new_mem_buf(text, (int)len);
    return *bio ? 1 : rhost_fail(ctx, "cannot read '%s': out of memory", path);
}

int32_t
crypto_write(rhost_ctx *ctx, const struct rhost_change *change, BIO *bio, int secret)
{
    static const struct rhost_file_seen nothing = { .struct_size = sizeof nothing };
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_str(change->name, "path"),
        .mode = rhost_wanted_mode(change->should),
        .flags = RHOST_FILE_ONLY_CHANGE | (secret ? RHOST_FILE_SECRET : 0),
        .seen = change->is ? NULL : &nothing,
    };
    char *content = NULL;
    long len = BIO_get_mem_data(bio, &content);
    int32_t result;

    if (len <= 0)
        return rhost_fail(ctx, "cannot write '%s': out of memory", file.path);
    file.content = content;
    file.content_len = (size_t)len;
    if (file.mode == 0)
        file.flags |= RHOST_FILE_MODE_0;
    if (rhost_wanted_id(ctx, change->should, "owner", 0, &file.uid) < 0
        || rhost_wanted_id(ctx, change->should, "group", 1, &file.gid) < 0)
        return -1;
    if (rhost_bool(change->should, "parents", 0) && rhost_make_parents(ctx, file.path) < 0)
        return -1;
    result = rhost_replace_file(ctx, &file);
    if (result != RHOST_FILE_CHANGED)
        return result;
    errno = EEXIST;
    return rhost_fail_errno(ctx, "cannot create '%s'", file.path);
}

int32_t
crypto_adjust(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    int64_t uid, gid, mode = rhost_wanted_mode(change->should);
    struct stat st;
    int32_t result = 0;
    int fd;

    if (rhost_wanted_id(ctx, change->should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, change->should, "group", 1, &gid) < 0)
        return -1;
    fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    if (fstat(fd, &st) < 0)
        result = rhost_fail_errno(ctx, "cannot read '%s'", path);
    else if (!S_ISREG(st.st_mode))
        result = rhost_fail(ctx, "'%s' is not a regular file any more", path);
    else if (rhost_path_own(ctx, fd, uid, gid, mode) < 0)
        result = rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", path);
    (void)close(fd);
    if (result == 0)
        rhost_touched(ctx, path);
    return result;
}

int32_t
crypto_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

int32_t
crypto_absent(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should)
{
    if (rhost_foresee_owners(ctx, should, NULL) < 0)
        return -1;
    return rhost_absent_at(ctx, should, rhost_str(name, "path"));
}

static int
has_element(const rhost_value *list, const rhost_value *element)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (element->host->equal(rhost_at(list, i, NULL), element))
            return 1;
    return 0;
}

/* Lists are compared as sets. */
static int
same(const rhost_value *a, const rhost_value *b)
{
    if (a->host->kind(a) != RHOST_ARRAY || b->host->kind(b) != RHOST_ARRAY)
        return a->host->equal(a, b);
    if (rhost_count(a) != rhost_count(b))
        return 0;
    for (size_t i = 0; i < rhost_count(a); i++)
        if (!has_element(b, rhost_at(a, i, NULL)) || !has_element(a, rhost_at(b, i, NULL)))
            return 0;
    return 1;
}

int
crypto_differs(const struct rhost_change *change, const char *attribute)
{
    const rhost_value *wanted = rhost_get(change->should, attribute);
    const rhost_value *now = rhost_get(change->is, attribute);

    return wanted && wanted->host->kind(wanted) != RHOST_UNDEF && (!now || !same(wanted, now));
}

int
crypto_foresee(rhost_ctx *ctx, const rhost_value *should, const char *attribute)
{
    static const char *const types[] = { "file", "x509_key", "x509_request", "x509_certificate" };
    const char *path = rhost_str(should, attribute);
    struct stat st;

    if (!path || !rhost_looks_ahead(ctx, should) || rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0)
        return 1;
    if (errno != ENOENT && errno != ENOTDIR)
        return 1; /* for the reading of it to tell */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (rhost_will_exist(ctx, types[i], path))
            return 0;
    return rhost_fail_missing(ctx, attribute, rhost_fmt(ctx, "'%s' does not exist", path));
}
