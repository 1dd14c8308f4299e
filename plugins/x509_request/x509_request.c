/* SPDX-License-Identifier: Apache-2.0 */
/* x509_request - keep certificate signing requests in PEM files, made for a private key. */

#include "request.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <openssl/pem.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the request should exist." },
    { .name = "key",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .desc = "The private key that the request is for, and signed with." },
    { .name = "passphrase",
      .type = "Optional[Sensitive[String[1, 1000]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What the key is encrypted with." },
    EXTENSIONS_ATTRS,
    { .name = "digest",
      .type = "Enum[sha256, sha384, sha512]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"sha256\"",
      .desc = "The digest that a new request is signed with." },
    { .name = "mode",
      .type = "Optional[" RHOST_TYPE_MODE "]",
      .desc = "Permissions in octal; a new file has 0644." },
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
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire x509_key[$key]",
    "autorequire file[$key]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "edits content[$path]",
    NULL,
};

static int32_t
request_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "key");
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    return extensions_canonicalize(ctx, resource);
}

static int32_t
request_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path"), *key = rhost_str(should, "key");
    int gone = rhost_wants_absence(should), key_exists = gone ? 1 : crypto_foresee(ctx, should, "key"), found;
    X509_REQ *request;
    struct stat st;
    struct key k;

    if (key_exists < 0)
        return -1;
    found = request_read(ctx, path, 0, &request, &st);
    if (found < 0)
        return -1;
    if (!found && !gone && !key && rhost_looks_ahead(ctx, should))
        return rhost_fail_attr(ctx, "key", "'key' is required to make the request");
    if (!found)
        return crypto_absent(ctx, name, should);
    request_report(ctx, request, current);
    rhost_put_stat(ctx, current, &st);
    found = key && !gone && key_exists ? key_read(ctx, key, RHOST_PATH_FOLLOW, should, "passphrase", &k) : 0;
    if (found == 0 && key && !gone && key_exists)
        found = rhost_fail_attr(ctx, "key", "'%s' does not exist", key);
    if (found > 0) {
        if (EVP_PKEY_eq(X509_REQ_get0_pubkey(request), k.pkey) == 1)
            rhost_put_str(current, "key", key);
        key_free(&k);
    }
    X509_REQ_free(request);
    return found < 0 ? -1 : rhost_foresee_owners(ctx, should, current);
}

static int32_t
request_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (strcmp(attribute, "key") != 0 || !change->is || rhost_has(change->is, "key"))
        return RHOST_DEFAULT_COMPARISON;
    return rhost_differs(ctx, "it was made for another key than '%s'",
                         rhost_str_or(change->should, "key", ""));
}

/* NULL with the reason given. */
static X509_REQ *
make(rhost_ctx *ctx, const struct rhost_change *change, EVP_PKEY *pkey)
{
    X509_REQ *request = X509_REQ_new();
    X509_NAME *subject = subject_make(ctx, rhost_value_of(change, "subject"));
    STACK_OF(X509_EXTENSION) *all = subject ? extensions_make(ctx, change) : NULL;
    int said = !all;

    if (request && all && X509_REQ_set_version(request, 0) && X509_REQ_set_subject_name(request, subject)
        && X509_REQ_set_pubkey(request, pkey) && X509_REQ_add_extensions(request, all)
        && X509_REQ_sign(request, pkey, key_digest(pkey, change->should))) {
        said = 1;
    } else {
        X509_REQ_free(request);
        request = NULL;
    }
    X509_NAME_free(subject);
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
    if (!said)
        (void)crypto_fail(ctx, "cannot make the certificate request", rhost_str(change->name, "path"));
    return request;
}

static int32_t
request_put(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->should, "key");
    X509_REQ *request;
    int32_t result = -1;
    struct key k;
    BIO *bio;
    int found;

    if (!path)
        return rhost_fail_attr(ctx, "key", "'key' is required to make the request");
    if (crypto_open(ctx) < 0)
        return -1;
    found = key_read(ctx, path, RHOST_PATH_FOLLOW, change->should, "passphrase", &k);
    if (found <= 0)
        return found < 0 ? -1 : rhost_fail_attr(ctx, "key", "'%s' does not exist", path);
    request = make(ctx, change, k.pkey);
    key_free(&k);
    bio = request ? BIO_new(BIO_s_mem()) : NULL;
    if (bio && PEM_write_bio_X509_REQ(bio, request))
        result = crypto_write(ctx, change, bio, 0);
    else if (request)
        (void)crypto_fail(ctx, "cannot write the certificate request", rhost_str(change->name, "path"));
    (void)BIO_free(bio);
    X509_REQ_free(request);
    return result;
}

static int32_t
request_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    static const char *const made[] = {
        "key", "subject", "subject_alt_names", "key_usage", "extended_key_usage", "ca", "path_length"
    };

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (crypto_differs(change, made[i]))
            return request_put(ctx, change);
    return crypto_adjust(ctx, change);
}

static const char *const needs[] = { "write[$path]", "read[$key]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider x509_request_provider = {
    RHOST_PROVIDER("x509_request", "Keep certificate signing requests in PEM files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = request_canonicalize,
    .validate = extensions_validate,
    .insync = request_insync,
    .load = request_load,
    .create = request_put,
    .update = request_update,
    .remove = crypto_remove,
    .needs = needs,
};

RHOST_PLUGIN(x509_request, "1.0", &x509_request_provider)
