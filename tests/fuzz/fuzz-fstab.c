/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-fstab - lines of fstab(5), read and edited: what was written must be read as it was meant. */
#include "plugin-input.h"

#include "mount/fstab.h"
#include "mount/options.h"

static void
try_entries(rhost_ctx *ctx, struct rhost_lines *l, const char *name, const char *device)
{
    const char *fields[FSTAB_FIELDS] = {
        [FSTAB_DEVICE] = device,      [FSTAB_TARGET] = "/mnt/a b", [FSTAB_TYPE] = "ext4",
        [FSTAB_OPTIONS] = "ro,nodev", [FSTAB_DUMP] = "0",          [FSTAB_PASS] = "2"
    };
    struct fstab_entry entry;

    for (size_t i = 0; i < l->n; i++)
        if (fstab_at(ctx, l, i, &entry)) {
            (void)options_split(ctx, entry.field[FSTAB_OPTIONS]);
            (void)fstab_tidy_device(ctx, entry.field[FSTAB_DEVICE]);
            (void)fstab_is_below(entry.name, name);
            (void)fstab_has_dots(entry.name);
        }
    if (fstab_find(ctx, l, name, &entry)) {
        const char *change[FSTAB_FIELDS] = { [FSTAB_OPTIONS] = "defaults,x y" };
        size_t line = entry.line;

        fstab_change(ctx, l, &entry, change);
        must(fstab_at(ctx, l, line, &entry) && strcmp(entry.field[FSTAB_OPTIONS], "defaults,x y") == 0,
             "options that were written are read");
        fstab_remove(ctx, l, name);
        must(!fstab_find(ctx, l, name, &entry), "an entry that was removed is gone");
    }
    if (!*device || *device == '#')
        return;
    fstab_remove(ctx, l, "/mnt/a b");
    fstab_add(ctx, l, fields);
    must(fstab_find(ctx, l, "/mnt/a b", &entry)
             && strcmp(entry.field[FSTAB_DEVICE], fstab_tidy_device(ctx, device)) == 0
             && strcmp(entry.field[FSTAB_PASS], "2") == 0,
         "an entry that was added is found");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    struct rhost_lines *l;
    const char *name, *device;

    rhost_fake_init(&fake);
    name = fstab_tidy_path(&fake.ctx, input_line(&fake.ctx, &in));
    device = input_line(&fake.ctx, &in);
    l = rhost_lines_from(in.at ? in.at : "", in.n);
    try_entries(&fake.ctx, l, name, device);
    rhost_lines_free(l);
    rhost_fake_clear(&fake);
    return 0;
}
