/* SPDX-License-Identifier: Apache-2.0 */
/* swap - swap areas on devices and in files. fstab has them by the type mount. */

#include "../filesystem/device.h"
#include "../filesystem/signature.h"
#include "../filesystem/tool.h"
#include "../filesystem/use.h"
#include "../filesystem/uuid.h"
#include "area.h"
#include "file.h"

#include <rhost/dry-run.h>

enum { PAGE = 4096, LARGEST_TABLE = 1 << 20, MOST_PRIORITY = 32767 };

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = RHOST_TYPE_PATH,
      .behaviour = RHOST_NAMEVAR,
      .desc = "The block device, or the file." },
    { .name = "active",
      .type = "Boolean",
      .default_value = "true",
      .desc = "Whether the kernel swaps to it now." },
    { .name = "size",
      .type = "Optional[Variant[Integer[40960], Pattern[/\\A[1-9]\\d{0,6}[KMGT]\\z/]]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The size of the file that is made, in bytes, or with K, M, G or T." },
    { .name = "priority",
      .type = "Optional[Integer[-1, 32767]]",
      .desc = "Areas of a higher priority are used first; -1: the kernel chooses." },
    { .name = "label",
      .type = "Optional[Pattern[/\\A([!-.0-~]([ -.0-~]{0,13}[!-.0-~])?)?\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The label that it is made with." },
    { .name = "uuid",
      .type = "Optional[Pattern[/\\A\\h{8}-\\h{4}-\\h{4}-\\h{4}-\\h{12}\\z/]]",
      .behaviour = RHOST_INIT_ONLY,
      .desc = "The UUID that it is made with; without it, a random one." },
};

static const char *const relations[] = { "autorequire file[$path]", "autorequire directory[$path/..]",
                                         "autobefore mount[$path]", NULL };

static int32_t
swap_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *size = rhost_str(resource, "size");
    char *unit;

    rhost_tidy_path(ctx, resource, "path");
    uuid_tidy(ctx, resource);
    if (size) {
        int64_t n = strtoll(size, &unit, 10);
        const char *units = "KMGT", *at = *unit ? strchr(units, *unit) : NULL;

        int shift = at ? 10 * (int)(at - units + 1) : 0;

        if (n > INT64_MAX >> shift)
            return rhost_fail_attr(ctx, "size", "it is too large");
        rhost_put_int(resource, "size", n << shift);
    }
    return 0;
}

static int32_t
swap_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    int64_t size = rhost_int(resource, "size", PAGE * 10);

    if (size < PAGE * 10 || size % PAGE)
        return rhost_fail_attr(ctx, "size", "it must be a multiple of 4096 bytes, and at least 40K");
    if (strpbrk(rhost_str_or(resource, "path", ""), "\n\t"))
        return rhost_fail_attr(ctx, "path", "it has a newline or a tab");
    return 0;
}

static void
report(rhost_ctx *ctx, const struct device *d, const struct signature *s, rhost_value *current)
{
    int64_t priority;
    int active = use_is_swap(ctx, d, &priority);

    rhost_put_bool(current, "active", active);
    rhost_put_str(current, "label", s->label ? s->label : "");
    if (s->uuid)
        rhost_put_str(current, "uuid", s->uuid);
    if (!d->number)
        rhost_put_int(current, "size", (int64_t)d->size);
    if (active)
        rhost_put_int(current, "priority", priority < 0 ? -1 : priority);
}

/* Under noop: whether the programs exist. */
static int
foresee_tools(rhost_ctx *ctx)
{
    static const char *const names[] = { "mkswap", "swapon", "swapoff" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!tool_exists(ctx, names[i])
            && rhost_fail_missing(
                   ctx, NULL, rhost_fmt(ctx, "%s is not installed (package util-linux or mount)", names[i]))
                   < 0)
            return -1;
    return 0;
}

static int32_t
load_missing(rhost_ctx *ctx, const char *path, const rhost_value *should)
{
    const char *message = rhost_fmt(ctx, "'%s' does not exist; 'size' makes it a file", path);

    if (!should)
        return RHOST_ABSENT;
    if (rhost_int(should, "size", 0) > 0)
        return rhost_looks_ahead(ctx, should) && foresee_tools(ctx) < 0 ? -1
                                                                        : rhost_absent_at(ctx, should, path);
    if (!rhost_looks_ahead(ctx, should))
        return rhost_fail(ctx, "%s", message);
    return rhost_fail_missing(ctx, "path", message) < 0 ? -1 : RHOST_ABSENT;
}

/* Whether what is to be active begins to be so, or does so again with another priority. */
static int
is_turned_on(const rhost_value *should, const rhost_value *current)
{
    return !rhost_bool(current, "active", 0)
           || (rhost_has(should, "priority")
               && rhost_int(should, "priority", -1) != rhost_int(current, "priority", -1));
}

