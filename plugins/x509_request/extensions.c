/* SPDX-License-Identifier: Apache-2.0 */
/* extensions - what a request asks for and a certificate has: names, usages, and whether it may sign others.
 */

#include "extensions.h"

#include "../x509_key/crypto.h"

#include <openssl/objects.h>

/* The bits of the extension, in the order of RFC 5280. */
static const char *const usages[] = { "digitalSignature", "nonRepudiation", "keyEncipherment",
                                      "dataEncipherment", "keyAgreement",   "keyCertSign",
                                      "cRLSign",          "encipherOnly",   "decipherOnly" };

/* A purpose by the name that libcrypto has for it, or by its number, in memory of the call; NULL: there is no
 * such one.
 */
static const char *
purpose(rhost_ctx *ctx, const char *text)
{
    ASN1_OBJECT *o = OBJ_txt2obj(text, 0);
    int nid = o ? OBJ_obj2nid(o) : NID_undef;
    char number[128];
    const char *name = NULL;

    if (nid != NID_undef)
        name = OBJ_nid2sn(nid);
    else if (o && OBJ_obj2txt(number, sizeof number, o, 1) > 0)
        name = rhost_strdup(ctx, number);
    ASN1_OBJECT_free(o);
    return name;
}

static int32_t
canonicalize_purposes(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *list = rhost_get(resource, "extended_key_usage");
    rhost_value *built, *all;

    if (!rhost_count(list))
        return 0;
    built = ctx->host->new_hash(ctx);
    all = ctx->host->put_array(built, "all");
    for (size_t i = 0; i < rhost_count(list); i++) {
        const char *text = rhost_str_at(list, i), *name = text ? purpose(ctx, text) : NULL;

        if (text && !name)
            return rhost_fail_attr(ctx, "extended_key_usage", "unknown purpose '%s'", text);
        if (name)
            rhost_put_str(all, NULL, name);
    }
    rhost_put_copy(resource, "extended_key_usage", all);
    return 0;
}

int32_t
extensions_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (crypto_open(ctx) < 0 || subject_canonicalize(ctx, resource) < 0)
        return -1;
    return names_canonicalize(ctx, resource) < 0 ? -1 : canonicalize_purposes(ctx, resource);
}

int32_t
extensions_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    if (rhost_has(resource, "path_length") && !rhost_bool(resource, "ca", 0))
        return rhost_fail_attr(ctx, "path_length", "'path_length' is for 'ca: true'");
    return 0;
}

static int
add(STACK_OF(X509_EXTENSION) * *all, int nid, int critical, void *value)
{
    return value && X509V3_add1_i2d(all, nid, value, critical, X509V3_ADD_DEFAULT) > 0;
}

static int
add_basic(STACK_OF(X509_EXTENSION) * *all, const struct rhost_change *change)
{
    BASIC_CONSTRAINTS *basic = BASIC_CONSTRAINTS_new();
    int64_t length = rhost_int_of(change, "path_length", -1);
    int ok = basic != NULL;

    if (ok && rhost_bool_of(change, "ca", 0)) {
        basic->ca = 0xff;
        if (length >= 0) {
            basic->pathlen = ASN1_INTEGER_new();
            ok = basic->pathlen && ASN1_INTEGER_set_int64(basic->pathlen, length);
        }
    }
    ok = ok && add(all, NID_basic_constraints, 1, basic);
    BASIC_CONSTRAINTS_free(basic);
    return ok;
}

static int
has_text(const rhost_value *list, const char *text)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (strcmp(rhost_str_at(list, i), text) == 0)
            return 1;
    return 0;
}

static int
add_usage(STACK_OF(X509_EXTENSION) * *all, const struct rhost_change *change)
{
    const rhost_value *list = rhost_value_of(change, "key_usage");
    int authority = !list && rhost_bool_of(change, "ca", 0), ok, any = 0;
    ASN1_BIT_STRING *bits = ASN1_BIT_STRING_new();

    ok = bits != NULL;
    for (int i = 0; ok && i < (int)(sizeof usages / sizeof *usages); i++)
        if (has_text(list, usages[i]) || (authority && (i == 5 || i == 6))) {
            ok = ASN1_BIT_STRING_set_bit(bits, i, 1);
            any = 1;
        }
    if (ok && any)
        ok = add(all, NID_key_usage, 1, bits);
    ASN1_BIT_STRING_free(bits);
    return ok;
}

