/* SPDX-License-Identifier: Apache-2.0 */
/* bridge - plugins that are a folder with a file type.yaml (or type.json) and a program. */
#include "config.h"

#include "plugin/load.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"

#include <limits.h>
#include <rhost/bridge.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = { "type.yaml", "type.json" };

enum { N_NAMES = sizeof names / sizeof names[0] };

bool
rh_bridge_is_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < N_NAMES; i++)
        if (strcmp(slash ? slash + 1 : path, names[i]) == 0)
            return true;
    return false;
}

const char *
rh_bridge_file_in(const char *folder)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        rh_autofree char *path = rh_printf("%s/%s", folder, names[i]);
        struct stat st;

        if (lstat(path, &st) == 0)
            return names[i];
    }
    return NULL;
}

char *
rh_bridge_path(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char real[PATH_MAX], *slash;

    if (n > 0 && !rh_installation_kit()) {
        self[n] = '\0';
        slash = strrchr(self, '/');
        rh_autofree char *built =
            slash ? rh_printf("%.*s/../plugins/.libs/bridge.so", (int)(slash - self), self) : NULL;

        if (built && realpath(built, real))
            return rh_xstrdup(real);
    }
    return rh_printf("%s/bridge.so", rh_installation_plugins());
}

/* What the bridge says while it opens a file. */
struct opening {
    struct rhost_bridge_host host;
    struct rh_error *err;
};

static void
refuse(const struct rhost_bridge_host *host, int32_t passing, const char *message)
{
    const struct opening *o = (const struct opening *)(const void *)host;

    if (!o->err->message)
        rh_error_set(o->err, passing ? RH_ESYSTEM : RH_EINPUT, "%s", message ? message : "");
}

static int32_t
check_file(const struct rhost_bridge_host *host, const char *path)
{
    const struct opening *o = (const struct opening *)(const void *)host;

    if (rh_plugin_check_file(path, o->err) == 0)
        return 0;
    rh_error_prefix(o->err, "its program '%s'", path);
    o->err->kind = RH_ESYSTEM; /* it is another file, which may change while this one does not */
    return -1;
}

/* Its folder has one description, and nothing that others can change. */
static int
check_folder(const char *path, struct rh_error *err)
{
    rh_autofree char *folder = rh_xstrdup(path);
    const char *first;

    *strrchr(folder, '/') = '\0';
    first = rh_bridge_file_in(folder);
    for (size_t i = 0; i < N_NAMES; i++) {
        rh_autofree char *other = rh_printf("%s/%s", folder, names[i]);

        if (first && strcmp(first, names[i]) != 0 && access(other, F_OK) == 0)
            return rh_error_set(err, RH_ESYSTEM, "its directory contains both '%s' and '%s': remove one",
                                first, names[i]);
    }
    return rh_plugin_check_folder(folder, err);
}

const struct rhost_plugin *
rh_bridge_load(const char *path, struct rh_error *err)
{
    rh_autofree char *so = rh_bridge_path();
    rh_autoerror struct rh_error why = { 0 };
    struct opening o = {
        .host = { .struct_size = sizeof o.host, .refuse = refuse, .check_file = check_file },
        .err = &why,
    };
    const struct rhost_plugin *bridge, *plugin;
    const struct rhost_bridge *interface = NULL;

    if (rh_plugin_check_file(path, err) < 0 || check_folder(path, err) < 0)
        return NULL;
    bridge = rh_shared_object_load(so, err);
    if (!bridge) {
        rh_error_prefix(err, "it is an executable provider, and the bridge '%s' cannot be loaded", so);
        if (err)
            err->kind = RH_ESYSTEM; /* it is another file, which may change while this one does not */
        return NULL;
    }
    if (bridge->struct_size >= sizeof *bridge && bridge->extension)
        interface = bridge->extension(RHOST_BRIDGE_ID);
    if (!interface || interface->struct_size < sizeof *interface) {
        rh_error_set(err, RH_ESYSTEM, "it is an executable provider, and '%s' is not a bridge", so);
        return NULL;
    }
    plugin = interface->open(&o.host, path);
    if (!plugin && !why.message)
        rh_error_set(&why, RH_ESYSTEM, "it cannot be opened: no reason given");
    if (!plugin)
        rh_error_move(err, &why);
    return plugin;
}
