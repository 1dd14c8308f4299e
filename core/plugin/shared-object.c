/* SPDX-License-Identifier: Apache-2.0 */
/* shared-object - a shared object into this process, by libltdl. */
#include "config.h"

#include "plugin/load.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <ltdl.h>
#include <rhost/abi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
is_link(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static bool
others_can_write(const struct stat *st)
{
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return true;
    return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid != 0);
}

static int
check_owner(const struct stat *st, struct rh_error *err)
{
    if (others_can_write(st))
        return rh_error_set(err, RH_ESYSTEM, "users other than root can write to it (mode %04o, owner %u)",
                            (unsigned)(st->st_mode & 07777), (unsigned)st->st_uid);
    return 0;
}

/* As root: whether nobody else can change it, or put another in its place. Folders may change while
 * the file does not, so a refusal is of the system's kind. */
static int
check_owners(const char *path, struct rh_error *err)
{
    rh_autofree char *folder = rh_xstrdup(path);
    char *slash = strrchr(folder, '/');
    struct stat st;

    if (stat(path, &st) < 0)
        return rh_error_system(err, errno, "cannot stat it");
    if (check_owner(&st, err) < 0)
        return -1;
    slash[slash == folder] = '\0';
    if (stat(folder, &st) < 0)
        return rh_error_system(err, errno, "cannot stat its directory '%s'", folder);
    if (others_can_write(&st))
        return rh_error_set(err, RH_ESYSTEM,
                            "users other than root can write to its directory '%s' (mode %04o, owner %u)",
                            folder, (unsigned)(st.st_mode & 07777), (unsigned)st.st_uid);
    /* Whoever can rename a folder above can put another in its place. */
    while (folder[1] && (slash = strrchr(folder, '/'))) {
        slash[slash == folder] = '\0';
        if (stat(folder, &st) < 0)
            return rh_error_system(err, errno, "cannot stat the parent directory '%s'", folder);
        if (others_can_write(&st) && !(st.st_mode & S_ISVTX && st.st_uid == 0))
            return rh_error_set(
                err, RH_ESYSTEM,
                "users other than root can write to the parent directory '%s' (mode %04o, owner %u)", folder,
                (unsigned)(st.st_mode & 07777), (unsigned)st.st_uid);
    }
    return 0;
}

int
rh_plugin_check_file(const char *path, struct rh_error *err)
{
    char real[PATH_MAX];
    struct stat st;

    if (path[0] != '/')
        return rh_error_set(err, RH_EINPUT, "its path '%s' is not absolute", path);
    if (stat(path, &st) < 0)
        return rh_error_system(err, errno, "cannot stat it");
    if (!S_ISREG(st.st_mode))
        return rh_error_set(err, RH_EINPUT, "it is not a regular file");
    if (geteuid() != 0)
        return 0;
    if (check_owners(path, err) < 0)
        return -1;
    /* What links on the way lead to stands in other folders. */
    if (!realpath(path, real))
        return rh_error_system(err, errno, "cannot resolve its path");
    return strcmp(real, path) == 0 ? 0 : check_owners(real, err);
}

int
rh_plugin_check_neighbour(const char *path, struct rh_error *err)
{
    struct stat st;

    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || geteuid() != 0)
        return rh_plugin_check_file(path, err);
    return check_owner(&st, err);
}

int
rh_plugin_check_folder(const char *folder, struct rh_error *err)
{
    rh_autofree char *top = rh_xstrdup(folder);
    FTS *tree = geteuid() != 0 ? NULL : fts_open((char *[]){ top, NULL }, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    char real[PATH_MAX];
    const FTSENT *e;
    int rc = 0;

    if (geteuid() != 0)
        return 0;
    while (tree && rc == 0 && (e = fts_read(tree))) {
        if (e->fts_info == FTS_DP || e->fts_info == FTS_DC || e->fts_info == FTS_SLNONE)
            continue;
        if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
            rc = rh_error_system(err, e->fts_errno, "cannot read '%s' in its directory", e->fts_path);
        else if (!S_ISREG(e->fts_statp->st_mode) && !S_ISDIR(e->fts_statp->st_mode))
            continue; /* nobody loads /dev/null */
        else if (others_can_write(e->fts_statp))
            rc = rh_error_set(
                err, RH_ESYSTEM,
                "users other than root can write to '%s' in its directory (mode %04o, owner %u)", e->fts_path,
                (unsigned)(e->fts_statp->st_mode & 07777), (unsigned)e->fts_statp->st_uid);
        else if (is_link(e->fts_path) && realpath(e->fts_path, real))
            rc = check_owners(real, err);
    }
    if (!tree || (rc == 0 && errno))
        rc = rh_error_system(err, errno, "cannot read its directory '%s'", folder);
    if (tree)
        (void)fts_close(tree);
    return rc;
}

/* What is no shared object today is none tomorrow, unlike one that misses a library. */
static int
check_magic(const char *path, struct rh_error *err)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    char magic[4];
    ssize_t got = 1;
    size_t n = 0;

    if (fd < 0)
        return rh_error_system(err, errno, "cannot open it");
    while (n < sizeof magic && got != 0) { /* a short read says nothing of the file */
        got = read(fd, magic + n, sizeof magic - n);
        if (got < 0 && errno != EINTR)
            return rh_error_system(err, errno, "cannot read it");
        n += got > 0 ? (size_t)got : 0;
    }
    if (n != sizeof magic || memcmp(magic, "\177ELF", sizeof magic) != 0)
        return rh_error_set(err, RH_EINPUT, "it cannot be loaded: it is not a shared object");
    return 0;
}

const struct rhost_plugin *
rh_shared_object_load(const char *path, struct rh_error *err)
{
    static bool ready;
    const struct rhost_plugin *plugin;
    rhost_plugin_fn *entry;
    lt_dladvise advice;
    lt_dlhandle handle;

    if (rh_plugin_check_file(path, err) < 0 || check_magic(path, err) < 0)
        return NULL;
    if (!ready && lt_dlinit() != 0) {
        rh_error_set(err, RH_ESYSTEM, "cannot start libltdl: %s", lt_dlerror());
        return NULL;
    }
    ready = true;
    /* libltdl binds lazily, and what is missing would be found out in the middle of a change. So it is
     * bound whole first; it stays loaded in any case. */
    if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        const char *why = dlerror();

        rh_error_set(err, RH_ESYSTEM, "it cannot be loaded: %s", why ? why : "no reason given");
        return NULL;
    }
    if (lt_dladvise_init(&advice) != 0 || lt_dladvise_local(&advice) != 0
        || lt_dladvise_resident(&advice) != 0) {
        rh_error_set(err, RH_ESYSTEM, "cannot prepare loading: %s", lt_dlerror());
        return NULL;
    }
    handle = lt_dlopenadvise(path, advice);
    (void)lt_dladvise_destroy(&advice);
    if (!handle) {
        const char *why = lt_dlerror();

        /* Of the system's kind: a library that it needs may come. */
        rh_error_set(err, RH_ESYSTEM, "it cannot be loaded: %s", why ? why : "no reason given");
        return NULL;
    }
    *(void **)&entry = lt_dlsym(handle, RHOST_PLUGIN_SYMBOL);
    if (!entry) {
        rh_error_set(err, RH_EINPUT, "it is not a plugin: missing symbol %s", RHOST_PLUGIN_SYMBOL);
        (void)lt_dlclose(handle);
        return NULL;
    }
    plugin = entry();
    if (!plugin)
        rh_error_set(err, RH_ESYSTEM, "its entry function returned NULL");
    return plugin;
}
