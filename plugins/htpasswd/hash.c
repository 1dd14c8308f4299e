/* SPDX-License-Identifier: Apache-2.0 */
/* hash - what a password file keeps of a password, by libcrypt. */

#include "hash.h"

#include <crypt.h>
#include <stdlib.h>

/* Both servers have crypt(3) check all of these. $2y$ is what Apache's own htpasswd writes. */
static const struct {
    const char *scheme, *prefix;
} schemes[] = {
    { "bcrypt", "$2y$" }, { "sha512", "$6$" },  { "sha256", "$5$" },
    { "bcrypt", "$2b$" }, { "bcrypt", "$2a$" },
};

const char *
hash_scheme(const char *hash)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(hash, schemes[i].prefix, strlen(schemes[i].prefix)) == 0)
            return schemes[i].scheme;
    return NULL;
}

/* The buffer of crypt_rn() has what a password was made into: it is overwritten. NULL, with errno, where
 * libcrypt refuses. A result is in memory of the call. */
static const char *
compute(rhost_ctx *ctx, const char *password, const char *setting)
{
    struct crypt_data *data = calloc(1, sizeof *data);
    const char *result = data ? crypt_rn(password, setting, data, (int)sizeof *data) : NULL;
    int why = errno;

    if (result)
        result = rhost_strdup(ctx, result);
    if (data)
        explicit_bzero(data, sizeof *data);
    free(data);
    errno = why;
    return result;
}

const char *
hash_make(rhost_ctx *ctx, const char *scheme, const char *password, unsigned long cost)
{
    char setting[CRYPT_GENSALT_OUTPUT_SIZE];
    const char *prefix = NULL, *hash;

    for (size_t i = sizeof schemes / sizeof *schemes; i-- > 0;)
        if (strcmp(schemes[i].scheme, scheme) == 0)
            prefix = schemes[i].prefix;
    rhost_busy(ctx, 60, "computing the hash of a password");
    hash = prefix && crypt_gensalt_rn(prefix, cost, NULL, 0, setting, (int)sizeof setting)
               ? compute(ctx, password, setting)
               : NULL;
    if (!hash)
        rhost_fail_errno(ctx, "libcrypt cannot compute the hash of the password with %s", scheme);
    return hash;
}

/* Takes the same time wherever they differ. */
static int
is_same(const char *a, const char *b)
{
    size_t len = strlen(a);
    unsigned difference = len != strlen(b);

    for (size_t i = 0; !difference && i < len; i++)
        difference |= (unsigned char)a[i] ^ (unsigned char)b[i];
    return !difference;
}

/* Whether computing it takes more than the dearest hash that is made here: it would hold up the run. */
static int
is_too_dear(const char *hash, const char *scheme)
{
    static const char rounds[] = "$rounds=";

    if (strcmp(scheme, "bcrypt") == 0)
        return strtoul(hash + 4, NULL, 10) > HASH_COST_MAX;
    return strncmp(hash + 2, rounds, sizeof rounds - 1) == 0
           && strtoul(hash + 2 + sizeof rounds - 1, NULL, 10) > HASH_ROUNDS_MAX;
}

int
hash_matches(rhost_ctx *ctx, const char *hash, const char *password)
{
    const char *computed, *scheme = hash_scheme(hash);

    if (!scheme || is_too_dear(hash, scheme))
        return 0;
    rhost_busy(ctx, 60, "comparing a password");
    computed = compute(ctx, password, hash);
    if (!computed && errno == ENOMEM)
        return rhost_fail(ctx, "cannot compare the password: out of memory");
    return computed && is_same(computed, hash); /* a damaged hash is that of no password */
}
