/* SPDX-License-Identifier: Apache-2.0 */
/* site - the modules of a site, while one command changes them. */
#include "config.h"

#include "module/module.h"
#include "module/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/trust.h"
#include "base/value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EXCHANGE = 2 }; /* of renameat2(2) */

static void
remove_fetched(const struct rh_module_site *site)
{
    rh_autofree char *path = rh_printf("%s/" RH_MODULE_FETCHED, site->modules);

    rh_remove_tree(path);
}

static int
lock_modules(struct rh_module_site *site, struct rh_error *err)
{
    if (mkdir(site->modules, 0755) < 0 && errno != EEXIST)
        return rh_error_system(err, errno, "cannot create the directory '%s'", site->modules);
    site->fd = open(site->modules, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (site->fd < 0)
        return rh_error_system(err, errno, "cannot open the directory '%s'", site->modules);
    if (flock(site->fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        return rh_error_set(err, RH_ELOCKED, "another command of 'rhost module' changes '%s'", site->modules);
    return rh_error_system(err, errno, "cannot lock the directory '%s'", site->modules);
}

struct rh_module_site *
rh_module_site_open(struct rh_arena *a, const char *directory, struct rh_error *err)
{
    struct rh_module_site *site = rh_arena_alloc(a, sizeof *site);
    size_t n = directory ? strlen(directory) : 0;
    struct stat st;

    *site = (struct rh_module_site){ .arena = a, .fd = -1, .changes = rh_value_new(a, RH_ARRAY) };
    site->folder = !n                        ? ""
                   : directory[n - 1] == '/' ? rh_arena_strdup(a, directory)
                                             : rh_arena_printf(a, "%s/", directory);
    site->modules = rh_arena_printf(a, "%s" RH_MODULE_FOLDER, site->folder);
    if (stat(n ? directory : ".", &st) < 0) {
        rh_error_system(err, errno, "cannot open the directory '%s'", directory);
        return NULL;
    }
    if (!S_ISDIR(st.st_mode)) {
        (void)rh_error_set(err, RH_EINPUT, "'%s' is not a directory", directory);
        return NULL;
    }
    if (geteuid() == 0 && rh_trust_path(n ? directory : ".", RH_TRUST_CALLER, err) < 0) {
        rh_discard(rh_error_prefix(err, "cannot change the modules of this site as root"));
        return NULL;
    }
    if (lock_modules(site, err) == 0 && rh_module_lock_read(a, site->folder, &site->lock, err) == 0) {
        remove_fetched(site); /* of a command that was killed */
        return site;
    }
    rh_module_site_close(site);
    return NULL;
}

void
rh_module_site_close(struct rh_module_site *site)
{
    if (!site || site->fd < 0)
        return;
    remove_fetched(site);
    (void)rmdir(site->modules); /* when nothing is in it */
    (void)close(site->fd);
    site->fd = -1;
}

const struct rh_value *
rh_module_site_changes(const struct rh_module_site *site)
{
    return site->changes;
}

static struct rh_value *
to_value(struct rh_arena *a, const struct rh_module_pin *pin)
{
    struct rh_value *v = rh_module_pin_value(a, pin);

    rh_value_put(v, "name", rh_value_string(a, pin->name));
    return v;
}

void
rh_module_note(struct rh_module_site *site, const struct rh_module_pin *pin, const char *change,
               const char *before, const char *required_by)
{
    struct rh_value *v = to_value(site->arena, pin);

    rh_value_put(v, "change", rh_value_string(site->arena, change));
    if (before)
        rh_value_put(v, "before", rh_value_string(site->arena, before));
    if (required_by)
        rh_value_put(v, "required_by", rh_value_string(site->arena, required_by));
    rh_value_append(site->changes, v);
}

enum rh_module_state
rh_module_site_compare(const struct rh_module_site *site, const struct rh_module_pin *pin,
                       struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", site->modules, pin->name);

    return rh_module_compare(site->fd, path, pin, err);
}

int
rh_module_list(struct rh_module_site *site, struct rh_value **list, struct rh_error *err)
{
    static const char *const words[] = { "ok", "missing", "different" };

    *list = rh_value_new(site->arena, RH_ARRAY);
    for (size_t i = 0; i < site->lock.n; i++) {
        rh_autoerror struct rh_error why = { 0 };
        enum rh_module_state state = rh_module_site_compare(site, &site->lock.v[i], &why);
        struct rh_value *v = to_value(site->arena, &site->lock.v[i]);

        if (state == RH_MODULE_REFUSED) {
            rh_error_move(err, &why);
            return -1;
        }
        rh_value_put(v, "state", rh_value_string(site->arena, words[state]));
        rh_value_append(*list, v);
    }
    return 0;
}

/* The new one gets the name in one step, also where the old one has it. */
int
rh_module_place(struct rh_module_site *site, const struct rh_module_fetched *fetched, struct rh_error *err)
{
    const char *name = fetched->pin.name;
    struct stat st;

    if (syncfs(site->fd) < 0)
        return rh_error_system(err, errno, "cannot write the files of module '%s'", name);
    if (fstatat(site->fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT) {
        if (renameat(AT_FDCWD, fetched->path, site->fd, name) == 0)
            return 0;
    } else if (syscall(SYS_renameat2, AT_FDCWD, fetched->path, site->fd, name, EXCHANGE) == 0) {
        return 0;                                    /* the old one goes with what was fetched */
    } else if (errno == EINVAL || errno == ENOSYS) { /* a file system without it */
        const char *aside = rh_arena_printf(site->arena, "%s.old", fetched->path);

        if (renameat(site->fd, name, AT_FDCWD, aside) == 0
            && renameat(AT_FDCWD, fetched->path, site->fd, name) == 0)
            return 0;
    }
    return rh_error_system(err, errno, "cannot put module '%s' into '%s'", name, site->modules);
}
