/* SPDX-License-Identifier: Apache-2.0 */
/* authority-files - the directory of the authority: ca.key, ca.pem, crl.pem, and in authority.json what it
 * has issued and revoked. */
#include "config.h"

#include "fleet/authority-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "run/state.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

static const char file[] = "authority.json";

int
rh_authority_fail(struct rh_error *err, const char *what)
{
    char text[256] = "unknown reason";
    unsigned long code = ERR_peek_last_error();

    if (code)
        ERR_error_string_n(code, text, sizeof text);
    ERR_clear_error();
    return rh_error_set(err, RH_ESYSTEM, "cannot %s: libcrypto says '%s'", what, text);
}

int
rh_authority_lock(const char *directory, struct rh_error *err)
{
    rh_autoclose int fd = rh_state_dir_open(directory, false, err);

    if (fd < 0)
        return err && err->message ? -1
                                   : rh_error_system(err, errno, "cannot open the directory '%s'", directory);
    if (flock(fd, LOCK_EX) < 0)
        return rh_error_system(err, errno, "cannot lock '%s'", directory);
    return rh_take_fd(&fd);
}

static int
put(const char *path, BIO *bio, unsigned mode, struct rh_error *err)
{
    char *text = NULL;
    long n = BIO_get_mem_data(bio, &text);

    return n > 0 ? rh_replace_file(path, text, (size_t)n, mode, err) : rh_authority_fail(err, "write a file");
}

int
rh_authority_put_key(const char *path, EVP_PKEY *key, struct rh_error *err)
{
    BIO *bio = BIO_new(BIO_s_secmem()); /* is wiped */
    int rc = bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL)
                 ? put(path, bio, 0600, err)
                 : rh_authority_fail(err, "write a key");

    BIO_free(bio);
    return rc;
}

int
rh_authority_put_certificate(const char *path, X509 *certificate, struct rh_error *err)
{
    BIO *bio = BIO_new(BIO_s_mem());
    int rc = bio && PEM_write_bio_X509(bio, certificate) ? put(path, bio, 0644, err)
                                                         : rh_authority_fail(err, "write a certificate");

    BIO_free(bio);
    return rc;
}

/* What a file of the authority holds, in PEM, to one of the two. Its text does not stay in memory. */
static int
read_pem(const struct rh_authority *x, const char *name, EVP_PKEY **key, X509 **certificate,
         struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", x->directory, name);
    size_t n = 0;
    rh_autofree char *text = rh_read_kept_file(path, LARGEST, &n, err);
    BIO *bio = text ? BIO_new_mem_buf(text, (int)n) : NULL;

    if (bio && key)
        *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    if (bio && certificate)
        *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    if (text)
        explicit_bzero(text, n);
    return text ? 0 : -1;
}

static int
read_key(struct rh_authority *x, struct rh_error *err)
{
    if (read_pem(x, "ca.key", &x->key, NULL, err) < 0)
        return -1;
    return x->key ? 0 : rh_authority_fail(err, "read the key of the authority");
}

static int
read_certificate(struct rh_authority *x, struct rh_error *err)
{
    if (read_pem(x, "ca.pem", NULL, &x->certificate, err) < 0)
        return -1;
    if (!x->certificate || X509_check_private_key(x->certificate, x->key) != 1)
        return rh_authority_fail(err, "read the certificate of the authority");
    return 0;
}

static struct rh_value *
list_of(struct rh_arena *a, const struct rh_value *v, const char *key)
{
    const struct rh_value *list = rh_value_get(v, key);
    struct rh_value *copy = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(list); i++)
        rh_value_append(copy, rh_value_at(list, i));
    return copy;
}

int
rh_authority_open(struct rh_authority *x, struct rh_arena *a, const char *directory, struct rh_error *err)
{
    const struct rh_value *v, *number;

    *x = (struct rh_authority){ .directory = directory, .lock = rh_authority_lock(directory, err) };
    if (x->lock < 0 || read_key(x, err) < 0 || read_certificate(x, err) < 0)
        return rh_error_suggest(err, NULL, "'rhost fleet authority DIR' makes an authority");
    v = rh_state_load(a, directory, file, err);
    if (!v)
        return -1;
    x->issued = list_of(a, v, "issued");
    x->revoked = list_of(a, v, "revoked");
    number = rh_value_get(v, "list_number");
    x->list_number = rh_value_is(number, RH_INTEGER) ? number->u.integer : 0;
    return 0;
}

void
rh_authority_close(struct rh_authority *x)
{
    EVP_PKEY_free(x->key);
    X509_free(x->certificate);
    rh_cleanup_close(&x->lock);
}

/* Whether it has a certificate that is not revoked and has not expired. */
static bool
is_enrolled(const struct rh_authority *x, const char *host)
{
    time_t now = time(NULL);

    for (size_t i = 0; i < rh_value_count(x->issued); i++) {
        const struct rh_value *v = rh_value_at(x->issued, i);

        if (strcmp(rh_value_get_str(v, "host", ""), host) == 0
            && rh_state_read_time(rh_value_get_str(v, "until", "")) > now)
            return true;
    }
    return false;
}

/* revoked: a name in each line, for the collector. */
static int
put_names(const struct rh_authority *x, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/revoked", x->directory);
    rh_autobuf struct rh_buf b = { 0 };
    rh_automap struct rh_map added = { 0 };

    for (size_t i = 0; i < rh_value_count(x->revoked); i++) {
        const char *host = rh_value_get_str(rh_value_at(x->revoked, i), "host", "");

        if (!is_enrolled(x, host) && !rh_map_put_const(&added, host, host))
            rh_buf_addf(&b, "%s\n", host);
    }
    return rh_replace_file(path, rh_buf_text(&b), b.n, 0644, err);
}

int
rh_authority_save(const struct rh_authority *x, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "issued", x->issued);
    rh_value_put(v, "revoked", x->revoked);
    rh_value_put(v, "list_number", rh_value_integer(a, x->list_number));
    return rh_state_save(x->directory, file, v, err) < 0 ? -1 : put_names(x, err);
}
