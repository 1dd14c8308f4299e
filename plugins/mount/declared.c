/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a mount as a manifest says it, brought into the form that fstab and the kernel have. */

#include "declared.h"

#include "fstab.h"
#include "options.h"

/* "/a\040b", as it stands in fstab, is "/a b". */
static const char *
without_escapes(rhost_ctx *ctx, const char *path)
{
    char *plain = rhost_alloc(ctx, strlen(path) + 1), *to = plain;

    while (*path) {
        if (strncmp(path, "\\040", 4) == 0 || strncmp(path, "\\011", 4) == 0) {
            *to++ = path[2] == '4' ? ' ' : '\t';
            path += 4;
        } else {
            *to++ = *path++;
        }
    }
    return plain;
}

static void
put_if_other(rhost_value *resource, const char *key, const char *is, const char *tidy)
{
    if (strcmp(is, tidy) != 0)
        rhost_put_str(resource, key, tidy);
}

int32_t
declared_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *name = rhost_str(resource, "name"), *device = rhost_str(resource, "device");
    const char *type = rhost_str(resource, "fstype");
    const rhost_value *options = rhost_get(resource, "options");
    int swap = type && strcmp(type, "swap") == 0;

    if (name && *name == '/') {
        const char *tidy = fstab_tidy_path(ctx, without_escapes(ctx, name));

        if (fstab_has_dots(tidy))
            return rhost_fail_attr(ctx, "name", "'%s' has '.' or '..' in it", name);
        put_if_other(resource, "name", name, tidy);
    } else if (name) {
        if (type && !swap)
            return rhost_fail_attr(ctx, "name",
                                   "'%s' is not a directory: it is where to mount, and 'device' "
                                   "is what",
                                   name);
        put_if_other(resource, "name", name, fstab_tidy_device(ctx, name));
    }
    name = rhost_str(resource, "name");
    if (device)
        put_if_other(resource, "device", device, fstab_tidy_device(ctx, without_escapes(ctx, device)));
    if (swap && device && name && strcmp(rhost_str(resource, "device"), name) != 0)
        return rhost_fail_attr(ctx, "device",
                               "a swap area goes by its device, which its title says to be "
                               "'%s'",
                               name);
    if (swap && rhost_has(resource, "mounted"))
        return rhost_fail_attr(ctx, "mounted", "a swap area is not mounted: only its entry is kept");
    if (!rhost_bool(resource, "mounted", 1) && !rhost_bool(resource, "persist", 1)
        && strcmp(rhost_str_or(resource, "ensure", ""), "absent") != 0)
        return rhost_fail_attr(ctx, "persist", "neither mounted nor in fstab: that is 'ensure: absent'");
    if (options && options->host->kind(options) != RHOST_UNDEF) {
        struct options tidy = options_of(ctx, options);

        options_report(&tidy, resource);
    }
    return 0;
}
