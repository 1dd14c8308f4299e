/* SPDX-License-Identifier: Apache-2.0 */
/* key - the key that a repository is signed with, as it is given and as it is stored. */

#include "key.h"

#include <rhost/path.h>

enum { LARGEST = 4 << 20 };

static const char *
cannot_read(rhost_ctx *ctx, const char *path)
{
    const char *unsafe = rhost_path_unsafe(ctx);

    return rhost_fmt(ctx, "cannot read '%s': %s", path, unsafe ? unsafe : strerror(errno));
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
    return "it is not a public key of OpenPGP, neither as text (-----BEGIN PGP PUBLIC KEY BLOCK-----) nor as "
           "bytes";
}

const char *
key_of(rhost_ctx *ctx, const rhost_value *v, struct key *key)
{
    const char *value = v->host->string(v, &key->len), *why;
    char *text;

    if (!value)
        return "it is missing";
    key->bytes = value;
    if (*value == '/') {
        key->bytes = rhost_path_read(ctx, value, RHOST_PATH_FOLLOW, LARGEST, &key->len, NULL);
        if (!key->bytes)
            return cannot_read(ctx, value);
    } else if (key->len && value[key->len - 1] != '\n') {
        text = rhost_alloc(ctx, key->len + 2);
        memcpy(text, value, key->len);
        text[key->len++] = '\n';
        key->bytes = text;
    }
    why = key_complaint(key->bytes, key->len, &key->suffix);
    return why && *value == '/' ? rhost_fmt(ctx, "'%s': %s", value, why) : why;
}

const char *
key_difference(rhost_ctx *ctx, const char *path, const struct key *key)
{
    struct stat st;
    size_t len;
    char *bytes = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, LARGEST, &len, &st);

    if (!bytes)
        return errno == ENOENT ? rhost_fmt(ctx, "'%s' does not exist", path) : cannot_read(ctx, path);
    if (len != key->len || memcmp(bytes, key->bytes, len) != 0)
        return rhost_fmt(ctx, "'%s' has another key", path);
    if ((st.st_mode & 0444) != 0444)
        return rhost_fmt(ctx, "'%s' cannot be read by apt, with the mode %04o", path,
                         (unsigned)st.st_mode & 07777);
    return NULL;
}

int
key_store(rhost_ctx *ctx, const char *path, const struct key *key)
{
    const struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = path,
        .content = key->bytes,
        .content_len = key->len,
        .mode = 0644,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_FOLLOW,
    };
    const char *slash = strrchr(path, '/');
    char *folder = rhost_alloc(ctx, strlen(path) + 1);
    int made;

    memcpy(folder, path, (size_t)(slash - path));
    made = *folder ? rhost_path_make_directory(ctx, folder, 0755) : 0;
    if (made < 0)
        return rhost_fail_path(ctx, "cannot create '%s'", folder);
    if (made)
        rhost_touched(ctx, folder);
    return rhost_replace_file(ctx, &file);
}

int
key_is_armored(const char *text)
{
    return strstr(text, "-----BEGIN PGP") != NULL;
}
