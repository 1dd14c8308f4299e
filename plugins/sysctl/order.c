/* SPDX-License-Identifier: Apache-2.0 */
/* order - which of the files of sysctl.d(5) counts at boot.
 *
 * systemd-sysctl and sysctl(8) read the files of all folders in the order of their names, and of two with one
 * name that of the earlier folder alone. /etc/sysctl.conf is read by sysctl(8) at the end, and by
 * systemd-sysctl where a link in sysctl.d leads to it: on Debian that is 99-sysctl.conf. What comes last
 * wins. Patterns never win over a key that is written out. */

#include "order.h"

#include "entry.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST "/etc/sysctl.conf"
#define LINK_TO_LAST "99-sysctl.conf"

static const char *const folders[] = { "/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
                                       "/usr/lib/sysctl.d", "/lib/sysctl.d" };
enum { FOLDERS = sizeof folders / sizeof folders[0] };

struct files {
    const char **path;
    size_t n, room;
};

static const char *
base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void
add(rhost_ctx *ctx, struct files *files, const char *path)
{
    if (files->n == files->room) {
        const char **more;

        files->room = files->room ? 2 * files->room : 16;
        more = rhost_alloc(ctx, files->room * sizeof *more);
        if (files->n)
            memcpy(more, files->path, files->n * sizeof *more);
        files->path = more;
    }
    files->path[files->n++] = path;
}

static int
is_hidden(const struct files *files, const char *name)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(base_of(files->path[i]), name) == 0)
            return 1;
    return 0;
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(base_of(*(const char *const *)a), base_of(*(const char *const *)b));
}

/* Whether it is read at boot, and after which name. */
static int
place_of(const char *target, const char **name)
{
    size_t len = (size_t)(base_of(target) - target), end = strlen(target);

    *name = base_of(target);
    if (strcmp(target, LAST) == 0) {
        *name = access("/etc/sysctl.d/" LINK_TO_LAST, F_OK) == 0 ? LINK_TO_LAST : NULL;
        return 1;
    }
    for (size_t i = 0; i < FOLDERS; i++)
        if (len == strlen(folders[i]) + 1 && strncmp(target, folders[i], len - 1) == 0)
            return end > 5 && strcmp(target + end - 5, ".conf") == 0;
    return 0;
}

/* The files that are read after that name. */
static struct files
later(rhost_ctx *ctx, const char *after)
{
    struct files files = { 0 };
    struct dirent *entry;

    for (size_t i = 0; after && i < FOLDERS; i++) {
        DIR *dir = opendir(folders[i]);

        while (dir && (entry = readdir(dir))) {
            size_t len = strlen(entry->d_name);

            if (len > 5 && strcmp(entry->d_name + len - 5, ".conf") == 0 && strcmp(entry->d_name, after) > 0
                && !is_hidden(&files, entry->d_name))
                add(ctx, &files, rhost_fmt(ctx, "%s/%s", folders[i], entry->d_name));
        }
        if (dir)
            (void)closedir(dir);
    }
    if (files.n)
        qsort(files.path, files.n, sizeof *files.path, by_name);
    if (after && access("/run/systemd/system", F_OK) < 0)
        add(ctx, &files, LAST); /* sysctl(8) boots this machine */
    return files;
}

/* What the file gives the key; NULL: nothing. */
static const char *
value_in(rhost_ctx *ctx, const char *path, const char *key, int *failed)
{
    struct rhost_lines *l;
    struct stat st;
    const char *value;

    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* such as a link to /dev/null */
        return NULL;
    l = rhost_lines_read(ctx, path);
    if (!l) {
        *failed = rhost_lines_fail(ctx, path) < 0;
        return NULL;
    }
    value = entry_value(ctx, l, key);
    rhost_lines_free(l);
    return value;
}

const char *
order_overridden(rhost_ctx *ctx, const char *target, const char *key, const char *value, const char **other,
                 int *failed)
{
    const char *name, *now, *by = NULL, *last = value;
    struct files files;

    *failed = 0;
    if (!place_of(target, &name))
        return NULL;
    files = later(ctx, name);
    for (size_t i = 0; i < files.n; i++) {
        now = strcmp(files.path[i], target) == 0 ? NULL : value_in(ctx, files.path[i], key, failed);
        if (*failed)
            return NULL;
        if (!now)
            continue;
        last = now;
        by = files.path[i];
    }
    *other = last;
    return strcmp(last, value) == 0 ? NULL : by;
}
