/* SPDX-License-Identifier: Apache-2.0 */
/* order - which of the files of sysctl.d(5) counts at boot.
 *
 * systemd-sysctl and sysctl(8) read the files of all folders as drop-in.h says. /etc/sysctl.conf is read by
 * sysctl(8) at the end, and by systemd-sysctl where a link in sysctl.d leads to it: on Debian that is
 * 99-sysctl.conf. What comes last wins. Patterns never win over a key that is written out. */

#include "order.h"

#include "drop-in.h"
#include "entry.h"

#include <sys/stat.h>
#include <unistd.h>

#define LAST "/etc/sysctl.conf"
#define LINK_TO_LAST "99-sysctl.conf"

static const char *const folders[] = { "/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
                                       "/usr/lib/sysctl.d", "/lib/sysctl.d" };
enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* Whether it is read at boot, and after which name. */
static int
place_of(const char *target, const char **name)
{
    size_t end = strlen(target);

    *name = drop_in_name(target);
    if (strcmp(target, LAST) == 0) {
        *name = access("/etc/sysctl.d/" LINK_TO_LAST, F_OK) == 0 ? LINK_TO_LAST : NULL;
        return 1;
    }
    return drop_in_is_in(target, folders, FOLDERS) && end > 5 && strcmp(target + end - 5, ".conf") == 0;
}

/* The files that are read after that name. -1 after the reason was given. */
static int
find_later(rhost_ctx *ctx, const char *after, struct drop_ins *later)
{
    struct drop_ins all = { 0 };

    *later = (struct drop_ins){ 0 };
    if (after && drop_ins_find(ctx, folders, FOLDERS, &all) < 0)
        return -1;
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(drop_in_name(all.path[i]), after) > 0)
            drop_ins_add(ctx, later, all.path[i]);
    if (after && access("/run/systemd/system", F_OK) < 0)
        drop_ins_add(ctx, later, LAST); /* sysctl(8) boots this machine */
    return 0;
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
    struct drop_ins files;

    *failed = 0;
    if (!place_of(target, &name))
        return NULL;
    if (find_later(ctx, name, &files) < 0) {
        *failed = 1;
        return NULL;
    }
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
