/* SPDX-License-Identifier: Apache-2.0 */
/* minisign - signatures of minisign(1). */

#include "minisign.h"

#include <rhost/progress.h>

#include <openssl/evp.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIGNATURE = 64, HASH = 64, ALGORITHM = 2, CHUNK = 1 << 16, LARGEST_COMMENT = 8192 };
enum { BLOB = ALGORITHM + MINISIGN_ID + SIGNATURE, KEY_BLOB = ALGORITHM + MINISIGN_ID + MINISIGN_KEY };

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* What a signature file has. */
struct parts {
    unsigned char blob[BLOB];     /* algorithm, number of the key, signature of the file */
    unsigned char all[SIGNATURE]; /* signature of the former one and of the comment */
    const char *comment;
};

/* Exactly `n` bytes from base64 with its padding. 0 or -1. */
static int
decode(const char *text, unsigned char *to, size_t n)
{
    unsigned char bytes[3 * (BLOB / 3 + 1)];
    size_t groups = (n + 2) / 3, padding = groups * 3 - n;

    if (groups * 3 > sizeof bytes || strlen(text) != groups * 4
        || strspn(text, base64) != groups * 4 - padding || strspn(text + groups * 4 - padding, "=") != padding
        || EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)(groups * 4)) < 0)
        return -1;
    memcpy(to, bytes, n);
    return 0;
}

/* The next line, without what ends it, in memory of the call; NULL: there is none. */
static const char *
next_line(rhost_ctx *ctx, const char **at)
{
    size_t n = strcspn(*at, "\n");
    char *line;

    if (!**at)
        return NULL;
    line = rhost_copy(ctx, *at, n);
    *at += n + ((*at)[n] == '\n');
    while (n && strchr(" \t\r", line[n - 1]))
        line[--n] = '\0';
    return line;
}

int
minisign_read_key(rhost_ctx *ctx, const char *text, struct minisign_key *k)
{
    unsigned char bytes[KEY_BLOB];
    const char *line = next_line(ctx, &text);

    if (line && strncmp(line, "untrusted comment:", 18) == 0)
        line = next_line(ctx, &text);
    if (!line || decode(line, bytes, sizeof bytes) < 0 || memcmp(bytes, "Ed", ALGORITHM) != 0)
        return -1;
    while ((line = next_line(ctx, &text)))
        if (*line)
            return -1;
    memcpy(k->id, bytes + ALGORITHM, sizeof k->id);
    memcpy(k->key, bytes + ALGORITHM + MINISIGN_ID, sizeof k->key);
    return 0;
}

static const char *
parse(rhost_ctx *ctx, const char *text, size_t n, struct parts *p)
{
    static const char comment[] = "trusted comment: ";
    const char *line;

    if (memchr(text, '\0', n))
        return "the signature is not one of minisign";
    line = next_line(ctx, &text);
    if (!line || strncmp(line, "untrusted comment:", 18) != 0)
        return "the signature is not one of minisign";
    line = next_line(ctx, &text);
    if (!line || decode(line, p->blob, BLOB) < 0)
        return "the signature is damaged or truncated";
    p->comment = next_line(ctx, &text);
    line = p->comment ? next_line(ctx, &text) : NULL;
    if (!line || strncmp(p->comment, comment, sizeof comment - 1) != 0 || decode(line, p->all, SIGNATURE) < 0)
        return "the signature is damaged or truncated";
    p->comment += sizeof comment - 1;
    return strlen(p->comment) > LARGEST_COMMENT ? "the comment of the signature is too long" : NULL;
}

/* As minisign prints it. */
static const char *
id_text(rhost_ctx *ctx, const unsigned char *id)
{
    return rhost_fmt(ctx, "%02X%02X%02X%02X%02X%02X%02X%02X", id[7], id[6], id[5], id[4], id[3], id[2], id[1],
                     id[0]);
}

