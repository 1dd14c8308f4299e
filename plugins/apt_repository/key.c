/* SPDX-License-Identifier: Apache-2.0 */
/* key - the key that a repository is signed with, as it is given and as it is stored. */

#include "key.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 4 << 20 };

/* All of a file, in memory of the call; NULL with errno. */
static char *
read_all(rhost_ctx *ctx, const char *path, size_t *len, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), why = 0;
    char *text = NULL;
    ssize_t got = 1;

    *len = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, st) < 0)
        why = errno;
    else if (!S_ISREG(st->st_mode))
        why = S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
    else if (st->st_size > LARGEST)
        why = EFBIG;
    else
        text = rhost_alloc(ctx, (size_t)st->st_size + 1);
    while (text && *len < (size_t)st->st_size && got > 0) {
        got = read(fd, text + *len, (size_t)st->st_size - *len);
        if (got > 0)
            *len += (size_t)got;
        else if (got < 0)
            why = errno;
    }
    (void)close(fd);
    errno = why;
    return why ? NULL : text;
}

const char *
key_complaint(const char *bytes, size_t len, const char **suffix)
{
    *suffix = ".gpg";
    if (!len)
        return "it is empty";
    if (memmem(bytes, len, "-----BEGIN PGP PRIVATE KEY", 26))
        return "it is a private key, which belongs to nobody but its owner";
    if (memmem(bytes, len, "-----BEGIN PGP PUBLIC KEY BLOCK-----", 36)) {
        *suffix = ".asc";
        return memmem(bytes, len, "-----END PGP PUBLIC KEY BLOCK-----", 34) ? NULL : "it is cut short";
    }
    /* A packet that is a public key begins with tag 6, in the old form or in the new one. */
    if (((unsigned char)*bytes & 0xfc) == 0x98 || (unsigned char)*bytes == 0xc6)
        return NULL;
    return "it is no public key of OpenPGP, neither as text (-----BEGIN PGP PUBLIC KEY BLOCK-----) nor as "
           "bytes";
}

const char *
key_of(rhost_ctx *ctx, const rhost_value *v, struct key *key)
{
    const char *given = v->host->string(v, &key->len), *why;
    struct stat st;
    char *text;

    if (!given)
        return "there is none";
    key->bytes = given;
    if (*given == '/') {
        key->bytes = read_all(ctx, given, &key->len, &st);
        if (!key->bytes)
            return rhost_fmt(ctx, "cannot read '%s': %s", given, strerror(errno));
    } else if (key->len && given[key->len - 1] != '\n') {
        text = rhost_alloc(ctx, key->len + 2);
        memcpy(text, given, key->len);
        text[key->len++] = '\n';
        key->bytes = text;
    }
    why = key_complaint(key->bytes, key->len, &key->suffix);
    return why && *given == '/' ? rhost_fmt(ctx, "'%s': %s", given, why) : why;
}

const char *
key_difference(rhost_ctx *ctx, const char *path, const struct key *key)
{
    struct stat st;
    size_t len;
    char *bytes = read_all(ctx, path, &len, &st);

    if (!bytes)
        return errno == ENOENT ? rhost_fmt(ctx, "there is no '%s'", path)
                               : rhost_fmt(ctx, "cannot read '%s': %s", path, strerror(errno));
    if (len != key->len || memcmp(bytes, key->bytes, len) != 0)
        return rhost_fmt(ctx, "'%s' has another key", path);
    if ((st.st_mode & 0444) != 0444)
        return rhost_fmt(ctx, "'%s' can't be read by apt, with the mode %04o", path,
                         (unsigned)st.st_mode & 07777);
    return NULL;
}

int
key_store(rhost_ctx *ctx, const char *path, const struct key *key)
{
    const struct rhost_new_file file = {
        .struct_size = sizeof file, .path = path, .content = key->bytes, .content_len = key->len,
        .mode = 0644, .uid = -1, .gid = -1, .flags = RHOST_FILE_FOLLOW,
    };
    const char *slash = strrchr(path, '/');
    char *folder = rhost_alloc(ctx, strlen(path) + 1);
    struct stat st;

    memcpy(folder, path, (size_t)(slash - path));
    if (*folder && stat(folder, &st) < 0 && errno == ENOENT) {
        if (mkdir(folder, 0755) < 0 || chmod(folder, 0755) < 0)
            return rhost_fail_errno(ctx, "cannot make '%s'", folder);
        rhost_touched(ctx, folder);
    }
    return rhost_replace_file(ctx, &file);
}

int
key_is_armored(const char *text)
{
    return strstr(text, "-----BEGIN PGP") != NULL;
}
