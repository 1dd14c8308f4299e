/* SPDX-License-Identifier: Apache-2.0 */
/* installation - where the programs, plugins and directories of this rhost are. */
#include "config.h"

#include "base/installation.h"

#include "base/alloc.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static struct {
    const char *dir, *loader;
    char *plugins;
} kit;

bool
rh_installation_is_kit_path(const char *dir)
{
    return dir[0] == '/' && strcspn(dir, ":;$ \t\n") == strlen(dir);
}

void
rh_installation_use_kit(const char *dir, const char *loader, const char *name)
{
    free(kit.plugins);
    kit.dir = dir;
    kit.loader = loader;
    kit.plugins = rh_printf("%s/plugins", dir);
    /* Otherwise it is that of the loader. */
    (void)prctl(PR_SET_NAME, name);
}

const char *
rh_installation_kit(void)
{
    return kit.dir;
}

/* The path of this program; empty where /proc is missing. */
static void
find_self(char self[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);

    self[n > 0 ? n : 0] = '\0';
}

char *
rh_installation_program(const char *name)
{
    char self[PATH_MAX], *slash;

    if (kit.dir)
        return rh_printf("%s/bin/%s", kit.dir, name);
    find_self(self);
    slash = strrchr(self, '/');
    if (slash) {
        rh_autofree char *beside = rh_printf("%.*s/%s", (int)(slash - self), self, name);

        if (access(beside, X_OK) == 0)
            return rh_take(&beside);
    }
    return rh_printf("%s/%s", RH_LIBEXECDIR, name);
}

char *
rh_own_program(void)
{
    static const char deleted[] = " (deleted)";
    char self[PATH_MAX];
    size_t end, gone = sizeof deleted - 1;

    if (kit.dir)
        return rh_printf("%s/rhost", kit.dir);
    find_self(self);
    end = strlen(self);
    if (end > gone && strcmp(self + end - gone, deleted) == 0)
        self[end - gone] = '\0'; /* we were upgraded since we started */
    return end && access(self, X_OK) == 0 ? rh_xstrdup(self) : rh_printf("%s/rhost", RH_BINDIR);
}

char *
rh_own_file(void)
{
    return kit.dir ? rh_installation_program("rhost") : rh_xstrdup("/proc/self/exe");
}

size_t
rh_installation_loader(char *argv[RH_LOADER_ARGUMENTS])
{
    size_t n = kit.dir ? strlen(kit.dir) : 0;
    bool own;

    if (!kit.dir || !kit.loader)
        return 0;
    own = strncmp(kit.loader, kit.dir, n) == 0 && kit.loader[n] == '/';
    argv[0] = rh_xstrdup(kit.loader);
    argv[1] = rh_xstrdup("--library-path");
    argv[2] = own ? rh_printf("%s/lib:%s/libc", kit.dir, kit.dir) : rh_printf("%s/lib", kit.dir);
    return RH_LOADER_ARGUMENTS;
}

const char *
rh_installation_plugins(void)
{
    return kit.dir ? kit.plugins : RH_PROVIDERDIR;
}

/* The prefix of the build is not that of another machine. */
const char *
rh_installation_state(void)
{
    return kit.dir ? "/var/lib/rhost" : RH_STATEDIR;
}

const char *
rh_installation_cache(void)
{
    return kit.dir ? "/var/cache/rhost" : RH_CACHEDIR;
}
