/* SPDX-License-Identifier: Apache-2.0 */
/* root - which files a manifest may read.
 *
 * Paths are put together as text, so that a message names the file as a person would; that the text
 * tells the truth about symbolic links is seen to by the system when the file is opened
 * (RESOLVE_BENEATH, or where the kernel lacks it, without following any). */
#include "config.h"

#include "manifest/load/root.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/text.h"
#include "base/trust.h"
#include "manifest/load/below.h"
#include "manifest/module/module.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct rh_root {
    char *folder; /* as it stands before the names of files: "", "./", "site/", "/" */
    struct rh_modules *modules;
};

void
rh_roots_clear(struct rh_roots *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->v[i]->folder);
        rh_modules_free(r->v[i]->modules);
        free(r->v[i]);
    }
    free(r->v);
    free(r->roots);
    *r = (struct rh_roots){ 0 };
}

static struct rh_root *
root_of(const struct rh_roots *r, unsigned file)
{
    return file < r->n_roots ? r->roots[file] : NULL;
}

static void
set_root(struct rh_roots *r, unsigned file, struct rh_root *root)
{
    while (r->n_roots <= file) {
        r->roots = rh_xgrow(r->roots, &r->cap_roots, r->n_roots, sizeof(struct rh_root *));
        r->roots[r->n_roots++] = NULL;
    }
    r->roots[file] = root;
}

/* The bytes of a path up to its last '/', and with it. */
static size_t
folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

static const char *
name_of(const struct rh_roots *r, unsigned file)
{
    const char *name = rh_sources_name(r->sources, file);

    return name ? name : "";
}

void
rh_roots_add(struct rh_roots *r, unsigned file)
{
    const char *name = name_of(r, file);
    size_t n = folder_length(name);

    for (size_t i = 0; i < r->n; i++)
        if (strlen(r->v[i]->folder) == n && strncmp(r->v[i]->folder, name, n) == 0) {
            set_root(r, file, r->v[i]);
            return;
        }
    r->v = rh_xgrow(r->v, &r->cap, r->n, sizeof(struct rh_root *));
    r->v[r->n] = rh_xalloc(sizeof **r->v);
    *r->v[r->n] = (struct rh_root){ .folder = rh_xstrndup(name, n) };
    r->v[r->n]->modules = rh_modules_new(r->v[r->n]->folder);
    set_root(r, file, r->v[r->n++]);
}

void
rh_roots_inherit(struct rh_roots *r, unsigned file, unsigned from)
{
    set_root(r, file, root_of(r, from));
}

/* What is behind the folder of a name below it; NULL when the name is elsewhere. */
static const char *
below(const char *folder, const char *name)
{
    size_t n = strlen(folder);

    if (strncmp(folder, name, n) != 0)
        return NULL;
    return !n && *name == '/' ? NULL : name + n;
}

/* An absolute path that leads to the folder by another name: "/srv/site/x" for "../site/x". */
static const char *
below_really(const char *folder, const char *path)
{
    rh_autofree char *real = realpath(*folder ? folder : ".", NULL);
    size_t n = real ? strlen(real) : 0;

    if (!n || strncmp(real, path, n) != 0)
        return NULL;
    return real[n - 1] == '/' ? path + n : path[n] == '/' ? path + n + 1 : NULL;
}

/* "a/./b/../c" is "a/c". What leads up stays in front. */
static char *
tidy(const char *path)
{
    rh_autobuf struct rh_buf out = { 0 };
    size_t kept = 0; /* what no ".." takes away */

    if (*path == '/') {
        rh_buf_add(&out, "/");
        kept = 1;
    }
    while (*path) {
        size_t n = strcspn(path, "/");

        if (n == 2 && path[0] == '.' && path[1] == '.') {
            if (out.n > kept) {
                size_t at = out.n - 1; /* at the '/' that ends the last part */

                while (at > kept && out.s[at - 1] != '/')
                    at--;
                rh_buf_truncate(&out, at);
            } else if (!kept || out.s[0] != '/') {
                rh_buf_add(&out, "../");
                kept = out.n;
            }
        } else if (n && !(n == 1 && *path == '.')) {
            rh_buf_addn(&out, path, n);
            rh_buf_addc(&out, '/');
        }
        path += n + (path[n] == '/');
    }
    if (out.n > 1 && out.s[out.n - 1] == '/')
        rh_buf_truncate(&out, out.n - 1);
    return out.s ? rh_buf_take(&out) : rh_xstrdup("");
}