static int32_t
load_open(rhost_ctx *ctx, const struct device *d, const rhost_value *should, rhost_value *current)
{
    struct signatures s;

    if (signatures_read(ctx, d, &s) < 0)
        return -1;
    if (s.n == 1 && strcmp(s.at[0].type, "swap") == 0) {
        if (should && d->number && rhost_int(should, "size", 0) > 0)
            return rhost_fail_attr(ctx, "size", "'%s' is a device, whose size is not changed", d->path);
        report(ctx, d, &s.at[0], current);
        if (rhost_looks_ahead(ctx, should) && rhost_bool(should, "active", 1) && is_turned_on(should, current)
            && file_check(ctx, d) < 0)
            return -1;
        return 0;
    }
    if (!should)
        return RHOST_ABSENT;
    if (s.n)
        return rhost_fail(ctx, "'%s' has %s, and not only a swap area; nothing is overwritten", d->path,
                          signatures_text(ctx, &s));
    if (!d->number)
        return rhost_fail(ctx, "'%s' exists, and is not a swap area; it is not overwritten", d->path);
    if (rhost_int(should, "size", 0) > 0)
        return rhost_fail_attr(ctx, "size", "'%s' is a device, whose size is not changed", d->path);
    if (rhost_looks_ahead(ctx, should) && (area_check_device(ctx, d) < 0 || foresee_tools(ctx) < 0))
        return -1;
    return RHOST_ABSENT;
}

static int32_t
swap_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    struct device d;
    int opened = device_open(ctx, path, &d);
    int32_t result;

    if (opened)
        return opened < 0 ? -1 : load_missing(ctx, path, should);
    result = load_open(ctx, &d, should, current);
    device_close(&d);
    return result;
}

/* Only for lists: what the kernel swaps to. Its labels are in devices, which a list does not read. */
static int32_t
swap_get(rhost_ctx *ctx, const rhost_value *names)
{
    char *table = rhost_path_read(ctx, "/proc/swaps", 0, LARGEST_TABLE, NULL, NULL);

    (void)names;
    if (!table)
        return errno == ENOENT ? 0 : rhost_fail_path(ctx, "cannot read '%s'", "/proc/swaps");
    while (table) {
        char *line = strsep(&table, "\n"), *path = strsep(&line, " \t"),
             *last = line ? strrchr(line, '\t') : NULL;
        rhost_value *one = ctx->host->new_hash(ctx);
        int64_t priority = last ? strtoll(last + 1, NULL, 10) : -1;

        if (*path != '/' || !last || strstr(path, "\\040(deleted)"))
            continue;
        rhost_put_str(one, "path", use_unescape(path));
        rhost_put_bool(one, "active", 1);
        rhost_put_int(one, "priority", priority < 0 ? -1 : priority);
        if (ctx->host->emit(ctx, one) < 0)
            return -1;
    }
    return 0;
}

static int32_t
swap_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    (void)ctx;
    /* What is not in use has no priority. */
    if (strcmp(attribute, "priority") == 0 && !rhost_bool(change->should, "active", 1))
        return 0;
    return RHOST_DEFAULT_COMPARISON;
}

/* Brings `active` and `priority` about. The kernel takes a priority only when it begins to use an area. */
static int32_t
apply_use(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    int64_t wanted = rhost_int(change->should, "priority", -1), priority = -1;
    int on = rhost_bool(change->should, "active", 1), active;
    struct device d;
    int opened = device_open(ctx, path, &d), result = 0;

    if (opened)
        return opened < 0 ? -1 : rhost_fail(ctx, "'%s' does not exist any more", path);
    active = use_is_swap(ctx, &d, &priority);
    if (active
        && (!on || (rhost_get(change->should, "priority") && wanted != (priority < 0 ? -1 : priority)))) {
        /* What swapon would refuse stays in use. */
        result = on && area_check(ctx, &d) < 0 ? -1 : area_off(ctx, &d);
        active = 0;
    }
    if (result == 0 && on && !active)
        result = area_on(ctx, &d, wanted);
    device_close(&d);
    return result;
}

static int32_t
swap_create(rhost_ctx *ctx, const struct rhost_change *change)
{
    return area_make(ctx, change) < 0 ? -1 : apply_use(ctx, change);
}

static const char *const needs[] = { "root if $active", "read[$path]",  "write[$path] if $size",
                                     "read[/proc]",     "read[/sys]",   "run[mkswap]",
                                     "run[swapon]",     "run[swapoff]", NULL };

static const struct rhost_provider swap_provider = {
    RHOST_PROVIDER("swap", "Swap areas on devices and in files."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK | RHOST_PURE_CANONICALIZE,
    .relations = relations,
    .needs = needs,
    .canonicalize = swap_canonicalize,
    .validate = swap_validate,
    .insync = swap_insync,
    .load = swap_load,
    .get = swap_get,
    .create = swap_create,
    .update = apply_use,
};

RHOST_PLUGIN(swap, "1.0", &swap_provider)
