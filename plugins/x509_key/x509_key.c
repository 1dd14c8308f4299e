/* SPDX-License-Identifier: Apache-2.0 */
/* x509_key - keep private keys in PEM files. What is there is never replaced by a new key: only algorithm,
 * size and curve of a key that does not exist are chosen. */

#include "key.h"

#include <rhost/dry-run.h>
#include <rhost/posix.h>

#include <openssl/crypto.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the key should exist." },
    { .name = "algorithm",
      .type = "Optional[Enum[rsa, ec, ed25519]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The algorithm of a new key; otherwise ec." },
    { .name = "size",
      .type = "Optional[Integer[2048, 8192]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "Bits of a new RSA key; otherwise 3072." },
    { .name = "curve",
      .type = "Optional[Enum['P-256', 'P-384', 'P-521']]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The curve of a new EC key; otherwise P-256." },
    { .name = "passphrase",
      .type = "Optional[Sensitive[String[1, 1000]]]",
      .desc = "What the key is encrypted with; a key that is not encrypted is, and stays the same key." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions in octal; a new file has 0600." },
    { .name = "owner",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the user that the file belongs to." },
    { .name = "group",
      .type = "Optional[" RHOST_TYPE_OWNER "]",
      .desc = "Name or number of the group that the file belongs to." },
    { .name = "parents",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether the directories that it is to be in are created as well, with 0755." },
    { .name = "public_key",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The public key, in PEM." },
    { .name = "fingerprint",
      .type = "Pattern[/\\A[0-9a-f]{64}\\z/]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "SHA-256 of the public key in DER." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "owns content[$path]",
    "loses the private key",
    NULL,
};

static int32_t
key_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    return 0;
}

static int32_t
key_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *algorithm = rhost_str_or(resource, "algorithm", "ec");
    int failed = 0;

    if (rhost_has(resource, "size") && strcmp(algorithm, "rsa") != 0)
        failed = rhost_fail_attr(ctx, "size", "'size' is for 'algorithm: rsa'");
    if (rhost_has(resource, "curve") && strcmp(algorithm, "ec") != 0)
        failed = rhost_fail_attr(ctx, "curve", "'curve' is for 'algorithm: ec'");
    return failed;
}

static int32_t
key_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const rhost_value *reading = rhost_wants_absence(should) ? NULL : should;
    struct key k;
    int32_t result = 0;
    int found = key_read(ctx, rhost_str(name, "path"), 0, reading, "passphrase", &k);

    if (found <= 0)
        return found < 0 ? -1 : crypto_absent(ctx, name, should);
    if (k.pkey)
        result = key_report(ctx, k.pkey, current);
    /* It was just decrypted with this one. */
    if (k.encrypted && k.pkey)
        rhost_put_copy(current, "passphrase", rhost_get(should, "passphrase"));
    key_free(&k);
    rhost_put_stat(ctx, current, &k.st);
    return result < 0 ? -1 : rhost_foresee_owners(ctx, should, current);
}

static int32_t
key_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "passphrase") != 0 || !change->is || rhost_has(change->is, "passphrase"))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "the key is not encrypted");
}

/* Overwrites the key before its memory is given back. */
static int32_t
put(rhost_ctx *ctx, const struct rhost_change *change, EVP_PKEY *pkey)
{
    BIO *bio = key_text(pkey, rhost_str(change->should, "passphrase"));
    char *text = NULL;
    int32_t result;
    long len;

    if (!bio)
        return crypto_fail(ctx, "cannot write a private key to", rhost_str(change->name, "path"));
    result = crypto_write(ctx, change, bio, 1);
    len = BIO_get_mem_data(bio, &text);
    if (len > 0)
        OPENSSL_cleanse(text, (size_t)len);
    (void)BIO_free(bio);
    return result;
}

static int32_t
key_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    EVP_PKEY *pkey = crypto_open(ctx) < 0 ? NULL : key_make(ctx, change->should);
    int32_t result = pkey ? put(ctx, change, pkey) : -1;

    EVP_PKEY_free(pkey);
    return result;
}

/* The same key, encrypted. */
static int32_t
key_encrypt(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    struct key k;
    int found = key_read(ctx, path, 0, change->should, "passphrase", &k);
    int32_t result;

    if (found <= 0)
        return found < 0 ? -1 : rhost_fail(ctx, "'%s' does not exist any more", path);
    result = put(ctx, change, k.pkey);
    key_free(&k);
    return result;
}

static int32_t
key_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    return crypto_differs(change, "passphrase") ? key_encrypt(ctx, change) : crypto_adjust(ctx, change);
}

static const char *const needs[] = { "write[$path]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider x509_key_provider = {
    RHOST_PROVIDER("x509_key", "Keep private keys in PEM files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = key_canonicalize,
    .validate = key_validate,
    .insync = key_insync,
    .load = key_load,
    .create = key_create,
    .update = key_update,
    .remove = crypto_remove,
    .needs = needs,
};

RHOST_PLUGIN(x509_key, "1.0", &x509_key_provider)
