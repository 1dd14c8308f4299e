/* SPDX-License-Identifier: Apache-2.0 */
/* subject - distinguished names, as a hash: {C: CH, O: Example, CN: www.example.org}. */

#include "subject.h"

#include "../x509_key/crypto.h"

#include <openssl/objects.h>

/* The short name of a part of a subject; NULL: libcrypto knows none. */
static const char *
short_name(const char *key)
{
    int nid = OBJ_sn2nid(key);

    if (nid == NID_undef)
        nid = OBJ_ln2nid(key);
    return nid == NID_undef ? NULL : OBJ_nid2sn(nid);
}

int32_t
subject_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *subject = rhost_get(resource, "subject");
    rhost_value *tidy;

    if (!rhost_count(subject))
        return 0;
    tidy = ctx->host->new_hash(ctx);
    for (size_t i = 0; i < rhost_count(subject); i++) {
        const char *key, *name;
        const rhost_value *value = rhost_at(subject, i, &key);

        name = short_name(key);
        if (!name)
            return rhost_fail_attr(ctx, "subject", "unknown part of a subject '%s'", key);
        if (rhost_has(tidy, name))
            return rhost_fail_attr(ctx, "subject", "duplicate '%s': state a list of values", name);
        rhost_put_copy(tidy, name, rhost_count(value) == 1 ? rhost_at(value, 0, NULL) : value);
    }
    rhost_put_copy(resource, "subject", tidy);
    return 0;
}

static int
add(rhost_ctx *ctx, X509_NAME *name, const char *key, const rhost_value *value)
{
    size_t len = 0;
    const char *text = value->host->string(value, &len);

    if (text
        && X509_NAME_add_entry_by_txt(name, key, MBSTRING_UTF8, (const unsigned char *)text, (int)len, -1, 0))
        return 0;
    return crypto_fail(ctx, "subject: invalid value of", key);
}

X509_NAME *
subject_make(rhost_ctx *ctx, const rhost_value *subject)
{
    X509_NAME *name = X509_NAME_new();
    int result = name ? 0 : rhost_fail(ctx, "out of memory");

    for (size_t i = 0; i < rhost_count(subject) && result == 0; i++) {
        const char *key;
        const rhost_value *value = rhost_at(subject, i, &key);
        size_t n = rhost_count(value);

        for (size_t k = 0; k < n && result == 0; k++)
            result = add(ctx, name, key, rhost_at(value, k, NULL));
        if (n == 0)
            result = add(ctx, name, key, value);
    }
    if (result == 0)
        return name;
    X509_NAME_free(name);
    return NULL;
}

void
subject_report(rhost_ctx *ctx, const X509_NAME *name, rhost_value *current)
{
    rhost_value *subject = ctx->host->new_hash(ctx), *several = ctx->host->new_hash(ctx);

    for (int i = 0; i < X509_NAME_entry_count(name); i++) {
        const X509_NAME_ENTRY *e = X509_NAME_get_entry(name, i);
        int nid = OBJ_obj2nid(X509_NAME_ENTRY_get_object(e));
        const char *key = nid == NID_undef ? NULL : OBJ_nid2sn(nid);
        unsigned char *text = NULL;
        int len = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(e));

        if (!key || len < 0 || memchr(text, '\0', (size_t)len)
            || strspn(key, "0123456789.-") == strlen(key)) {
            OPENSSL_free(text);
            return; /* it can't be desired, so it stays unknown */
        }
        if (!rhost_has(subject, key)) {
            rhost_put_bytes(subject, key, text, (size_t)len);
        } else {
            rhost_value *list = ctx->host->put_array(several, "list");
            const rhost_value *before = rhost_get(subject, key);

            for (size_t k = 0; k < rhost_count(before); k++)
                rhost_put_copy(list, NULL, rhost_at(before, k, NULL));
            if (!rhost_count(before))
                rhost_put_copy(list, NULL, before);
            rhost_put_bytes(list, NULL, text, (size_t)len);
            rhost_put_copy(subject, key, list);
        }
        OPENSSL_free(text);
    }
    if (rhost_count(subject))
        rhost_put_copy(current, "subject", subject);
}

const char *
subject_line(rhost_ctx *ctx, const X509_NAME *name)
{
    BIO *bio = BIO_new(BIO_s_mem());
    const char *line = "?";
    char *text = NULL;
    long len = 0;

    if (bio && X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) >= 0)
        len = BIO_get_mem_data(bio, &text);
    if (len > 0)
        line = rhost_copy(ctx, text, (size_t)len);
    (void)BIO_free(bio);
    return line;
}
