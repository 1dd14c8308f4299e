/* SPDX-License-Identifier: Apache-2.0 */
/* mounts - what is mounted in a directory, as the kernel lists it. */

#include "mounts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST "/proc/self/mountinfo"

/* The number of the mount that `fd` is in; -1 when it cannot be read. */
static int64_t
mount_of(int fd)
{
    char path[64], line[128];
    int64_t id = -1;
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    f = fopen(path, "re");
    while (f && id < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, "mnt_id:", 7) == 0)
            id = strtoll(line + 7, NULL, 10);
    if (f)
        (void)fclose(f);
    return id;
}

/* proc_pid_mountinfo(5): a blank, a tab, a newline and a backslash are written as octal numbers. */
static void
unescape(char *s)
{
    char *to = s;

    for (; *s; s++) {
        if (*s == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0'
            && s[3] <= '7') {
            *to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
            s += 3;
        } else {
            *to++ = *s;
        }
    }
    *to = '\0';
}

/* Where a line of the list mounts something in the directory `top` of mount `id`, or at it; or NULL. Mounts
 * further below are in one of those; a mount that another one hides has another parent. */
static const char *
point_within(char *line, int64_t id, const char *top)
{
    size_t len = strlen(top);
    char *words[5], *rest = line;
    int is_below, is_top;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!(words[i] = strsep(&rest, " ")))
            return NULL;
    unescape(words[4]);
    is_top = strcmp(words[4], top) == 0;
    is_below = is_top || (strncmp(words[4], top, len) == 0 && words[4][len] == '/');
    return (is_below && strtoll(words[1], NULL, 10) == id) || (is_top && strtoll(words[0], NULL, 10) == id)
               ? words[4]
               : NULL;
}

int32_t
mounts_find(rhost_ctx *ctx, int fd, char *where, size_t size)
{
    char link[64], top[PATH_MAX];
    int64_t id = mount_of(fd);
    const char *point = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    FILE *f;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    len = id < 0 ? -1 : readlink(link, top, sizeof top);
    if (len < 0 || (size_t)len >= sizeof top)
        return rhost_fail(ctx, "cannot check what is mounted in a home directory: '/proc' is not readable");
    top[len] = '\0';
    f = fopen(LIST, "re");
    if (!f)
        return rhost_fail_errno(ctx, "cannot read '" LIST "'");
    while (!point && (errno = 0, getline(&line, &room, f)) >= 0)
        point = point_within(line, id, top);
    if (point)
        snprintf(where, size, "%s", point);
    len = point ? 1 : ferror(f) || errno ? rhost_fail_errno(ctx, "cannot read '" LIST "'") : 0;
    (void)fclose(f);
    free(line);
    return (int32_t)len;
}
