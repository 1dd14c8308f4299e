/* SPDX-License-Identifier: Apache-2.0 */
/* digest - one digest of all files of a module. */
#include "config.h"

#include "manifest/module/module.h"

#include "base/error.h"
#include "base/folder.h"
#include "base/text.h"
#include "manifest/module/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <rhost/sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 10000, LARGEST = 256 << 20 };

static int
refuse(struct rh_error *err, const char *name, const char *path, const char *why)
{
    rh_autofree char *shown = rh_safe_text(path);

    return rh_error_set(err, RH_EINPUT, "'%s/%s' %s, which a module must not have", name, shown, why);
}

static bool
has_control(const char *path)
{
    for (; *path; path++)
        if ((unsigned char)*path < ' ' || *path == 0x7f)
            return true;
    return false;
}

/* The file's digest; `left` is how many bytes there may be. */
static int
digest_file(int dir, const char *name, const char *path, char hex[65], size_t *left, struct rh_error *err)
{
    rh_autoclose int fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct rhost_sha256 sum;
    char block[1 << 16];
    struct stat st;
    ssize_t n;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open '%s/%s'", name, path);
    if (!S_ISREG(st.st_mode))
        return refuse(err, name, path, "is a special file");
    rhost_sha256_init(&sum);
    while ((n = read(fd, block, sizeof block)) > 0) {
        if ((size_t)n > *left)
            return rh_error_set(err, RH_EINPUT, "'%s' has more than %d MiB", name, LARGEST >> 20);
        *left -= (size_t)n;
        rhost_sha256_add(&sum, block, (size_t)n);
    }
    if (n < 0)
        return rh_error_system(err, errno, "cannot read '%s/%s'", name, path);
    rhost_sha256_hex(&sum, hex);
    return 0;
}

int
rh_module_digest(int dir, const char *name, char digest[RH_MODULE_DIGEST], struct rh_error *err)
{
    int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rh_autofolder struct rh_folder_contents f = { 0 };
    struct rhost_sha256 sum;
    size_t left = LARGEST;
    char hex[65];

    if (own < 0)
        return rh_error_system(err, errno, "cannot read the directory '%s'", name);
    if (rh_folder_list(own, name, MOST, &f, err) < 0)
        return -1;
    rhost_sha256_init(&sum);
    for (size_t i = 0; i < f.n; i++) {
        const struct rh_folder_entry *e = &f.v[i];

        if (has_control(e->path))
            return refuse(err, name, e->path, "has a control character in its name");
        if (e->kind == RH_FOLDER_LINK)
            return refuse(err, name, e->path, "is a symbolic link");
        if (e->kind == RH_FOLDER_DIRECTORY)
            continue;
        if (digest_file(dir, name, e->path, hex, &left, err) < 0)
            return -1;
        /* Of a fixed length each, but for the name, which ends with the line. */
        rhost_sha256_add(&sum, hex, 64);
        rhost_sha256_add(&sum, e->executable ? " x " : " - ", 3);
        rhost_sha256_add(&sum, e->path, strlen(e->path));
        rhost_sha256_add(&sum, "\n", 1);
    }
    rhost_sha256_hex(&sum, hex);
    (void)snprintf(digest, RH_MODULE_DIGEST, "sha256:%s", hex);
    return 0;
}

enum rh_module_state
rh_module_compare(int modules, const char *path, const struct rh_module_pin *pin, struct rh_error *err)
{
    rh_autoclose int dir = openat(modules, pin->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    rh_autoerror struct rh_error why = { 0 };
    char digest[RH_MODULE_DIGEST];

    if (dir < 0 && errno == ENOENT)
        return RH_MODULE_MISSING;
    if (dir < 0 && (errno == ENOTDIR || errno == ELOOP))
        return RH_MODULE_DIFFERENT;
    if (dir < 0) {
        rh_error_system(err, errno, "cannot open the directory '%s'", path);
        return RH_MODULE_REFUSED;
    }
    if (rh_module_digest(dir, path, digest, &why) == 0)
        return strcmp(digest, pin->digest) == 0 ? RH_MODULE_SAME : RH_MODULE_DIFFERENT;
    rh_error_move(err, &why);
    return err->kind == RH_EINPUT ? RH_MODULE_DIFFERENT : RH_MODULE_REFUSED;
}
