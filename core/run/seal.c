/* SPDX-License-Identifier: Apache-2.0 */
/* seal - encrypts what a run keeps of sensitive values. */
#include "config.h"

#include "run/seal.h"

#include "base/error.h"

#if HAVE_SODIUM

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/safe-path.h"
#include "base/trust.h"
#include "run/credential.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LEAST_KEY = 32, /* bytes */
    LARGEST_KEY = 64 << 10,
    KEY = crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

/* What the key is for: another use of the same file gets another key. */
static const char purpose[] = "rhost: sensitive values that are kept for undo, 1";

/* Stands before what is encrypted, and says how it was. */
static const char magic[] = "rhost-sealed 1\n";

enum { MAGIC = sizeof magic - 1 };

struct rh_seal {
    unsigned char key[KEY];
};

static bool
is_credential(const char *path)
{
    size_t n = strlen(path);

    return n > 5 && strcmp(path + n - 5, ".cred") == 0;
}

static int
check_file(const char *path, int fd, bool encrypted, struct rh_error *err)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot stat the key '%s'", path);
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "cannot use '%s' as a key: it is not a regular file", path);
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return rh_error_set(err, RH_EINPUT, "cannot use '%s' as a key: another user owns it", path);
    if (!encrypted && st.st_mode & (S_IRWXG | S_IRWXO))
        return rh_error_set(err, RH_EINPUT,
                            "cannot use '%s' as a key: group or others have access to it: "
                            "'chmod 0600' the file",
                            path);
    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER, err) < 0) {
        rh_error_prefix(err, "cannot use '%s' as a key", path);
        return -1;
    }
    return 0;
}

/* The bytes of the key file in `a`, which is overwritten when it goes. */
static const char *
read_key(struct rh_arena *a, const char *path, size_t *n, struct rh_error *err)
{
    bool encrypted = is_credential(path);
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    char *bytes;
    const char *key;
    size_t size = 0;

    if (fd < 0) {
        (void)rh_error_system(err, errno, "cannot open the key '%s'", path);
        return NULL;
    }
    if (check_file(path, fd, encrypted, err) < 0)
        return NULL;
    bytes = rh_read_descriptor(fd, path, LARGEST_KEY, &size, err);
    if (!bytes)
        return NULL;
    if (encrypted) {
        key = rh_credential_decrypt(a, path, bytes, size, n, err);
    } else {
        rh_arena_keep_secret(a);
        key = rh_arena_strndup(a, bytes, size);
        *n = size;
    }
    explicit_bzero(bytes, size);
    free(bytes);
    return key;
}

struct rh_seal *
rh_seal_open(const char *path, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_seal *s;
    const char *key;
    size_t n = 0;

    if (sodium_init() < 0) {
        (void)rh_error_set(err, RH_ESYSTEM, "libsodium cannot be used on this machine");
        return NULL;
    }
    key = read_key(a, path, &n, err);
    if (!key)
        return NULL;
    while (n && key[n - 1] == '\n')
        n--;
    if (n < LEAST_KEY) {
        (void)rh_error_set(err, RH_EINPUT,
                           "the key '%s' has %zu bytes, and must have at least %d: 'openssl rand -base64 32' "
                           "makes a key",
                           path, n, LEAST_KEY);
        return NULL;
    }
    s = rh_xalloc(sizeof *s);
    if (crypto_generichash(s->key, sizeof s->key, (const unsigned char *)key, n,
                           (const unsigned char *)purpose, sizeof purpose - 1)
        == 0)
        return s;
    rh_seal_free(s);
    (void)rh_error_set(err, RH_ESYSTEM, "libsodium cannot make a key of '%s'", path);
    return NULL;
}

void
rh_seal_free(struct rh_seal *s)
{
    if (!s)
        return;
    sodium_memzero(s->key, sizeof s->key);
    free(s);
}

char *
rh_seal_encrypt(const struct rh_seal *s, const char *about, const void *p, size_t n, size_t *length,
                struct rh_error *err)
{
    rh_autofree char *to = NULL;
    unsigned char *nonce, *text;

    if (n > SIZE_MAX / 2) {
        (void)rh_error_set(err, RH_EINPUT, "it is too large to be encrypted");
        return NULL;
    }
    *length = MAGIC + NONCE + n + TAG;
    to = rh_xalloc(*length);
    nonce = (unsigned char *)to + MAGIC;
    text = nonce + NONCE;
    memcpy(to, magic, MAGIC);
    randombytes_buf(nonce, NONCE);
    if (crypto_aead_xchacha20poly1305_ietf_encrypt(text, NULL, p, n, (const unsigned char *)about,
                                                   strlen(about), NULL, nonce, s->key)
        == 0)
        return rh_take(&to);
    (void)rh_error_set(err, RH_ESYSTEM, "it cannot be encrypted");
    return NULL;
}

char *
rh_seal_decrypt(const struct rh_seal *s, const char *about, const void *p, size_t n, struct rh_arena *a,
                size_t *length, struct rh_error *err)
{
    const unsigned char *from = p;
    char *to;

    if (n < MAGIC + NONCE + TAG || memcmp(from, magic, MAGIC) != 0) {
        (void)rh_error_set(err, RH_EINPUT, "it was not encrypted by rhost, or was truncated");
        return NULL;
    }
    *length = n - MAGIC - NONCE - TAG;
    rh_arena_keep_secret(a);
    to = rh_arena_alloc(a, *length + 1);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt((unsigned char *)to, NULL, NULL, from + MAGIC + NONCE,
                                                   n - MAGIC - NONCE, (const unsigned char *)about,
                                                   strlen(about), from + MAGIC, s->key)
        == 0)
        return to;
    (void)rh_error_set(err, RH_EINPUT, "it was encrypted with another key");
    return NULL;
}

#else

static void
refuse(struct rh_error *err)
{
    (void)rh_error_set(err, RH_EINPUT, "this rhost cannot encrypt: it was built without libsodium");
}

struct rh_seal *
rh_seal_open(const char *path, struct rh_error *err)
{
    (void)path;
    refuse(err);
    return NULL;
}

void
rh_seal_free(struct rh_seal *s)
{
    (void)s;
}

char *
rh_seal_encrypt(const struct rh_seal *s, const char *about, const void *p, size_t n, size_t *length,
                struct rh_error *err)
{
    (void)s, (void)about, (void)p, (void)n, (void)length;
    refuse(err);
    return NULL;
}

char *
rh_seal_decrypt(const struct rh_seal *s, const char *about, const void *p, size_t n, struct rh_arena *a,
                size_t *length, struct rh_error *err)
{
    (void)s, (void)about, (void)p, (void)n, (void)a, (void)length;
    refuse(err);
    return NULL;
}

#endif
