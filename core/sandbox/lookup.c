/* SPDX-License-Identifier: Apache-2.0 */
/* lookup - opens what the paths of a plan name, so that rules and mounts are made for what was found and not
 * for a name that may mean something else a moment later. */
#include "config.h"

#include "sandbox/parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Where it is without symbolic links; NULL where that is as in the plan. */
static char *
real_path(const struct rh_confined_path *p)
{
    char link[64], real[PATH_MAX];
    ssize_t n;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", p->fd);
    n = readlink(link, real, sizeof real - 1);
    if (n <= 0 || real[0] != '/')
        return NULL;
    real[n] = '\0';
    return strcmp(real, p->path) == 0 ? NULL : rh_xstrdup(real);
}

/* The nearest directory above it that exists. */
static int
open_above(const char *path)
{
    rh_autofree char *above = rh_xstrdup(path);

    for (;;) {
        char *slash = strrchr(above, '/');
        int fd;

        slash[slash == above] = '\0';
        fd = rh_safe_open(above, true, O_PATH | O_DIRECTORY, 0, NULL);
        if (fd >= 0 || (errno != ENOENT && errno != ENOTDIR) || slash == above)
            return fd;
    }
}

static int
look_up(struct rh_confined_path *p, struct rh_error *err)
{
    struct stat st;

    /* Those of the runtime are fixed, and no lesser user can change the way to them: one call instead of a
     * walk. */
    p->fd = p->runtime ? open(p->path, O_PATH | O_CLOEXEC) : rh_safe_open(p->path, true, O_PATH, 0, NULL);
    if (p->fd >= 0) {
        if (fstat(p->fd, &st) < 0)
            return rh_error_system(err, errno, "cannot open '%s'", p->path);
        p->node = !S_ISDIR(st.st_mode);
        p->special = p->node && !S_ISREG(st.st_mode);
        p->effective = p->access;
        p->granted = RH_GRANTED_WHOLE;
        if (!p->runtime) {
            free(p->real);
            p->real = real_path(p);
        }
        return 0;
    }
    p->effective = 0;
    p->granted = RH_GRANTED_NOT;
    switch (errno) {
    case ENOENT:
    case ENOTDIR:
        if (p->access & RH_ACCESS_MAKE)
            p->fd = open_above(p->path);
        if (p->fd >= 0) {
            p->effective = RH_ACCESS_MAKE;
            p->granted = RH_GRANTED_PENDING;
        }
        return 0;
    case ELOOP: /* a lesser user can exchange it */
    case EACCES:
    case ENAMETOOLONG:
        return 0;
    default:
        return rh_error_system(err, errno, "cannot open '%s'", p->path);
    }
}

/* The program that loads dynamically linked programs, as this one has it: the kernel executes it too. */
static int
interpreter(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_INTERP)
            *(const char **)found = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1; /* the first one is the program itself */
}

void
rh_confinement_allow_loader(struct rh_confinement *c)
{
    const char *path = NULL;

    (void)dl_iterate_phdr(interpreter, &path);
    if (path)
        rh_confinement_add_runtime(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, path);
}

int
rh_confinement_lookup(struct rh_confinement *c, struct rh_error *err)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (look_up(&c->paths[i], err) < 0)
            return rh_error_prefix(err, "cannot confine the process");
    return 0;
}

void
rh_confinement_close(struct rh_confinement *c)
{
    for (size_t i = 0; i < c->n_paths; i++)
        if (!c->paths[i].lasting) {
            rh_cleanup_close(&c->paths[i].fd);
            c->paths[i].fd = -1;
        }
}
