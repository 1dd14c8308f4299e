/* SPDX-License-Identifier: Apache-2.0 */
/* plugins - which plugins a kit has, and where its files come from. */
#include "config.h"

#include "kit/plugins.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "kit/archive.h"
#include "kit/contents.h"
#include "kit/make.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
rh_kit_remove(char **unpacked)
{
    if (*unpacked)
        rh_remove_tree(*unpacked);
    free(*unpacked);
    *unpacked = NULL;
}

int
rh_kit_unpack(struct rh_contents *c, const char *packages, struct rh_buf *list, char **unpacked,
              struct rh_error *err)
{
    rh_autofree char *path = realpath(packages, NULL);
    const char *base = getenv("TMPDIR");
    rh_autofree char *name =
        rh_printf("%s/rhost-kit.XXXXXX", base && *base == '/' && geteuid() != 0 ? base : "/tmp");

    if (!path)
        return rh_error_system(err, errno, "cannot read the packages in '%s'", packages);
    if (!mkdtemp(name))
        return rh_error_system(err, errno, "cannot make a directory in '/tmp'");
    *unpacked = rh_take(&name);
    c->root = open(*unpacked, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (c->root < 0 || fchdir(c->root) < 0)
        return rh_error_system(err, errno, "cannot enter '%s'", *unpacked);
    return rh_packages_unpack(path, list, err);
}

/* "package-apt.so" is asked for by "package-apt" and by its type, "package". */
static bool
is_called(const char *file, const char *word, size_t n)
{
    return strncmp(file, word, n) == 0 && (strcmp(file + n, ".so") == 0 || file[n] == '-');
}

static bool
is_chosen(const char *file, const char *list)
{
    for (const char *p = list; p && *p; p += strspn(p, ",")) {
        size_t n = strcspn(p, ",");

        if (is_called(file, p, n))
            return true;
        p += n;
    }
    return !list;
}

/* With the data types that it declares, which are in a file beside it. */
static int
add_plugin(struct rh_contents *c, const char *from, const char *described, const char *list,
           struct rh_error *err)
{
    const char *slash = strrchr(from, '/'), *file = slash ? slash + 1 : from;
    rh_autofree char *path = rh_printf("plugins/%s", file);
    size_t n = strlen(file), length = 0;
    int rc;

    if (n < 4 || strcmp(file + n - 3, ".so") != 0 || !is_chosen(file, list) || rh_contents_get(c, path))
        return 0;
    rc = rh_contents_read(c, path, from, err);
    if (rc == 1)
        return rh_error_set(err, RH_EINPUT, "the plugin '%s' is for another architecture than rhost", from);
    if (rc == 0) {
        rh_autofree char *beside = rh_printf("%.*s.types", (int)(strlen(from) - 3), from);
        rh_autofree char *in_kit = rh_printf("%.*s.types", (int)(strlen(path) - 3), path);
        rh_autofree char *text = rh_contents_text(c, beside, &length, NULL);

        rh_contents_get(c, path)->described = described;
        if (text)
            (void)rh_contents_add(c, in_kit, rh_take(&text), length, false);
    }
    return rc;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The plugins of a directory of the root. */
static int
add_directory(struct rh_contents *c, const char *directory, const char *list, struct rh_error *err)
{
    int fd = rh_contents_open(c, directory, O_RDONLY | O_DIRECTORY);
    rh_autoclosedir DIR *d = fd < 0 ? NULL : fdopendir(fd);
    char **names = NULL;
    size_t n = 0, cap = 0;
    int rc = 0;

    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        names = rh_xgrow(names, &cap, n, sizeof *names);
        names[n++] = rh_printf("%s/%s", directory, e->d_name);
    }
    if (n)
        qsort(names, n, sizeof *names, compare);
    for (size_t i = 0; i < n; i++) {
        rc = rc < 0 ? rc : add_plugin(c, names[i], NULL, list, err);
        free(names[i]);
    }
    free(names);
    return rc;
}

/* Where distributions install them. */
static int
add_installed(struct rh_contents *c, const char *list, struct rh_error *err)
{
    static const char *const parents[] = { "/usr/lib", "/usr/lib64", "/lib" };
    static const char below[] = "rhost/plugins";
    int rc = 0;

    for (size_t i = 0; i < sizeof parents / sizeof parents[0] && rc == 0; i++) {
        rh_autofree char *direct = rh_printf("%s/%s", parents[i], below);
        int fd = rh_contents_open(c, parents[i], O_RDONLY | O_DIRECTORY);
        rh_autoclosedir DIR *d = fd < 0 ? NULL : fdopendir(fd);

        rc = add_directory(c, direct, list, err);
        for (struct dirent *e; d && rc == 0 && (e = readdir(d));) {
            rh_autofree char *path = rh_printf("%s/%s/%s", parents[i], e->d_name, below);

            if (e->d_name[0] != '.')
                rc = add_directory(c, path, list, err);
        }
    }
    return rc;
}

static int
refuse_unknown(const struct rh_contents *c, const char *list, struct rh_error *err)
{
    for (const char *p = list; p && *p; p += strspn(p, ",")) {
        size_t n = strcspn(p, ","), i = 0;

        while (i < c->n && (strncmp(c->v[i].path, "plugins/", 8) != 0 || !is_called(c->v[i].path + 8, p, n)))
            i++;
        if (i == c->n)
            return rh_error_set(err, RH_EINPUT,
                                "unknown plugin '%.*s': it is not installed, or not in the packages", (int)n,
                                p);
        p += n;
    }
    return 0;
}

int
rh_kit_add_plugins(struct rh_contents *c, const struct rh_kit_request *r, struct rh_error *err)
{
    if (r->packages && add_installed(c, r->plugins, err) < 0)
        return -1;
    for (size_t i = 0; i + 1 < r->n_files; i += 2)
        if (add_plugin(c, r->files[i], r->files[i + 1], r->plugins, err) < 0)
            return -1;
    return refuse_unknown(c, r->plugins, err);
}

void
rh_kit_plugins_json(struct rh_buf *b, struct rh_contents *c)
{
    bool any = false;

    rh_contents_sort(c);
    for (size_t i = 0; i < c->n; i++) {
        if (strncmp(c->v[i].path, "plugins/", 8) != 0 || !c->v[i].elf.arch)
            continue;
        rh_buf_add(b, any ? ",\n" : "\n");
        any = true;
        if (c->v[i].described && *c->v[i].described) {
            rh_buf_add(b, c->v[i].described);
            continue;
        }
        rh_buf_addc(b, '{');
        rh_json_text(b, "file", c->v[i].path + 8);
        rh_buf_addc(b, '}');
    }
}