/* 1: it is a good signature; 0: it isn't; -1: this libcrypto cannot check one. */
static int
is_signed(const struct minisign_key *k, const unsigned char *signature, const void *bytes, size_t n)
{
    EVP_PKEY *key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, k->key, sizeof k->key);
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    int result = -1;

    if (key && md && EVP_DigestVerifyInit(md, NULL, NULL, NULL, key) == 1)
        result = EVP_DigestVerify(md, signature, SIGNATURE, bytes, n) == 1;
    EVP_MD_CTX_free(md);
    EVP_PKEY_free(key);
    return result;
}

/* BLAKE2b-512 of the file. 0; or -1, with errno 0 where it was libcrypto. */
static int
hash(rhost_ctx *ctx, int fd, unsigned char *to)
{
    EVP_MD_CTX *md = EVP_MD_CTX_new();
    int ok = md && EVP_DigestInit_ex(md, EVP_blake2b512(), NULL) == 1;
    unsigned char chunk[CHUNK];
    ssize_t got = ok ? 1 : -1;
    off_t at = 0;

    errno = 0;
    while (got > 0) {
        got = pread(fd, chunk, sizeof chunk, at);
        if (got < 0 && errno == EINTR) {
            got = 1;
        } else if (got > 0) {
            ok = ok && EVP_DigestUpdate(md, chunk, (size_t)got) == 1;
            at += got;
            rhost_alive(ctx);
        }
    }
    ok = ok && got == 0 && EVP_DigestFinal_ex(md, to, NULL) == 1;
    EVP_MD_CTX_free(md);
    return ok ? 0 : -1;
}

/* The file itself is signed: all of it has to be at hand. 1, 0, or -1 with errno. */
static int
is_whole_signed(const struct minisign_key *k, const unsigned char *signature, int fd, off_t size)
{
    void *bytes = size ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    int result;

    if (bytes == MAP_FAILED)
        return -1;
    result = is_signed(k, signature, bytes ? bytes : "", (size_t)size);
    if (bytes)
        (void)munmap(bytes, (size_t)size);
    errno = 0;
    return result;
}

static int
is_file_signed(rhost_ctx *ctx, const struct minisign_key *k, const struct parts *p, int fd, off_t size)
{
    const unsigned char *signature = p->blob + ALGORITHM + MINISIGN_ID;
    unsigned char digest[HASH];

    if (p->blob[1] == 'd')
        return is_whole_signed(k, signature, fd, size);
    return hash(ctx, fd, digest) < 0 ? -1 : is_signed(k, signature, digest, sizeof digest);
}

/* The comment is signed together with the signature of the file. */
static int
is_comment_signed(rhost_ctx *ctx, const struct minisign_key *k, const struct parts *p)
{
    size_t n = strlen(p->comment);
    unsigned char *bytes = rhost_alloc(ctx, SIGNATURE + n + 1);

    memcpy(bytes, p->blob + ALGORITHM + MINISIGN_ID, SIGNATURE);
    memcpy(bytes + SIGNATURE, p->comment, n);
    return is_signed(k, p->all, bytes, SIGNATURE + n);
}

const char *
minisign_check(rhost_ctx *ctx, const struct minisign_key *k, const char *signature, size_t n, int fd,
               off_t size)
{
    struct parts p;
    const char *why = parse(ctx, signature, n, &p);
    int good;

    if (why)
        return why;
    if (p.blob[0] != 'E' || (p.blob[1] != 'D' && p.blob[1] != 'd'))
        return "the signature is of an unknown kind";
    if (memcmp(p.blob + ALGORITHM, k->id, sizeof k->id) != 0)
        return rhost_fmt(ctx, "it is signed with another key: %s, and 'public_key' is %s",
                         id_text(ctx, p.blob + ALGORITHM), id_text(ctx, k->id));
    good = is_file_signed(ctx, k, &p, fd, size);
    if (good < 0)
        return errno ? rhost_fmt(ctx, "the signature cannot be checked: %s", strerror(errno))
                     : "the signature cannot be checked: this libcrypto lacks Ed25519 or BLAKE2b-512";
    if (!good)
        return "the signature is not one of this file";
    return is_comment_signed(ctx, k, &p) == 1 ? NULL : "the comment of the signature was changed";
}