static int
add_purposes(STACK_OF(X509_EXTENSION) * *all, const rhost_value *list)
{
    EXTENDED_KEY_USAGE *purposes = sk_ASN1_OBJECT_new_null();
    int ok = purposes != NULL;

    for (size_t i = 0; ok && i < rhost_count(list); i++) {
        ASN1_OBJECT *o = OBJ_txt2obj(rhost_str_at(list, i), 0);

        ok = o && sk_ASN1_OBJECT_push(purposes, o) > 0;
        if (!ok)
            ASN1_OBJECT_free(o);
    }
    if (ok && rhost_count(list))
        ok = add(all, NID_ext_key_usage, 0, purposes);
    sk_ASN1_OBJECT_pop_free(purposes, ASN1_OBJECT_free);
    return ok;
}

static int
add_names(rhost_ctx *ctx, STACK_OF(X509_EXTENSION) * *all, const rhost_value *list)
{
    GENERAL_NAMES *names;
    int ok;

    if (!rhost_count(list))
        return 1;
    names = names_make(ctx, list);
    ok = add(all, NID_subject_alt_name, 0, names);
    GENERAL_NAMES_free(names);
    return ok;
}

STACK_OF(X509_EXTENSION) * extensions_make(rhost_ctx *ctx, const struct rhost_change *change)
{
    STACK_OF(X509_EXTENSION) *all = NULL;

    if (add_basic(&all, change) && add_usage(&all, change)
        && add_purposes(&all, rhost_value_of(change, "extended_key_usage"))
        && add_names(ctx, &all, rhost_value_of(change, "subject_alt_names")))
        return all;
    sk_X509_EXTENSION_pop_free(all, X509_EXTENSION_free);
    (void)crypto_fail(ctx, "cannot make the extensions of", rhost_str(change->name, "path"));
    return NULL;
}

static void
report_basic(const STACK_OF(X509_EXTENSION) * all, rhost_value *current)
{
    BASIC_CONSTRAINTS *basic = X509V3_get_d2i(all, NID_basic_constraints, NULL, NULL);
    int64_t length = -1;

    rhost_put_bool(current, "ca", basic && basic->ca);
    if (basic && basic->ca && basic->pathlen && ASN1_INTEGER_get_int64(&length, basic->pathlen) && length >= 0
        && length <= 100)
        rhost_put_int(current, "path_length", length);
    BASIC_CONSTRAINTS_free(basic);
}

static void
report_usages(const STACK_OF(X509_EXTENSION) * all, rhost_value *current)
{
    ASN1_BIT_STRING *bits = X509V3_get_d2i(all, NID_key_usage, NULL, NULL);
    rhost_value *list = current->host->put_array(current, "key_usage");

    for (int i = 0; bits && i < (int)(sizeof usages / sizeof *usages); i++)
        if (ASN1_BIT_STRING_get_bit(bits, i))
            rhost_put_str(list, NULL, usages[i]);
    ASN1_BIT_STRING_free(bits);
}

static void
report_purposes(rhost_ctx *ctx, const STACK_OF(X509_EXTENSION) * all, rhost_value *current)
{
    EXTENDED_KEY_USAGE *purposes = X509V3_get_d2i(all, NID_ext_key_usage, NULL, NULL);
    rhost_value *list = current->host->put_array(current, "extended_key_usage");
    char number[128];

    for (int i = 0; purposes && i < sk_ASN1_OBJECT_num(purposes); i++) {
        const char *name = OBJ_obj2txt(number, sizeof number, sk_ASN1_OBJECT_value(purposes, i), 1) > 0
                               ? purpose(ctx, number)
                               : NULL;

        if (name)
            rhost_put_str(list, NULL, name);
    }
    sk_ASN1_OBJECT_pop_free(purposes, ASN1_OBJECT_free);
}

void
extensions_report(rhost_ctx *ctx, const X509_NAME *subject, const STACK_OF(X509_EXTENSION) * all,
                  rhost_value *current)
{
    GENERAL_NAMES *names = X509V3_get_d2i(all, NID_subject_alt_name, NULL, NULL);

    subject_report(ctx, subject, current);
    report_basic(all, current);
    report_usages(all, current);
    report_purposes(ctx, all, current);
    names_report(ctx, names, current);
    GENERAL_NAMES_free(names);
}
