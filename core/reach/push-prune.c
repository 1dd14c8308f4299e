/* SPDX-License-Identifier: Apache-2.0 */
/* push-prune - which pushes are kept in the controller's state directory, and no longer. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "reach/push-parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 3600 };

/* "20261123T190343.123Z-4711": those names are in the order of their time. */
static bool
is_push(const char *name)
{
    return strlen(name) > 16 && strspn(name, "0123456789T.Z-") == strlen(name) && name[8] == 'T';
}

static int
newest_first(const void *a, const void *b)
{
    return strcmp(*(char *const *)b, *(char *const *)a);
}

/* Whether it may still be under way. */
static bool
is_young(int top, const char *name)
{
    struct stat st;

    return fstatat(top, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || time(NULL) - st.st_mtime < DAY;
}

static void
remove_push(int top, const char *name)
{
    rh_autoclosedir DIR *dir = NULL;
    int fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct dirent *e;

    if (fd < 0)
        return;
    dir = fdopendir(fd);
    if (!dir) {
        (void)close(fd);
        return;
    }
    while ((e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(dirfd(dir), e->d_name, 0);
    (void)unlinkat(top, name, AT_REMOVEDIR);
}

char *
rh_push_newest(const char *state_dir)
{
    rh_autofree char *folder = rh_printf("%s/push", state_dir);
    rh_autoclosedir DIR *dir = opendir(folder);
    char *newest = NULL;
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (is_push(e->d_name) && (!newest || strcmp(e->d_name, newest) > 0)) {
            free(newest);
            newest = rh_xstrdup(e->d_name);
        }
    return newest;
}

void
rh_push_prune(const char *state_dir, size_t keep)
{
    rh_autofree char *folder = rh_printf("%s/push", state_dir);
    rh_autoclosedir DIR *dir = opendir(folder);
    char **names = NULL;
    size_t n = 0, cap = 0;
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (is_push(e->d_name)) {
            names = rh_xgrow(names, &cap, n, sizeof *names);
            names[n++] = rh_xstrdup(e->d_name);
        }
    if (n)
        qsort(names, n, sizeof *names, newest_first);
    for (size_t i = 0; i < n; i++) {
        if (i >= keep && !is_young(dirfd(dir), names[i]))
            remove_push(dirfd(dir), names[i]);
        free(names[i]);
    }
    free(names);
}