static int
refuse_outside(const char *path, const char *folder, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT,
                        "'%s' is outside of the manifest's directory%s%s%s; --allow-outside allows it", path,
                        *folder ? " '" : "", folder, *folder ? "'" : "");
}

static bool
leads_up(const char *path)
{
    return path[0] == '.' && path[1] == '.' && (path[2] == '/' || !path[2]);
}

char *
rh_roots_name(const struct rh_roots *r, const char *path, unsigned from, struct rh_error *err)
{
    const struct rh_root *root = root_of(r, from);
    const char *folder = root ? root->folder : "", *name = name_of(r, from), *part;
    rh_autofree char *whole = NULL, *rest = NULL;

    if (!*path) {
        (void)rh_error_set(err, RH_EINPUT, "the name of a file is empty");
        return NULL;
    }
    if (*path == '/') {
        part = *folder == '/' ? below(folder, path) : NULL;
        if (!part)
            part = below_really(folder, path);
        whole = rh_xstrdup(part ? part : path);
    } else {
        part = below(folder, name);
        whole = rh_printf("%.*s%s", (int)folder_length(part ? part : name), part ? part : name, path);
    }
    rest = tidy(whole);
    if (*rest != '/' && !leads_up(rest))
        return rh_printf("%s%s", folder, rest);
    if (!r->outside) {
        (void)refuse_outside(path, folder, err);
        return NULL;
    }
    return *rest == '/' ? rh_take(&rest) : rh_printf("%s%s", folder, rest);
}

static int
refuse_kind(const char *name, const struct stat *st, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT, "'%s' is %s, not a regular file", name,
                        S_ISDIR(st->st_mode) ? "a directory" : "a special file");
}

/* Wherever it is. What is no file is not even opened, which may wait, or do something. */
static int
open_anywhere(const char *name, struct stat *st, struct rh_error *err)
{
    int fd;

    if (stat(name, st) < 0) {
        rh_error_system(err, errno, "cannot open '%s'", name);
        return -1;
    }
    if (!S_ISREG(st->st_mode))
        return refuse_kind(name, st, err);
    fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode))
        return fd;
    rh_error_system(err, fd < 0 ? errno : EINVAL, "cannot open '%s'", name);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

int
rh_roots_guard(const struct rh_roots *r, const char *name, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct stat st;

    if (!r->guarded || strcmp(name, "-") == 0 || rh_trust_path(name, RH_TRUST_CALLER, &why) == 0)
        return 0;
    if (stat(name, &st) < 0)
        return rh_error_system(err, errno, "cannot open '%s'", name);
    return rh_error_set(err, RH_EINPUT, "%s; use --allow-unsafe-files to apply it as root", why.message);
}

char *
rh_roots_read_secret(const char *path, size_t limit, size_t *n, struct rh_error *err)
{
    struct stat st;
    rh_autoclose int fd = open_anywhere(path, &st, err);

    if (fd < 0)
        return NULL;
    if (st.st_mode & (S_IWGRP | S_IWOTH)) {
        (void)rh_error_set(err, RH_EINPUT, "cannot use '%s' as a secret: group or others can write to it",
                           path);
        return NULL;
    }
    if (st.st_uid != 0 && st.st_uid != geteuid()) {
        (void)rh_error_set(err, RH_EINPUT, "cannot use '%s' as a secret: another user owns it", path);
        return NULL;
    }
    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER, err) < 0)
        return NULL;
    return rh_read_descriptor(fd, path, limit, n, err);
}

