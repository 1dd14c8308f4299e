/* SPDX-License-Identifier: Apache-2.0 */
/* x509_certificate - keep certificates in PEM files: self-signed, or issued by a CA of one's own, and renewed
 * before they expire. */

#include "duration.h"
#include "issue.h"
#include "report.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <openssl/pem.h>

#define PATH "Optional[" RHOST_TYPE_PATH "]"

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the certificate should exist." },
    { .name = "key",
      .type = PATH,
      .desc = "The private key of the certificate; it signs a self-signed one." },
    { .name = "request",
      .type = PATH,
      .desc = "The request that the certificate is issued for, in the place of subject, names and usages." },
    { .name = "passphrase",
      .type = "Optional[Sensitive[String[1, 1000]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What the key is encrypted with." },
    { .name = "ca_certificate",
      .type = PATH,
      .desc = "The certificate of the CA that issues it; otherwise a new one is self-signed." },
    { .name = "ca_key", .type = PATH, .behaviour = RHOST_PARAMETER, .desc = "The private key of the CA." },
    { .name = "ca_passphrase",
      .type = "Optional[Sensitive[String[1, 1000]]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "What the key of the CA is encrypted with." },
    EXTENSIONS_ATTRS,
    { .name = "chain",
      .type = "Optional[Array[" RHOST_TYPE_PATH "]]",
      .desc = "Files whose certificates follow in the file, such as that of the CA." },
    { .name = "validity",
      .type = DURATION_TYPE,
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"365 days\"",
      .desc = "How long a new certificate is valid: hours, days or weeks." },
    { .name = "renew_before",
      .type = DURATION_TYPE,
      .default_value = "\"30 days\"",
      .desc = "How long before it expires a new one is issued." },
    { .name = "digest",
      .type = "Enum[sha256, sha384, sha512]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"sha256\"",
      .desc = "The digest that a new certificate is signed with." },
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
    { .name = "issuer",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The subject of who has signed it." },
    { .name = "serial",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "The serial number, in hexadecimal." },
    { .name = "not_before",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "From when on it is valid, in UTC." },
    { .name = "not_after",
      .type = "String",
      .behaviour = RHOST_READ_ONLY,
      .desc = "Until when it is valid, in UTC." },
    { .name = "fingerprint",
      .type = "Pattern[/\\A[0-9a-f]{64}\\z/]",
      .behaviour = RHOST_READ_ONLY,
      .desc = "SHA-256 of the certificate in DER." },
};

static const struct rhost_action actions[] = {
    { .name = "renew", .desc = "Issue a new certificate at once." },
};

static const char *const relations[] = {
    "autorequire mount[$path/..]",
    "autorequire directory[$path/..]",
    "autorequire x509_key[$key]",
    "autorequire file[$key]",
    "autorequire x509_request[$request]",
    "autorequire file[$request]",
    "autorequire x509_certificate[$ca_certificate]",
    "autorequire file[$ca_certificate]",
    "autorequire x509_key[$ca_key]",
    "autorequire file[$ca_key]",
    "autorequire x509_certificate[$chain]",
    "autorequire file[$chain]",
    "autorequire user[$owner]",
    "autorequire group[$group]",
    "owns path[$path]",
    "edits content[$path]",
    NULL,
};

static void
tidy_chain(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *list = rhost_get(resource, "chain");
    rhost_value *built = ctx->host->new_hash(ctx), *all = ctx->host->put_array(built, "all");

    for (size_t i = 0; i < rhost_count(list); i++)
        if (rhost_str_at(list, i))
            rhost_put_str(all, NULL, rhost_tidied_path(ctx, rhost_str_at(list, i)));
    if (rhost_count(list))
        rhost_put_copy(resource, "chain", all);
}

static int32_t
certificate_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    static const char *const paths[] = { "path", "key", "request", "ca_certificate", "ca_key" };

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        rhost_tidy_path(ctx, resource, paths[i]);
    rhost_tidy_mode(resource);
    rhost_tidy_owners(ctx, resource);
    tidy_chain(ctx, resource);
    duration_canonicalize(resource, "validity");
    duration_canonicalize(resource, "renew_before");
    return extensions_canonicalize(ctx, resource);
}

static int32_t
certificate_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    static const char *const of_request[] = { "subject", "subject_alt_names", "key_usage",
                                              "extended_key_usage", "path_length" };
    int failed = extensions_validate(ctx, resource);

    for (size_t i = 0; i < sizeof of_request / sizeof *of_request; i++)
        if (rhost_has(resource, "request") && rhost_has(resource, of_request[i]))
            failed = rhost_fail_attr(ctx, of_request[i], "'request' says '%s'", of_request[i]);
    if (rhost_has(resource, "ca_certificate") != rhost_has(resource, "ca_key"))
        failed = rhost_fail_attr(ctx, rhost_has(resource, "ca_key") ? "ca_key" : "ca_certificate",
                                 "'ca_certificate' and 'ca_key' need each other");
    if (duration_seconds(rhost_str_or(resource, "renew_before", "1 hour"))
        >= duration_seconds(rhost_str_or(resource, "validity", "365 days")))
        failed = rhost_fail_attr(ctx, "renew_before", "'renew_before' must be shorter than 'validity'");
    return failed;
}

