/* SPDX-License-Identifier: Apache-2.0 */
/* issue - certificates: by whom they are signed, and how a new one is made. */

#include "issue.h"

#include "duration.h"

#include <rhost/path.h>

#include <openssl/bn.h>
#include <openssl/x509v3.h>
#include <time.h>

enum { SERIAL_BITS = 127, A_DAY = 86400, AN_HOUR = 3600 };

static int32_t
missing(rhost_ctx *ctx, const rhost_value *should, const char *attribute)
{
    return rhost_fail_attr(ctx, attribute, "'%s' does not exist", rhost_str_or(should, attribute, ""));
}

static int32_t
open_key(rhost_ctx *ctx, const rhost_value *should, const char *attribute, const char *passphrase,
         struct key *k)
{
    const char *path = rhost_str(should, attribute);
    int found = path ? key_read(ctx, path, RHOST_PATH_FOLLOW, should, passphrase, k) : 1;

    return found == 0 ? missing(ctx, should, attribute) : found < 0 ? -1 : 0;
}

static int32_t
open_request(rhost_ctx *ctx, const rhost_value *should, struct issue *i)
{
    const char *path = rhost_str(should, "request");
    struct stat st;
    int found = path ? request_read(ctx, path, RHOST_PATH_FOLLOW, &i->request, &st) : 1;

    if (found <= 0)
        return found == 0 ? missing(ctx, should, "request") : -1;
    if (i->request && i->key.pkey && EVP_PKEY_eq(X509_REQ_get0_pubkey(i->request), i->key.pkey) != 1)
        return rhost_fail_attr(ctx, "request", "'%s' was made for another key than '%s'", path,
                               rhost_str_or(should, "key", ""));
    return 0;
}

static int32_t
open_ca(rhost_ctx *ctx, const rhost_value *should, struct issue *i)
{
    const char *path = rhost_str(should, "ca_certificate");
    STACK_OF(X509) *all = NULL;
    struct stat st;
    int found = path ? chain_read(ctx, path, RHOST_PATH_FOLLOW, &all, &st) : 1;

    if (found <= 0)
        return found == 0 ? missing(ctx, should, "ca_certificate") : -1;
    i->ca = sk_X509_shift(all);
    chain_free(all);
    if (i->ca && X509_check_ca(i->ca) != 1)
        return rhost_fail_attr(ctx, "ca_certificate", "the certificate in '%s' is not one of a CA", path);
    return 0;
}

int32_t
issue_open(rhost_ctx *ctx, const rhost_value *should, int signing, struct issue *i)
{
    memset(i, 0, sizeof *i);
    if (open_key(ctx, should, "key", "passphrase", &i->key) < 0 || open_request(ctx, should, i) < 0
        || open_ca(ctx, should, i) < 0)
        return -1;
    return signing ? open_key(ctx, should, "ca_key", "ca_passphrase", &i->ca_key) : 0;
}

void
issue_close(struct issue *i)
{
    X509_REQ_free(i->request);
    X509_free(i->ca);
    key_free(&i->key);
    key_free(&i->ca_key);
}

EVP_PKEY *
issue_public_key(const struct issue *i)
{
    return i->request ? X509_REQ_get0_pubkey(i->request) : i->key.pkey;
}

/* The CA has to be able to sign, now and for longer than until the next renewal. */
static int32_t
check_ca(rhost_ctx *ctx, const rhost_value *should, const struct issue *i)
{
    const char *path = rhost_str_or(should, "ca_certificate", "");
    time_t later = time(NULL) + duration_seconds(rhost_str_or(should, "renew_before", "30 days"));

    if (!i->ca)
        return 0;
    if (!i->ca_key.pkey || X509_check_private_key(i->ca, i->ca_key.pkey) != 1)
        return rhost_fail_attr(ctx, "ca_key", "it is not the key of the CA certificate '%s'", path);
    if (X509_cmp_current_time(X509_get0_notBefore(i->ca)) > 0)
        return rhost_fail_attr(ctx, "ca_certificate", "the CA certificate '%s' is not valid yet", path);
    if (X509_cmp_current_time(X509_get0_notAfter(i->ca)) < 0)
        return rhost_fail_attr(ctx, "ca_certificate", "the CA certificate '%s' has expired", path);
    if (X509_cmp_time(X509_get0_notAfter(i->ca), &later) < 0)
        return rhost_fail_attr(
            ctx, "ca_certificate",
            "the CA certificate '%s' expires within 'renew_before': a new certificate would have to "
            "be renewed at once",
            path);
    return 0;
}

