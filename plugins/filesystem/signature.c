/* SPDX-License-Identifier: Apache-2.0 */
/* signature - what libblkid recognizes on a device. */

#include "signature.h"

#include <blkid.h>

enum { MOST = 32, EDGE = 1 << 20, PIECE = 1 << 16 };

/* libblkid finds nothing on the devices that LVM and Stratis make for their own use. */
static int
check_private(rhost_ctx *ctx, const struct device *d)
{
    const char *uuid = device_attribute(ctx, d, "dm/uuid"), *suffix = NULL;

    if (uuid && strncmp(uuid, "LVM-", 4) == 0)
        suffix = strrchr(uuid + 4, '-');
    else if (uuid && strncmp(uuid, "stratis-1-private", 17) == 0)
        suffix = uuid;
    if (suffix && suffix[1])
        return device_fail(ctx, d, "'%s' is an internal device of LVM or Stratis", d->path);
    return 0;
}

static int
is_zero(const char *bytes, size_t n)
{
    return n == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* libblkid takes what it can't read for empty in some places. *zeros: whether both ends have only zeros. */
static int
check_readable(rhost_ctx *ctx, const struct device *d, int *zeros)
{
    char piece[PIECE];
    const uint64_t starts[] = { 0, d->size > EDGE ? d->size - EDGE : 0 };

    *zeros = 1;
    for (size_t i = 0; i < 2; i++) {
        for (uint64_t at = starts[i]; at < d->size && at < starts[i] + EDGE;) {
            ssize_t got = pread(d->fd, piece, sizeof piece, (off_t)at);

            if (got < 0 && errno == EINTR)
                continue;
            if (got < 0)
                return device_fail_errno(ctx, d, "cannot read '%s', so what is on it is not known", d->path);
            if (got == 0)
                return device_fail(ctx, d, "'%s' became smaller while it was read", d->path);
            *zeros = *zeros && is_zero(piece, (size_t)got);
            at += (uint64_t)got;
        }
    }
    return 0;
}

/* NULL: there is no such value. */
static const char *
value_of(rhost_ctx *ctx, blkid_probe probe, const char *key)
{
    const char *text;
    size_t len;

    if (blkid_probe_lookup_value(probe, key, &text, &len) != 0 || !text)
        return NULL;
    while (len && !text[len - 1])
        len--;
    return len ? rhost_copy(ctx, text, len) : NULL;
}

static int
has_type(const struct signature *all, size_t n, const char *type)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].type, type) == 0)
            return 1;
    return 0;
}

static void
note(rhost_ctx *ctx, blkid_probe probe, struct signature *all, size_t *n)
{
    struct signature one = { .type = value_of(ctx, probe, "TYPE") };

    if (!one.type) {
        one.type = value_of(ctx, probe, "PTTYPE");
        one.is_table = 1;
    }
    if (!one.type || *n == MOST || has_type(all, *n, one.type))
        return;
    if (!one.is_table) {
        one.label = value_of(ctx, probe, "LABEL");
        one.uuid = value_of(ctx, probe, "UUID");
    } else {
        one.uuid = value_of(ctx, probe, "PTUUID");
    }
    all[(*n)++] = one;
}

static int
probe_all(rhost_ctx *ctx, const struct device *d, blkid_probe probe, struct signatures *s)
{
    struct signature *all = rhost_alloc(ctx, MOST * sizeof *all);
    size_t n = 0;
    int found;

    /* libblkid asks the device for its sectors by ioctl(2), which a confined process must not do. */
    if (blkid_probe_set_device(probe, d->fd, 0, (blkid_loff_t)d->size) != 0
        || blkid_probe_set_sectorsize(probe, device_sector(ctx, d)) != 0
        || blkid_probe_enable_superblocks(probe, 1) != 0
        || blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID
                                                        | BLKID_SUBLKS_MAGIC | BLKID_SUBLKS_BADCSUM)
               != 0
        || blkid_probe_enable_partitions(probe, 1) != 0
        || blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC | BLKID_PARTS_FORCE_GPT) != 0)
        return device_fail(ctx, d, "libblkid cannot probe '%s'", d->path);
    /* Each call finds the next one: 1 is the end of them. */
    while ((found = blkid_do_probe(probe)) == 0)
        note(ctx, probe, all, &n);
    if (found < 0)
        return device_fail(ctx, d, "libblkid cannot tell what is on '%s'", d->path);
    s->at = all;
    s->n = n;
    return 0;
}

int
signatures_read(rhost_ctx *ctx, const struct device *d, struct signatures *s)
{
    blkid_probe probe;
    int result;

    memset(s, 0, sizeof *s);
    s->zeros = 1;
    if (d->size == 0)
        return 0;
    device_refresh(d);
    if (check_private(ctx, d) < 0 || check_readable(ctx, d, &s->zeros) < 0)
        return -1;
    probe = blkid_new_probe();
    if (!probe)
        return device_fail(ctx, d, "cannot probe '%s': out of memory", d->path);
    result = probe_all(ctx, d, probe, s);
    blkid_free_probe(probe);
    return result;
}

static const char *
one_text(rhost_ctx *ctx, const struct signature *one)
{
    const char *type = one->type;

    if (one->is_table)
        return rhost_fmt(ctx, "a partition table (%s)", type);
    if (strcmp(type, "swap") == 0 || strcmp(type, "swsuspend") == 0)
        return rhost_fmt(ctx, "a swap area (%s)", type);
    if (strcmp(type, "crypto_LUKS") == 0 || strcmp(type, "BitLocker") == 0)
        return rhost_fmt(ctx, "encrypted data (%s)", type);
    if (strstr(type, "_member"))
        return rhost_fmt(ctx, "a part of a volume (%s)", type);
    return rhost_fmt(ctx, "a file system (%s)", type);
}

const char *
signatures_text(rhost_ctx *ctx, const struct signatures *s)
{
    const char *text = "nothing";

    for (size_t i = 0; i < s->n; i++)
        text =
            i == 0 ? one_text(ctx, &s->at[i]) : rhost_fmt(ctx, "%s and %s", text, one_text(ctx, &s->at[i]));
    return text;
}

int
signatures_refuse_any(rhost_ctx *ctx, const struct device *d)
{
    struct signatures s;

    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    if (s.n == 0 && (d->number || s.zeros))
        return 0;
    if (s.n == 0)
        return rhost_fail(
            ctx,
            "'%s' is a file with data in it, which is not overwritten; an empty image is made by "
            "'truncate -s 0' and 'truncate -s SIZE'",
            d->path);
    if (!d->number)
        return rhost_fail(
            ctx,
            "'%s' has %s, which is not overwritten; if it is not needed any more, 'truncate -s 0' "
            "and 'truncate -s SIZE' make it an empty image",
            d->path, signatures_text(ctx, &s));
    return rhost_fail(
        ctx,
        "'%s' has %s, which is not overwritten; if it is not needed any more, 'wipefs --all %s' "
        "removes the signature",
        d->path, signatures_text(ctx, &s), d->real);
}
