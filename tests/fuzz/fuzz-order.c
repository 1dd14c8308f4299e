/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-order - which of the files of sysctl.d(5) counts: names and contents are of the input, and so is who
 * boots this machine. */
#include "plugin-input.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 8 };

/* Each folder has the same names; all files have the same content but for one, which has none. */
static struct {
    char name[MOST][256];
    size_t n, next;
    const char *content;
    size_t content_len;
    int systemd;
    struct dirent entry;
} disk;

static struct dirent *
next_name(void)
{
    if (disk.next == disk.n)
        return NULL;
    memcpy(disk.entry.d_name, disk.name[disk.next++], sizeof disk.entry.d_name);
    return &disk.entry;
}

static int
look(const char *path, struct stat *st)
{
    st->st_mode = strstr(path, "null") ? S_IFCHR : S_IFREG;
    return 0;
}

#define opendir(path) (disk.next = 0, (DIR *)(void *)&disk)
#define readdir(dir) next_name()
#define closedir(dir) 0
#define access(path, how) (disk.systemd - 1)
#define stat(path, st) look(path, st)
#define rhost_lines_read(ctx, path) rhost_lines_from(disk.content, disk.content_len)
#include "../../plugins/sysctl/order.c"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    const char *target, *key, *value, *by, *other = NULL;
    int failed = 0;

    rhost_fake_init(&fake);
    target = input_line(&fake.ctx, &in);
    key = input_line(&fake.ctx, &in);
    value = input_line(&fake.ctx, &in);
    disk.systemd = in.n & 1;
    for (disk.n = 0; disk.n < MOST && in.n; disk.n++) {
        const char *name = input_line(&fake.ctx, &in);

        if (!*name)
            break;
        snprintf(disk.name[disk.n], sizeof disk.name[0], "%s", name);
    }
    disk.content = in.n ? in.at : "";
    disk.content_len = in.n;
    by = order_overridden(&fake.ctx, target, key, value, &other, &failed);
    must(!by || (other && strcmp(other, value) != 0), "what overrides has another value");
    must(!by || strcmp(by, target) != 0, "no file overrides itself");
    disk.content = "";
    disk.content_len = 0;
    must(!order_overridden(&fake.ctx, target, key, value, &other, &failed), "empty files override nothing");
    rhost_fake_clear(&fake);
    return 0;
}