struct rh_modules *
rh_roots_modules(const struct rh_roots *r, unsigned file)
{
    struct rh_root *root = root_of(r, file);

    return root ? root->modules : NULL;
}

/* What is below the root may be in a module. */
static int
guard(const struct rh_roots *r, const char *name, unsigned from, struct rh_error *err)
{
    const struct rh_root *root = root_of(r, from);
    const char *part = root ? below(root->folder, name) : NULL;

    if (rh_roots_guard(r, *name ? name : ".", err) < 0)
        return -1;
    return part ? rh_modules_guard(root->modules, part, err) : 0;
}

/* Opens what is below the root, of whatever kind. */
static int
open_inside(const struct rh_roots *r, const char *name, unsigned from, struct rh_error *err)
{
    const struct rh_root *root = root_of(r, from);
    const char *folder = root ? root->folder : "", *part = below(folder, name);
    rh_autoclose int at = -1;
    int fd;

    if (!part || leads_up(part))
        return refuse_outside(name, folder, err);
    at = open(*folder ? folder : ".", O_PATH | O_CLOEXEC);
    fd = at < 0 ? -1 : rh_load_open_below(at, *part ? part : ".");
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
        return rh_error_set(err, RH_EINPUT,
                            "'%s' is a symbolic link, or below one, that leads out of the manifest's "
                            "directory; --allow-outside allows it",
                            name);
    if (fd < 0)
        rh_error_system(err, errno, "cannot open '%s'", name);
    return fd;
}

/* Opens a regular file below the root, or anywhere where that is allowed. */
static int
open_file(const struct rh_roots *r, const char *name, unsigned from, struct rh_error *err)
{
    struct stat st;
    int fd;

    if (guard(r, name, from, err) < 0)
        return -1;
    if (r->outside)
        return open_anywhere(name, &st, err);
    fd = open_inside(r, name, from, err);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    (void)refuse_kind(name, &st, err);
    (void)close(fd);
    return -1;
}

int
rh_roots_open_directory(const struct rh_roots *r, const char *path, unsigned from, char **name,
                        struct rh_error *err)
{
    struct stat st;
    int fd;

    *name = rh_roots_name(r, path, from, err);
    if (!*name || guard(r, *name, from, err) < 0)
        return -1;
    if (r->outside) {
        fd = open(**name ? *name : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? rh_error_system(err, errno, "cannot open the directory '%s'", *name) : fd;
    }
    fd = open_inside(r, *name, from, err);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)))
        return fd;
    (void)close(fd);
    return rh_error_set(err, RH_EINPUT, "'%s' is not a directory", *name);
}

char *
rh_roots_read(const struct rh_roots *r, const char *name, unsigned from, size_t limit, size_t *n,
              struct rh_error *err)
{
    rh_autoclose int fd = open_file(r, name, from, err);

    return fd < 0 ? NULL : rh_read_descriptor(fd, name, limit, n, err);
}

char *
rh_roots_locate(const struct rh_roots *r, const char *path, unsigned from, struct rh_error *err)
{
    rh_autofree char *name = rh_roots_name(r, path, from, err), *folder = NULL, *real = NULL;
    rh_autoclose int fd = name ? open_file(r, name, from, err) : -1;
    const char *slash;

    if (fd < 0)
        return NULL;
    if (*name == '/')
        return rh_take(&name);
    /* The directory alone: what the file's own name is a link to may change later. */
    slash = strrchr(name, '/');
    folder = slash ? rh_xstrndup(name, (size_t)(slash - name) + 1) : rh_xstrdup(".");
    real = realpath(folder, NULL);
    if (!real) {
        rh_error_system(err, errno, "cannot open '%s'", name);
        return NULL;
    }
    return rh_printf("%s/%s", strcmp(real, "/") == 0 ? "" : real, slash ? slash + 1 : name);
}
