/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-mountinfo - the kernel's table of mounts, and what is asked of it. Users may have mounts of their own
 * in it. */
#include "plugin-input.h"

/* Nothing of this machine is looked at. */
#define rhost_path_open(ctx, path, flags, how, mode) (errno = ENOENT, -1)
#include "../../plugins/mount/mounts.c"
#undef rhost_path_open

static void
ask(rhost_ctx *ctx, struct libmnt_table *table, const char *path, const char *device)
{
    struct options wanted = options_split(ctx, "bind,ro");
    struct libmnt_fs *fs = find(table, path);

    (void)mounts_check_path(ctx, table, path);
    if (!fs)
        return;
    (void)shows(ctx, table, fs, device);
    (void)mounts_is_real(fs);
    (void)mounts_is_in_memory(fs);
    (void)mounts_is(ctx, table, fs, device, "bind", &wanted);
    (void)mounts_options(ctx, fs);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct libmnt_table *table = mnt_new_table();
    struct rhost_fake fake;
    const char *path, *device;
    FILE *f;

    rhost_fake_init(&fake);
    path = fstab_tidy_path(&fake.ctx, input_line(&fake.ctx, &in));
    device = input_line(&fake.ctx, &in);
    f = in.n ? fmemopen((void *)(uintptr_t)in.at, in.n, "r") : NULL;
    if (f && table && *path == '/' && !strchr(device, '=') /* no tags: these are looked up */
        && mnt_table_parse_stream(table, f, "mountinfo") == 0)
        ask(&fake.ctx, table, path, device);
    if (f)
        (void)fclose(f);
    mnt_unref_table(table);
    rhost_fake_clear(&fake);
    return 0;
}
