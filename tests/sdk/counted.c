/* SPDX-License-Identifier: Apache-2.0 */
/* counted - a plugin that breaks the promise that its entry does nothing: it adds a line to the
 * file that COUNTED names, so that a test sees how often third-party code is run. */
#include "note.h"

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR },
    { .name = "text", .type = "String" },
};

static const struct rhost_provider provider = {
    RHOST_PROVIDER("counted", "Counts how often it is asked."),
    RHOST_ATTRS(attrs),
    .load = note_load,
    .create = note_write,
    .update = note_write,
    .remove = note_remove,
};

static const struct rhost_provider *const providers[] = { &provider, NULL };

static const struct rhost_plugin plugin = {
    .struct_size = sizeof plugin,
    .name = "counted",
    .version = "0.1",
    .providers = providers,
};

RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    const char *path = getenv("COUNTED");
    FILE *f = path ? fopen(path, "ae") : NULL;

    if (path && (!f || fputs("asked\n", f) < 0 || fclose(f) != 0))
        return NULL;
    return &plugin;
}
