/* SPDX-License-Identifier: Apache-2.0 */
/* neighbours - whether paths that are given one after the other are directories or symbolic links. */
#include "config.h"

#include "plugin/neighbours.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/safe-path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_IT = 64 };

static void
forget(struct rh_neighbours *n)
{
    rh_map_clear(&n->special);
    while (n->n_names)
        free(n->names[--n->n_names]);
    free(rh_take(&n->directory));
    n->is_read = false;
    n->asked = 0;
}

void
rh_neighbours_clear(struct rh_neighbours *n)
{
    forget(n);
    free(n->names);
    *n = (struct rh_neighbours){ 0 };
}

static bool
read_all(struct rh_neighbours *n)
{
    rh_autoclose int fd = rh_safe_open(n->directory, true, O_RDONLY | O_DIRECTORY, 0, NULL);
    rh_autoclosedir DIR *d = fdopendir(fd); /* NULL for -1, too */
    const struct dirent *e;

    if (!d)
        return false;
    (void)rh_take_fd(&fd); /* it is closed with the directory */
    while ((e = readdir(d))) {
        if (e->d_type == DT_REG)
            continue;
        n->names = rh_xgrow(n->names, &n->cap_names, n->n_names, sizeof *n->names);
        n->names[n->n_names] = rh_xstrdup(e->d_name);
        (void)rh_map_put(&n->special, n->names[n->n_names], n->names[n->n_names]);
        n->n_names++;
    }
    return true;
}

bool
rh_neighbours_are_plain(struct rh_neighbours *n, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || !slash[1])
        return false;
    if (!n->directory || (size_t)(slash + 1 - path) != n->n || memcmp(path, n->directory, n->n) != 0) {
        forget(n);
        n->n = (size_t)(slash + 1 - path);
        n->directory = rh_xstrndup(path, n->n);
    }
    if (++n->asked == WORTH_IT)
        n->is_read = read_all(n);
    return n->is_read && !rh_map_get(&n->special, slash + 1);
}