/* A request must not make a CA out of who may write it. */
static int32_t
check_request(rhost_ctx *ctx, const rhost_value *should, const struct issue *i)
{
    rhost_value *asked = ctx->host->new_hash(ctx);
    int ca = rhost_bool(should, "ca", 0);

    if (!i->request)
        return 0;
    request_report(ctx, i->request, asked);
    if (rhost_bool(asked, "ca", 0) == ca)
        return 0;
    return rhost_fail_attr(ctx, "request",
                           ca ? "'ca' is true, and '%s' does not ask for the certificate of a CA"
                              : "'%s' asks for the certificate of a CA: 'ca: true' would issue it",
                           rhost_str_or(should, "request", ""));
}

/* At random, so that none is used twice. */
static int
set_serial(X509 *x)
{
    BIGNUM *n = BN_new();
    int ok = n && BN_rand(n, SERIAL_BITS, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY)
             && BN_to_ASN1_INTEGER(n, X509_get_serialNumber(x));

    BN_free(n);
    return ok;
}

/* From an hour ago, as clocks differ; never outside of the time of the CA. */
static int
set_times(X509 *x, const rhost_value *should, const X509 *ca)
{
    int64_t lasts = duration_seconds(rhost_str_or(should, "validity", "365 days"));
    time_t now = time(NULL);

    if (!X509_time_adj_ex(X509_getm_notBefore(x), 0, -AN_HOUR, &now)
        || !X509_time_adj_ex(X509_getm_notAfter(x), (int)(lasts / A_DAY), (long)(lasts % A_DAY), &now))
        return 0;
    if (ca && ASN1_TIME_compare(X509_get0_notBefore(x), X509_get0_notBefore(ca)) < 0
        && !X509_set1_notBefore(x, X509_get0_notBefore(ca)))
        return 0;
    return !ca || ASN1_TIME_compare(X509_get0_notAfter(x), X509_get0_notAfter(ca)) <= 0
           || X509_set1_notAfter(x, X509_get0_notAfter(ca));
}

static int
add_identifier(X509 *x, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509_EXTENSION *e;
    int ok;

    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, x, NULL, NULL, 0);
    e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    ok = e && X509_add_ext(x, e, -1);
    X509_EXTENSION_free(e);
    return ok;
}

/* Of a request, those that this type knows: others are not granted. */
static int
add_extensions(X509 *x, const STACK_OF(X509_EXTENSION) * all)
{
    static const int known[] = { NID_basic_constraints, NID_key_usage, NID_ext_key_usage,
                                 NID_subject_alt_name };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        int at = X509v3_get_ext_by_NID(all, known[k], -1);

        if (at >= 0 && !X509_add_ext(x, X509v3_get_ext(all, at), -1))
            return 0;
    }
    return 1;
}

/* An authority that has no identifier of its own can't be named by one. */
static int
add_identifiers(X509 *x, X509 *ca)
{
    return add_identifier(x, x, NID_subject_key_identifier, "hash")
           && (!ca || !X509_get0_subject_key_id(ca)
               || add_identifier(x, ca, NID_authority_key_identifier, "keyid:always"));
}

X509 *
issue_make(rhost_ctx *ctx, const struct rhost_change *change, struct issue *i)
{
    EVP_PKEY *signer = i->ca ? i->ca_key.pkey : i->key.pkey, *public = issue_public_key(i);
    X509_NAME *subject;
    STACK_OF(X509_EXTENSION) *all = NULL;
    X509 *x = NULL;

    if (check_ca(ctx, change->should, i) < 0 || check_request(ctx, change->should, i) < 0)
        return NULL;
    subject = i->request ? X509_NAME_dup(X509_REQ_get_subject_name(i->request))
                         : subject_make(ctx, rhost_value_of(change, "subject"));
    if (subject)
        all = i->request ? X509_REQ_get_extensions(i->request) : extensions_make(ctx, change);
    if (subject && (all || i->request)) {
        x = X509_new();
        if (!x || !X509_set_version(x, X509_VERSION_3) || !set_serial(x) || !X509_set_subject_name(x, subject)
            || !X509_set_issuer_name(x, i->ca ? X509_get_subject_name(i->ca) : subject)
            || !set_times(x, change->should, i->ca) || !X509_set_pubkey(x, public) || !add_extensions(x, all)
            || !add_identifiers(x, i->ca) || !X509_sign(x, signer, key_digest(signer, change->should))) {
            (void)crypto_fail(ctx, "cannot issue the certificate", rhost_str(change->name, "path"));
            X509_free(x);
            x = NULL;
        }
    }
    X509_NAME_free(subject);
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
    return x;
}