/* Whether the certificate says what the request does. */
static int
is_of_request(rhost_ctx *ctx, X509_REQ *request, const rhost_value *current)
{
    static const char *const keys[] = { "subject", "subject_alt_names", "key_usage", "extended_key_usage",
                                        "ca",      "path_length" };
    rhost_value *asked = ctx->host->new_hash(ctx);

    request_report(ctx, request, asked);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const rhost_value *a = rhost_get(asked, keys[i]), *b = rhost_get(current, keys[i]);

        if ((a == NULL) != (b == NULL) || (a && !a->host->equal(a, b)))
            return 0;
    }
    return 1;
}

/* Reports of what is desired those files that the certificate was made with. */
static int32_t
report_origin(rhost_ctx *ctx, const rhost_value *should, STACK_OF(X509) * all, rhost_value *current)
{
    X509 *x = sk_X509_value(all, 0);
    EVP_PKEY *public = X509_get0_pubkey(x);
    struct issue i;
    int32_t result = issue_open(ctx, should, 0, &i);

    if (result == 0) {
        if (i.key.pkey && EVP_PKEY_eq(i.key.pkey, public) == 1)
            rhost_put_copy(current, "key", rhost_get(should, "key"));
        if (i.request && EVP_PKEY_eq(X509_REQ_get0_pubkey(i.request), public) == 1
            && is_of_request(ctx, i.request, current))
            rhost_put_copy(current, "request", rhost_get(should, "request"));
        if (i.ca && X509_NAME_cmp(X509_get_issuer_name(x), X509_get_subject_name(i.ca)) == 0
            && X509_verify(x, X509_get0_pubkey(i.ca)) == 1)
            rhost_put_copy(current, "ca_certificate", rhost_get(should, "ca_certificate"));
    }
    issue_close(&i);
    if (result == 0 && rhost_has(should, "chain")) {
        STACK_OF(X509) *others = NULL;

        result = chain_read_all(ctx, rhost_get(should, "chain"), &others);
        if (result > 0 && chain_follows(all, others))
            rhost_put_copy(current, "chain", rhost_get(should, "chain"));
        if (result > 0)
            chain_free(others);
    }
    return result < 0 ? -1 : 0;
}

/* Under noop: whether all files exist that it is made of. 1; 0: a resource of the manifest creates one; or -1
 * with the reason given. */
static int
foresee(rhost_ctx *ctx, const rhost_value *should)
{
    static const char *const keys[] = { "key", "request", "ca_certificate", "ca_key" };
    int all = 1;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        int one = crypto_foresee(ctx, should, keys[i]);

        if (one < 0)
            return -1;
        all = all && one;
    }
    return all;
}

static int32_t
fail_origin(rhost_ctx *ctx)
{
    return rhost_fail_attr(ctx, "key", "'key' or 'request' is required to issue a certificate");
}

static int32_t
certificate_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    int gone = rhost_wants_absence(should), there = gone ? 1 : foresee(ctx, should), found;
    STACK_OF(X509) *all = NULL;
    int32_t result;
    struct stat st;

    if (there < 0)
        return -1;
    found = chain_read(ctx, path, 0, &all, &st);
    if (found < 0)
        return -1;
    if (!found && !gone && rhost_looks_ahead(ctx, should) && !rhost_has(should, "key")
        && !rhost_has(should, "request"))
        return fail_origin(ctx);
    if (!found)
        return crypto_absent(ctx, name, should);
    result = report_certificate(ctx, sk_X509_value(all, 0), current);
    if (result == 0 && should && !gone && there)
        result = report_origin(ctx, should, all, current);
    if (result == 0 && should && !gone
        && report_remaining(sk_X509_value(all, 0))
               > duration_seconds(rhost_str_or(should, "renew_before", "30 days")))
        rhost_put_copy(current, "renew_before", rhost_get(should, "renew_before"));
    chain_free(all);
    rhost_put_stat(ctx, current, &st);
    return result < 0 ? -1 : rhost_foresee_owners(ctx, should, current);
}

static int32_t
certificate_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    if (!change->is || rhost_has(change->is, attribute))
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(attribute, "renew_before") == 0)
        return rhost_differs(ctx, "it is valid until %s", rhost_str_or(change->is, "not_after", "?"));
    if (strcmp(attribute, "key") == 0)
        return rhost_differs(ctx, "it was issued for another key than '%s'",
                             rhost_str_or(change->should, "key", ""));
    if (strcmp(attribute, "request") == 0)
        return rhost_differs(ctx, "it is not what '%s' asks for",
                             rhost_str_or(change->should, "request", ""));
    if (strcmp(attribute, "ca_certificate") == 0)
        return rhost_differs(ctx, "it was issued by %s", rhost_str_or(change->is, "issuer", "?"));
    if (strcmp(attribute, "chain") == 0)
        return rhost_differs(ctx, "other certificates follow in the file");
    return RHOST_DEFAULT_COMPARISON;
}

