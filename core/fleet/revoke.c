/* SPDX-License-Identifier: Apache-2.0 */
/* revoke - revokes the certificates of hosts, by a list that web servers read. */
#include "config.h"

#include "fleet/authority.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "fleet/authority-parts.h"
#include "run/state.h"

#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A web server refuses all clients once the list has expired, and no program renews it by itself. */
enum { LASTS_DAYS = 3650 };

static int
add_revoked(X509_CRL *list, const struct rh_value *v)
{
    X509_REVOKED *r = X509_REVOKED_new();
    BIGNUM *n = NULL;
    ASN1_INTEGER *serial =
        BN_hex2bn(&n, rh_value_get_str(v, "serial", "")) ? BN_to_ASN1_INTEGER(n, NULL) : NULL;
    ASN1_TIME *when = ASN1_TIME_set(NULL, (time_t)rh_state_read_time(rh_value_get_str(v, "when", "")));
    int ok = r && serial && when && X509_REVOKED_set_serialNumber(r, serial)
             && X509_REVOKED_set_revocationDate(r, when) && X509_CRL_add0_revoked(list, r);

    if (!ok)
        X509_REVOKED_free(r);
    ASN1_TIME_free(when);
    ASN1_INTEGER_free(serial);
    BN_free(n);
    return ok;
}

static X509_CRL *
make_list(const struct rh_authority *x)
{
    X509_CRL *list = X509_CRL_new();
    ASN1_INTEGER *number = ASN1_INTEGER_new();
    ASN1_TIME *now = X509_gmtime_adj(NULL, 0), *end = X509_gmtime_adj(NULL, 0);
    int ok = list && number && now && end && X509_time_adj_ex(end, LASTS_DAYS, 0, NULL)
             && X509_CRL_set_version(list, 1)
             && X509_CRL_set_issuer_name(list, X509_get_subject_name(x->certificate))
             && X509_CRL_set1_lastUpdate(list, now) && X509_CRL_set1_nextUpdate(list, end)
             && ASN1_INTEGER_set_int64(number, x->list_number)
             && X509_CRL_add1_ext_i2d(list, NID_crl_number, number, 0, 0);

    for (size_t i = 0; ok && i < rh_value_count(x->revoked); i++)
        ok = add_revoked(list, rh_value_at(x->revoked, i));
    ok = ok && X509_CRL_sort(list) && X509_CRL_sign(list, x->key, EVP_sha256());
    ASN1_TIME_free(end);
    ASN1_TIME_free(now);
    ASN1_INTEGER_free(number);
    if (ok)
        return list;
    X509_CRL_free(list);
    return NULL;
}

int
rh_authority_put_list(struct rh_authority *x, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/crl.pem", x->directory);
    BIO *bio = BIO_new(BIO_s_mem());
    X509_CRL *list;
    char *text = NULL;
    long n = 0;
    int rc;

    x->list_number++;
    list = make_list(x);
    if (bio && list && PEM_write_bio_X509_CRL(bio, list))
        n = BIO_get_mem_data(bio, &text);
    rc = n > 0 ? rh_replace_file(path, text, (size_t)n, 0644, err)
               : rh_authority_fail(err, "make the list of revoked certificates");
    X509_CRL_free(list);
    BIO_free(bio);
    return rc;
}

/* Moves those of the host from what was issued to what is revoked, and drops what has expired: how many. */
static size_t
move(struct rh_authority *x, struct rh_arena *a, const char *host)
{
    struct rh_value *kept = rh_value_new(a, RH_ARRAY);
    time_t now = time(NULL);
    size_t count = 0;

    for (size_t i = 0; i < rh_value_count(x->issued); i++) {
        const struct rh_value *v = rh_value_at(x->issued, i);
        struct rh_value *r;

        if (rh_state_read_time(rh_value_get_str(v, "until", "")) <= now)
            continue;
        if (strcmp(rh_value_get_str(v, "host", ""), host) != 0) {
            rh_value_append(kept, v);
            continue;
        }
        r = rh_value_new(a, RH_HASH);
        rh_value_put(r, "host", rh_value_string(a, host));
        rh_value_put(r, "serial", rh_value_string(a, rh_value_get_str(v, "serial", "")));
        rh_value_put(r, "when", rh_value_string(a, rh_state_time(a, now)));
        rh_value_append(x->revoked, r);
        count++;
    }
    x->issued = kept;
    return count;
}

static int
revoke_host(struct rh_authority *x, struct rh_arena *a, const char *host, struct rh_error *err)
{
    size_t n = move(x, a, host);

    if (!n)
        return rh_error_set(err, RH_EINPUT, "host '%s' has no certificate that could be revoked", host);
    /* The list first: when this is cut off between, the certificates are revoked, and it can be done again.
     */
    if (rh_authority_put_list(x, err) < 0 || rh_authority_save(x, err) < 0)
        return -1;
    (void)printf("%zu certificate%s of '%s' revoked: copy '%s/crl.pem' to the web server, and reload it\n", n,
                 n == 1 ? "" : "s", host, x->directory);
    return 0;
}

int
rh_authority_revoke(const char *directory, const char *host, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_authority x;
    int rc = rh_authority_open(&x, a, directory, err) < 0 ? -1 : revoke_host(&x, a, host, err);

    rh_authority_close(&x);
    return rc;
}
