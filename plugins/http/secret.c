/* SPDX-License-Identifier: Apache-2.0 */
/* secret - files that have a token or a key. */

#include "secret.h"

#include <rhost/path.h>

#include <strings.h>

static void
refuse(rhost_ctx *ctx, const char *path)
{
    switch (errno) {
    case EFBIG:
        (void)rhost_fail(ctx, "'%s' is larger than %d bytes: it is not a file with a secret", path,
                         SECRET_LARGEST);
        break;
    case EISDIR:
    case EINVAL:
        (void)rhost_fail(ctx, "'%s' is not a regular file", path);
        break;
    default:
        (void)rhost_fail_path(ctx, "cannot read '%s'", path);
    }
}

const char *
secret_read_file(rhost_ctx *ctx, const char *path, size_t *len)
{
    struct stat st;
    const char *text = rhost_path_read(ctx, path, RHOST_PATH_FOLLOW, SECRET_LARGEST, len, &st);

    if (!text) {
        refuse(ctx, path);
        return NULL;
    }
    if (st.st_uid != 0 && st.st_uid != geteuid()) {
        (void)rhost_fail(ctx, "'%s' belongs to another user: it must belong to root or to whoever runs rhost",
                         path);
        return NULL;
    }
    if (st.st_mode & (S_IWGRP | S_IWOTH)) {
        (void)rhost_fail(ctx, "others can write to '%s': run 'chmod go-w' on it", path);
        return NULL;
    }
    if (rhost_path_trusted(ctx, path) < 0) {
        (void)rhost_fail_path(ctx, "cannot use '%s'", path);
        return NULL;
    }
    if (!*len) {
        (void)rhost_fail(ctx, "'%s' is empty", path);
        return NULL;
    }
    return text;
}

const char *
secret_read_word(rhost_ctx *ctx, const char *path)
{
    size_t len, n = 0;
    const char *text = secret_read_file(ctx, path, &len);

    if (!text)
        return NULL;
    while (n < len && text[n] > ' ' && text[n] < 127)
        n++;
    if (!n || n + strspn(text + n, "\r\n") != len) {
        (void)rhost_fail(ctx, "'%s' must have one line of printable ASCII characters without blanks", path);
        return NULL;
    }
    return rhost_copy(ctx, text, n);
}

int
secret_would_be_seen(const char *url)
{
    const char *host = url + strlen("http://");
    size_t n;

    if (strncasecmp(url, "http://", strlen("http://")) != 0)
        return 0;
    n = strcspn(host, *host == '[' ? "/?#" : ":/?#");
    if (*host == '[')
        return strncmp(host, "[::1]", 5) != 0 || (n > 5 && host[5] != ':');
    if (n == strlen("localhost") && strncasecmp(host, "localhost", n) == 0)
        return 0;
    return strncmp(host, "127.", 4) != 0 || strspn(host, "0123456789.") != n;
}
