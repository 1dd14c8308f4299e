/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-packages - the status file of dpkg, and what rpm prints. */
#include "plugin-input.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct input status;

static int
fuzz_open(const char *path, int flags)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    (void)path;
    (void)flags;
    if (fd < 0 || (status.n && write(fd, status.at, status.n) != (ssize_t)status.n)
        || lseek(fd, 0, SEEK_SET) < 0)
        abort();
    return fd;
}

/* There is nothing in it that has a name of dpkg's. */
static DIR *
fuzz_opendir(const char *path)
{
    static char empty[] = "/dev/shm/fuzz-packages.XXXXXX";
    DIR *d;

    (void)path;
    if (strchr(empty, 'X') && !mkdtemp(empty))
        abort();
    d = opendir(empty);
    return d;
}

#define open fuzz_open
#define opendir fuzz_opendir
#include "../../plugins/package/status.c"
#undef open
#undef opendir

#include "../../plugins/package/rpms.h"
#include "../../plugins/package/version.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct debs debs = { 0 };
    struct rpms rpms = { 0 };
    const char *name, *pattern;

    rhost_fake_init(&fake);
    name = input_line(&fake.ctx, &in);
    pattern = input_line(&fake.ctx, &in);
    status = in;
    debs.native = "amd64";
    if (status_read(&fake.ctx, &debs)) {
        (void)deb_find(&debs, name);
        (void)deb_foreign(&fake.ctx, &debs, name);
        for (size_t i = 0; i < debs.n; i++) {
            (void)deb_title(&fake.ctx, &debs, &debs.at[i]);
            (void)deb_is_there(&debs.at[i]);
            (void)version_fits(pattern, debs.at[i].version);
        }
    }
    rpms_parse(&fake.ctx, input_rest(&fake.ctx, &in), &rpms);
    (void)rpms_find(&rpms, name);
    (void)rpms_have(&rpms, name, pattern);
    rhost_fake_clear(&fake);
    return 0;
}
