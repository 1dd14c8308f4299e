/* SPDX-License-Identifier: Apache-2.0 */
/* signature - the detached signature of a file, and the keys that it may be made with. */

#include "signature.h"

#include "digest.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

enum { LARGEST = 1 << 20, LARGEST_KEYRING = 64 << 20 };

static const char no_key[] = "expected a public key of minisign: its line of base64, which begins with 'RW', "
                             "or the path of a file with it";

/* The text of the key itself. */
static const char *
inline_key(const rhost_value *should)
{
    const char *key = rhost_str(should, "public_key");

    return key && *key != '/' ? key : NULL;
}

int32_t
signature_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int key = rhost_has(resource, "public_key"), keyring = rhost_has(resource, "keyring");
    const char *text = inline_key(resource);
    struct minisign_key k;

    if (key && keyring)
        return rhost_fail_attr(ctx, "keyring", "'public_key' and 'keyring' exclude each other");
    if (rhost_has(resource, "signature") && !key && !keyring)
        return rhost_fail_attr(
            ctx, "signature",
            "'signature' needs 'public_key' (of minisign) or 'keyring' (of OpenPGP) as well");
    if ((key || keyring) && !rhost_has(resource, "signature"))
        return rhost_fail_attr(ctx, key ? "public_key" : "keyring", "'%s' needs 'signature' as well",
                               key ? "public_key" : "keyring");
    return text && minisign_read_key(ctx, text, &k) < 0 ? rhost_fail_attr(ctx, "public_key", "%s", no_key)
                                                        : 0;
}

static enum signature_kind
kind_of(const rhost_value *should)
{
    if (!rhost_has(should, "signature"))
        return SIGNATURE_NONE;
    return rhost_has(should, "keyring") ? SIGNATURE_OPENPGP : SIGNATURE_MINISIGN;
}

/* The bytes of the keys, in memory of the call; NULL with errno. */
static const char *
read_keys(rhost_ctx *ctx, const rhost_value *should, size_t *n)
{
    const char *keyring = rhost_str(should, "keyring"), *text = inline_key(should);

    if (text) {
        *n = strlen(text);
        return text;
    }
    return rhost_path_read(ctx, keyring ? keyring : rhost_str(should, "public_key"), RHOST_PATH_FOLLOW,
                           LARGEST_KEYRING, n, NULL);
}

/* A file that the resource names and that cannot be read; an earlier resource may make it. */
static int32_t
fail_read(rhost_ctx *ctx, const char *attribute, const char *path)
{
    if (rhost_noop(ctx) && errno == ENOENT)
        return ctx->host->fail(ctx, RHOST_MISSING, attribute, rhost_fmt(ctx, "'%s' does not exist", path));
    return rhost_fail_path(ctx, "cannot read '%s'", path);
}

static int32_t
open_keys(rhost_ctx *ctx, const rhost_value *should, struct signature *s)
{
    const char *attribute = s->kind == SIGNATURE_OPENPGP ? "keyring" : "public_key";
    size_t n;
    const char *keys = read_keys(ctx, should, &n);

    if (!keys)
        return fail_read(ctx, attribute, rhost_str(should, attribute));
    if (s->kind == SIGNATURE_MINISIGN)
        return minisign_read_key(ctx, keys, &s->key) < 0 ? rhost_fail_attr(ctx, attribute, "%s", no_key) : 0;
    s->gpgv.keyring = gpgv_keyring(ctx, keys, &n);
    s->gpgv.keyring_len = n;
    if (!s->gpgv.keyring)
        return rhost_fail_attr(ctx, attribute,
                               "'%s' has no public keys of OpenPGP: 'gpg --export KEY' writes such a file",
                               rhost_str(should, attribute));
    return gpgv_find(ctx, attribute);
}

/* From the server, or from a file. */
static int32_t
open_signature(struct fetch *f, struct signature *s)
{
    static const char attribute[] = "signature";
    const rhost_value *from = rhost_get(f->should, attribute);
    const char *text = from->host->string(from, NULL);
    const struct fetch_how how = { .most = LARGEST };
    int rc;

    if (*text == '/') {
        s->text = rhost_path_read(f->ctx, text, RHOST_PATH_FOLLOW, LARGEST, &s->len, NULL);
        return s->text ? 0 : fail_read(f->ctx, attribute, text);
    }
    rc = fetch_get(f, text, &how);
    if (rc == 0 && f->status != 200) {
        f->why = fetch_status_words(f->ctx, f->status);
        rc = -1;
    }
    if (rc < 0)
        return fetch_fail(f, attribute,
                          rhost_fmt(f->ctx, "cannot download the signature '%s': %s",
                                    from->host->sensitive(from) ? "[redacted]" : text, f->why));
    s->text = f->text ? f->text : "";
    s->len = f->len;
    return 0;
}

int32_t
signature_open(struct fetch *f, struct signature *s)
{
    *s = (struct signature){ .kind = kind_of(f->should) };
    if (s->kind == SIGNATURE_NONE)
        return 0;
    return open_keys(f->ctx, f->should, s) < 0 ? -1 : open_signature(f, s);
}

int32_t
signature_check(rhost_ctx *ctx, const struct signature *s, int fd, off_t size, const char **why)
{
    struct gpgv g = s->gpgv;

    *why = NULL;
    if (s->kind == SIGNATURE_MINISIGN)
        *why = minisign_check(ctx, &s->key, s->text, s->len, fd, size);
    if (s->kind != SIGNATURE_OPENPGP)
        return 0;
    g.signature = s->text;
    g.signature_len = s->len;
    return gpgv_check(ctx, &g, fd, size, why);
}

const char *
signature_record(rhost_ctx *ctx, const rhost_value *should, const char *sum)
{
    struct digest d;
    size_t n = 0;
    const char *keys = read_keys(ctx, should, &n);

    if (!keys)
        return NULL;
    digest_begin(&d, DIGEST_DEFAULT);
    digest_add(&d, keys, n);
    return rhost_fmt(ctx, "%s %s", sum, digest_end(ctx, &d));
}
