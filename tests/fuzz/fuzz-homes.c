/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-homes - the kernel's table of mounts, of which those in a home directory are looked for. Users may
 * have mounts of their own in it, with names as they like. */
#include "plugin-input.h"

#include "../../plugins/user/mounts.c"

/* Without what the kernel would escape. */
static int
is_plain(const char *path)
{
    return *path == '/' && path[1] && !strpbrk(path, " \t\n\\");
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    const char *top, *found;
    char *line;

    rhost_fake_init(&fake);
    top = input_line(&fake.ctx, &in);
    for (int i = 0; in.n && i < 100; i++) {
        line = input_line(&fake.ctx, &in);
        found = point_within(line, 7, top);
        must(!found || strncmp(found, top, strlen(top)) == 0, "what is found is at or below the directory");
    }
    if (is_plain(top)) {
        line = rhost_fmt(&fake.ctx, "8 7 0:44 / %s\\040/\\134below rw,relatime - tmpfs none rw", top);
        must(!point_within(line, 7, top), "a neighbour of which the name begins alike is not in it");
        line = rhost_fmt(&fake.ctx, "8 7 0:44 / %s/a\\040\\134below rw,relatime - tmpfs none rw", top);
        found = point_within(line, 7, top);
        must(found && strcmp(found + strlen(top), "/a \\below") == 0, "a mount below is found");
    }
    rhost_fake_clear(&fake);
    return 0;
}
