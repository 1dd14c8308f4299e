/* SPDX-License-Identifier: Apache-2.0 */
/* authority - makes an authority, and enrols hosts. */
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

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 64 << 10, LONGEST_NAME = 64 /* of a common name */, WEAKEST = 112 /* bits of security */ };

int
rh_authority_make(const char *directory, int64_t lasts, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *key_path = rh_printf("%s/ca.key", directory), *path = rh_printf("%s/ca.pem", directory);
    struct rh_authority x = { .directory = directory, .lock = -1 };
    rh_autoclose int made = rh_state_dir_open(directory, true, err);
    int rc = -1;

    if (made < 0)
        return -1;
    x.lock = rh_authority_lock(directory, err);
    if (x.lock >= 0 && faccessat(made, "ca.key", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
        rc = rh_error_set(err, RH_EINPUT, "there is an authority in '%s' already", directory);
    } else if (x.lock >= 0) {
        x.issued = rh_value_new(a, RH_ARRAY);
        x.revoked = rh_value_new(a, RH_ARRAY);
        x.key = rh_certify_new_key();
        x.certificate = x.key ? rh_certify("rhost fleet", x.key, NULL, x.key, lasts) : NULL;
        rc = !x.certificate ? rh_authority_fail(err, "make an authority") : 0;
    }
    /* The key comes last: without it, this is tried again. */
    if (rc == 0
        && (rh_authority_put_list(&x, err) < 0 || rh_authority_save(&x, err) < 0
            || rh_authority_put_certificate(path, x.certificate, err) < 0
            || rh_authority_put_key(key_path, x.key, err) < 0))
        rc = -1;
    rh_authority_close(&x);
    return rc;
}

/* The names that reports and subjects of NATS have: nothing in them has a meaning there. */
static int
check_host(const char *host, struct rh_error *err)
{
    static const char characters[] = "0123456789abcdefghijklmnopqrstuvwxyz._-";

    if (*host && *host != '.' && *host != '-' && !strstr(host, "..") && host[strlen(host) - 1] != '.'
        && strlen(host) <= LONGEST_NAME && !host[strspn(host, characters)])
        return 0;
    return rh_error_set(err, RH_EINPUT,
                        "the name of a host must have 1 to %d lower case letters, digits, '.', '_' and '-'",
                        LONGEST_NAME);
}

/* The key of a request that is signed with it. */
static EVP_PKEY *
read_request(const char *path, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, err);
    BIO *bio = text ? BIO_new_mem_buf(text, (int)n) : NULL;
    X509_REQ *request = bio ? PEM_read_bio_X509_REQ(bio, NULL, NULL, NULL) : NULL;
    EVP_PKEY *key = request ? X509_REQ_get_pubkey(request) : NULL;

    if (text && (!key || X509_REQ_verify(request, key) != 1)) {
        (void)rh_authority_fail(err, "use the request");
        EVP_PKEY_free(key);
        key = NULL;
    } else if (key && EVP_PKEY_security_bits(key) < WEAKEST) {
        rh_error_set(err, RH_EINPUT, "the key of the request in '%s' is too weak", path);
        EVP_PKEY_free(key);
        key = NULL;
    }
    X509_REQ_free(request);
    BIO_free(bio);
    return key;
}

static void
note(struct rh_authority *x, struct rh_arena *a, const char *host, X509 *certificate, int64_t lasts)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    BIGNUM *n = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), NULL);
    char *serial = n ? BN_bn2hex(n) : NULL;

    rh_value_put(v, "host", rh_value_string(a, host));
    rh_value_put(v, "serial", rh_value_string(a, serial ? serial : ""));
    rh_value_put(v, "until", rh_value_string(a, rh_state_time(a, time(NULL) + lasts)));
    rh_value_append(x->issued, v);
    OPENSSL_free(serial);
    BN_free(n);
}

/* It is noted before it is given out: none is there that cannot be revoked. */
static int
issue(struct rh_authority *x, struct rh_arena *a, const struct rh_enrolment *e, EVP_PKEY *key,
      struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s.pem", e->output, e->host),
                     *key_path = rh_printf("%s/%s.key", e->output, e->host);
    rh_autox509 X509 *certificate = rh_certify(e->host, key, x->certificate, x->key, e->lasts);

    if (!certificate)
        return rh_authority_fail(err, "make a certificate");
    note(x, a, e->host, certificate, e->lasts);
    if (rh_authority_save(x, err) < 0 || (!e->request && rh_authority_put_key(key_path, key, err) < 0)
        || rh_authority_put_certificate(path, certificate, err) < 0)
        return -1;
    (void)printf("%s\n", path);
    return 0;
}

int
rh_authority_enrol(const struct rh_enrolment *e, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_authority x;
    int rc = check_host(e->host, err);
    rh_autopkey EVP_PKEY *key = NULL;

    if (rc < 0)
        return -1;
    key = e->request ? read_request(e->request, err) : rh_certify_new_key();
    if (!key)
        return err->message ? -1 : rh_authority_fail(err, "make a key");
    rc = rh_authority_open(&x, a, e->authority, err) < 0 ? -1 : issue(&x, a, e, key, err);
    rh_authority_close(&x);
    return rc;
}