static int
write_all(BIO *bio, X509 *x, const STACK_OF(X509) * others)
{
    int ok = bio && PEM_write_bio_X509(bio, x);

    for (int i = 0; ok && i < sk_X509_num(others); i++)
        ok = PEM_write_bio_X509(bio, sk_X509_value(others, i));
    return ok;
}

/* The certificate, and what is to follow it. */
static int32_t
put(rhost_ctx *ctx, const struct rhost_change *change, X509 *x)
{
    STACK_OF(X509) *others = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    int32_t result = -1;

    if (chain_read_all(ctx, rhost_get(change->should, "chain"), &others) > 0) {
        if (write_all(bio, x, others))
            result = crypto_write(ctx, change, bio, 0);
        else
            (void)crypto_fail(ctx, "cannot write the certificate", rhost_str(change->name, "path"));
        chain_free(others);
    }
    (void)BIO_free(bio);
    return result;
}

/* Why a self-signed one must not come in the place of what a CA has issued. */
static int32_t
check_issuer(rhost_ctx *ctx, const struct rhost_change *change)
{
    STACK_OF(X509) *all = NULL;
    struct stat st;
    int found, own;

    if (!change->is || rhost_has(change->should, "ca_certificate"))
        return 0;
    found = chain_read(ctx, rhost_str(change->name, "path"), 0, &all, &st);
    if (found <= 0)
        return found;
    own = X509_NAME_cmp(X509_get_issuer_name(sk_X509_value(all, 0)),
                        X509_get_subject_name(sk_X509_value(all, 0)))
          == 0;
    chain_free(all);
    if (own)
        return 0;
    return rhost_fail_attr(
        ctx, "ca_certificate",
        "a CA has issued the certificate (%s): state 'ca_certificate', or remove the file first",
        rhost_str_or(change->is, "issuer", "?"));
}

static int32_t
certificate_issue(rhost_ctx *ctx, const struct rhost_change *change)
{
    struct issue i;
    int32_t result = -1;
    X509 *x;

    if (crypto_open(ctx) < 0 || check_issuer(ctx, change) < 0)
        return -1;
    if (issue_open(ctx, change->should, 1, &i) == 0) {
        if (!issue_public_key(&i))
            (void)fail_origin(ctx);
        else if (!i.ca && !i.key.pkey)
            (void)rhost_fail_attr(ctx, "key", "'key' is required to sign the certificate");
        else if ((x = issue_make(ctx, change, &i))) {
            result = put(ctx, change, x);
            X509_free(x);
        }
    }
    issue_close(&i);
    return result;
}

/* Another chain behind the same certificate. */
static int32_t
certificate_chain(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    STACK_OF(X509) *all = NULL;
    struct stat st;
    int32_t result;
    int found = chain_read(ctx, path, 0, &all, &st);

    if (found <= 0)
        return found < 0 ? -1 : rhost_fail(ctx, "'%s' does not exist any more", path);
    result = put(ctx, change, sk_X509_value(all, 0));
    chain_free(all);
    return result;
}

static int32_t
certificate_update(rhost_ctx *ctx, const struct rhost_change *change)
{
    static const char *const made[] = { "key",
                                        "request",
                                        "ca_certificate",
                                        "subject",
                                        "subject_alt_names",
                                        "key_usage",
                                        "extended_key_usage",
                                        "ca",
                                        "path_length",
                                        "renew_before" };

    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (crypto_differs(change, made[i]))
            return certificate_issue(ctx, change);
    return crypto_differs(change, "chain") ? certificate_chain(ctx, change) : crypto_adjust(ctx, change);
}

static int32_t
certificate_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action; /* renew, the only one */
    if (!change->is)
        return rhost_fail(ctx, "'%s' does not exist", rhost_str(change->name, "path"));
    return certificate_issue(ctx, change);
}

static const char *const needs[] = {
    "write[$path]",
    "read[$key]",
    "read[$request]",
    "read[$ca_certificate]",
    "read[$ca_key]",
    "read[$chain]",
    "capability[chown dac_override dac_read_search fowner fsetid]",
    NULL,
};

static const struct rhost_provider x509_certificate_provider = {
    RHOST_PROVIDER("x509_certificate", "Keep certificates in PEM files, and renew them before they expire."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .features = RHOST_CREATES_NEW | RHOST_PURE_CANONICALIZE | RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = certificate_canonicalize,
    .validate = certificate_validate,
    .insync = certificate_insync,
    .load = certificate_load,
    .create = certificate_issue,
    .update = certificate_update,
    .remove = crypto_remove,
    .act = certificate_act,
    .needs = needs,
};

RHOST_PLUGIN(x509_certificate, "1.0", &x509_certificate_provider)
