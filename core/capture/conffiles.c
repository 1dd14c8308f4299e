/* SPDX-License-Identifier: Apache-2.0 */
/* conffiles - configuration files of packages that somebody changed or removed. Only their sums are compared:
 * all that packages brought would be gigabytes. */
#include "config.h"

#include "capture/parts.h"

#include "base/arena.h"
#include "base/value.h"

#include <errno.h>

static const char heading[] = "Configuration files";

static void
add_absent(struct looking *l, const char *path)
{
    struct rh_value *item = rh_value_new(l->arena, RH_HASH);

    if (rh_capture_is_taken(l, path))
        return;
    rh_capture_take(l, path);
    rh_value_put(item, "path", rh_value_string(l->arena, path));
    rh_value_put(item, "ensure", rh_value_string(l->arena, "absent"));
    rh_capture_add(l, heading, "file", item);
}

/* What has replaced a configuration file by a link, or took its directory away, has not changed that one. */
static void
add_changed(struct looking *l, const struct conffile *c)
{
    struct stat st;
    bool there = lstat(c->path, &st) == 0;

    if (!there && errno == ENOENT && !c->obsolete)
        add_absent(l, c->path);
    else if (there && !rh_capture_is_taken(l, c->path) && rh_dpkg_changed(c))
        (void)rh_capture_file(l, heading, c->path);
}

void
rh_capture_conffiles(struct looking *l)
{
    const struct conffile *c;

    if (!l->options->wants(l->options->data, "file"))
        return;
    for (size_t i = 0; (c = rh_dpkg_conffile(l, i)); i++)
        add_changed(l, c);
}
