/* SPDX-License-Identifier: Apache-2.0 */
/* area - makes swap areas, and has the kernel use them. */

#include "area.h"

#include "../filesystem/signature.h"
#include "../filesystem/tool.h"
#include "../filesystem/use.h"
#include "../filesystem/uuid.h"
#include "file.h"

#include <rhost/dry-run.h>

int
area_check_device(rhost_ctx *ctx, const struct device *d)
{
    if (d->size == 0)
        return rhost_fail(ctx, "'%s' has no size: no medium is in it, or nothing is attached", d->path);
    if (device_check_path(ctx, d) < 0 || use_refuse_any(ctx, d) < 0)
        return -1;
    return signatures_refuse_any(ctx, d);
}

/* mkswap on what is open, with a UUID that tells afterwards that it was this. */
static int
run_mkswap(rhost_ctx *ctx, const rhost_value *should, const struct device *d)
{
    const char *uuid = rhost_str(should, "uuid"), *label = rhost_str(should, "label"), *argv[8], *why;
    struct signatures s;
    size_t n = 0;
    int status;

    if (!uuid && !(uuid = uuid_new(ctx)))
        return -1;
    argv[n++] = "mkswap";
    argv[n++] = "--uuid";
    argv[n++] = uuid;
    if (label && *label) {
        argv[n++] = "--label";
        argv[n++] = label;
    }
    argv[n++] = d->real;
    argv[n] = NULL;
    status = tool_run(ctx, argv, &why);
    if (status < 0)
        return -1;
    if (status > 0)
        return rhost_fail(ctx, "mkswap failed: %s", why);
    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    if (s.n != 1 || strcmp(s.at[0].type, "swap") != 0 || !s.at[0].uuid || strcmp(s.at[0].uuid, uuid) != 0)
        return rhost_fail(ctx, "mkswap ended without an error, but '%s' has no such swap area", d->path);
    return 0;
}

static int
make_file(rhost_ctx *ctx, const rhost_value *should, const char *path)
{
    const char *made;
    struct device d;
    int result;

    if (rhost_path_trusted(ctx, path) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot create '%s'", path);
    made = file_make(ctx, path, (uint64_t)rhost_int(should, "size", 0));
    if (!made)
        return -1;
    result = device_open(ctx, made, &d);
    if (result != 0) {
        (void)rhost_path_unlink(ctx, made, 0);
        return result < 0 ? -1 : rhost_fail(ctx, "'%s' was removed meanwhile", made);
    }
    result = device_check_path(ctx, &d) < 0 ? -1 : run_mkswap(ctx, should, &d);
    device_close(&d);
    if (result < 0) {
        (void)rhost_path_unlink(ctx, made, 0);
        return -1;
    }
    return file_put(ctx, made, path);
}

int
area_make(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    struct device d;
    int opened = device_open(ctx, path, &d), result = -1;

    if (opened < 0)
        return -1;
    if (opened > 0)
        return rhost_int(change->should, "size", 0) > 0 ? make_file(ctx, change->should, path)
                                                        : rhost_fail(ctx, "device '%s' does not exist", path);
    if (!d.number)
        (void)rhost_fail(ctx, "'%s' exists, and is not a swap area; it is not overwritten", path);
    else if (device_lock(ctx, &d) == 0 && area_check_device(ctx, &d) == 0)
        result = run_mkswap(ctx, change->should, &d);
    device_close(&d);
    return result;
}

int
area_check(rhost_ctx *ctx, const struct device *d)
{
    return device_check_path(ctx, d) < 0 || file_check(ctx, d) < 0 ? -1 : 0;
}

int
area_on(rhost_ctx *ctx, const struct device *d, int64_t priority)
{
    const char *argv[5], *why;
    size_t n = 0;
    int status;

    if (area_check(ctx, d) < 0)
        return -1;
    argv[n++] = "swapon";
    if (priority >= 0) {
        argv[n++] = "--priority";
        argv[n++] = rhost_fmt(ctx, "%lld", (long long)priority);
    }
    argv[n++] = d->real;
    argv[n] = NULL;
    status = tool_run(ctx, argv, &why);
    if (status < 0)
        return -1;
    return status == 0 ? 0 : rhost_fail(ctx, "swapon failed: %s", why);
}

int
area_off(rhost_ctx *ctx, const struct device *d)
{
    const char *const argv[] = { "swapoff", d->real, NULL };
    const char *why;
    int status = device_check_path(ctx, d) < 0 ? -1 : tool_run(ctx, argv, &why);

    if (status < 0)
        return -1;
    return status == 0 ? 0 : rhost_fail(ctx, "swapoff failed: %s", why);
}
