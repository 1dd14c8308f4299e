/* SPDX-License-Identifier: Apache-2.0 */
/* auth - what mysql_native_password keeps is computed here: "*" and the SHA-1 of the SHA-1. What ed25519 and
 * caching_sha2_password keep is compared as it is. */

#include "auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <strings.h>

#define NATIVE "mysql_native_password"
#define ED25519 "ed25519"
#define SHA2 "caching_sha2_password"
#define SHA2_BEGIN "$A$005$"

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { SHA1_SIZE = 20, HEX = 2 * SHA1_SIZE, KEY = 43, SHA2_SIZE = 70 };

int
auth_has_password(const char *plugin)
{
    return strcmp(plugin, NATIVE) == 0 || strcmp(plugin, ED25519) == 0 || strcmp(plugin, SHA2) == 0;
}

/* Whether it is what the plugin's server keeps. */
static int
is_kept(const char *plugin, const char *text)
{
    if (strcmp(plugin, NATIVE) == 0)
        return *text == '*' && strlen(text) == HEX + 1 && strspn(text + 1, "0123456789ABCDEFabcdef") == HEX;
    if (strcmp(plugin, ED25519) == 0)
        return strlen(text) == KEY && strspn(text, base64) == KEY;
    return strcmp(plugin, SHA2) == 0 && strlen(text) == SHA2_SIZE
           && strncmp(text, SHA2_BEGIN, sizeof SHA2_BEGIN - 1) == 0;
}

int
auth_takes(const char *plugin, const char *password)
{
    return strcmp(plugin, NATIVE) == 0 || is_kept(plugin, password);
}

static const char *
native_of(rhost_ctx *ctx, const unsigned char hash[SHA1_SIZE])
{
    char *text = rhost_alloc(ctx, HEX + 2);

    *text = '*';
    for (int i = 0; i < SHA1_SIZE; i++) {
        text[1 + 2 * i] = "0123456789ABCDEF"[hash[i] >> 4];
        text[2 + 2 * i] = "0123456789ABCDEF"[hash[i] & 15];
    }
    text[HEX + 1] = '\0';
    return text;
}

static const char *
no_crypto(rhost_ctx *ctx)
{
    rhost_fail_attr(ctx, "password", "libcrypto cannot compute what the server keeps of it");
    return NULL;
}

const char *
auth_text(rhost_ctx *ctx, const char *plugin, const char *password)
{
    unsigned char hash[SHA1_SIZE];
    int done;

    if (is_kept(plugin, password))
        return strcmp(plugin, NATIVE) == 0 ? sql_upper(ctx, password) : password;
    done = EVP_Digest(password, strlen(password), hash, NULL, EVP_sha1(), NULL)
           && EVP_Digest(hash, SHA1_SIZE, hash, NULL, EVP_sha1(), NULL);
    return done ? native_of(ctx, hash) : no_crypto(ctx);
}

const char *
auth_nobody(rhost_ctx *ctx, const char *plugin)
{
    int native = strcmp(plugin, NATIVE) == 0, sha2 = strcmp(plugin, SHA2) == 0;
    size_t n = sha2 ? SHA2_SIZE - sizeof SHA2_BEGIN + 1 : KEY, begin = sha2 ? sizeof SHA2_BEGIN - 1 : 0;
    unsigned char bytes[SHA2_SIZE];
    char *text;

    if (RAND_bytes(bytes, sizeof bytes) != 1)
        return no_crypto(ctx);
    if (native)
        return native_of(ctx, bytes);
    text = rhost_alloc(ctx, begin + n + 1);
    memcpy(text, SHA2_BEGIN, begin);
    for (size_t i = 0; i < n; i++)
        text[begin + i] = base64[bytes[i] % 64];
    if (!sha2)
        text[KEY - 1] = 'A'; /* it has but four bits */
    text[begin + n] = '\0';
    return text;
}

int
auth_matches(rhost_ctx *ctx, const struct auth *auth, const char *password)
{
    const char *text = auth_takes(auth->plugin, password) ? auth_text(ctx, auth->plugin, password) : "";

    if (!text)
        return -1;
    return *text && strlen(text) == strlen(auth->text) && CRYPTO_memcmp(text, auth->text, strlen(text)) == 0;
}

const struct auth *
auth_find(const struct auths *all, const char *plugin)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->of[i].plugin, plugin) == 0)
            return &all->of[i];
    return NULL;
}
