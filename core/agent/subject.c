/* SPDX-License-Identifier: Apache-2.0 */
/* subject - the common name of a certificate. */
#include "config.h"

#include "agent/subject.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

enum { LARGEST = 1 << 20, LONGEST_NAME = 255 };

bool
rh_is_report_directory(const char *name)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = strlen(name);

    return n && n <= LONGEST_NAME && strchr(letters, *name)
           && strspn(name, "._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == n;
}

/* The last of its common names, as UTF-8. */
static char *
common_name(const X509_NAME *subject)
{
    unsigned char *text = NULL;
    int at = -1, found, n;
    char *name = NULL;

    while ((found = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) >= 0)
        at = found;
    if (at < 0)
        return NULL;
    n = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
    if (n > 0 && !memchr(text, '\0', (size_t)n))
        name = rh_xstrndup((const char *)text, (size_t)n);
    OPENSSL_free(text);
    return name;
}

char *
rh_certificate_name(const char *path, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *pem = rh_read_file(path, LARGEST, &n, err);
    char *name = NULL;
    BIO *bio;
    X509 *certificate;

    if (!pem)
        return NULL;
    bio = BIO_new_mem_buf(pem, (int)n);
    certificate = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    if (certificate)
        name = common_name(X509_get_subject_name(certificate));
    X509_free(certificate);
    BIO_free(bio);
    if (name && rh_is_report_directory(name))
        return name;
    if (!certificate)
        (void)rh_error_set(err, RH_EINPUT, "'%s' is not a certificate in PEM", path);
    else
        (void)rh_error_set(err, RH_EINPUT,
                           "the certificate '%s' has no common name that can be the name of a directory",
                           path);
    free(name);
    return NULL;
}
