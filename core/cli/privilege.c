/* SPDX-License-Identifier: Apache-2.0 */
/* privilege - resources that this user has not the rights to apply, said once and before the first one is
 * applied. */
#include "config.h"

#include "cli/session.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "schema/need.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMED = 10 }; /* of them, in the message */

/* What is written beside a path and put in its place takes the right to write to the directory; where that
 * does not exist, to the nearest one above. */
static bool
is_writable(const char *path)
{
    rh_autofree char *at = rh_xstrdup(path);
    struct stat st;

    if (stat(at, &st) == 0 && S_ISDIR(st.st_mode))
        return faccessat(AT_FDCWD, at, W_OK, AT_EACCESS) == 0;
    for (char *end; (end = strrchr(at, '/'));) {
        end[end == at] = '\0'; /* "/" stays */
        if (faccessat(AT_FDCWD, at, W_OK, AT_EACCESS) == 0)
            return true;
        if ((errno != ENOENT && errno != ENOTDIR) || end == at)
            return false;
    }
    return true; /* not a path: nothing is known of it */
}

static bool
lacks_rights(const struct rh_resource *r, const struct rh_rights *rights)
{
    return r->type && !r->type->defined && !r->noop && !(r->type->features & RH_REMOTE_RESOURCE)
           && !rh_needs_are_met(r->type, r->name, r->should, rights);
}

static void
add_name(struct rh_buf *names, const struct rh_resource *r, size_t n)
{
    if (n >= NAMED)
        return;
    rh_buf_addf(names, "%s%s[", n ? ", " : "", r->type->type);
    rh_buf_add_safe(names, r->title, strlen(r->title), false);
    rh_buf_addc(names, ']');
}

void
rh_privilege_warn(const struct rh_session *s)
{
    const struct passwd *user = getpwuid(geteuid());
    const struct rh_rights rights = {
        .uid = geteuid(),
        .user = user ? user->pw_name : NULL,
        .writable = is_writable,
    };
    rh_autobuf struct rh_buf names = { 0 };
    rh_autofree bool *met = NULL;
    size_t n = 0, all = 0;

    if (rights.uid == 0 || s->settings->noop || s->device)
        return;
    met = rh_xalloc(s->catalog.n_resources * sizeof *met);
    for (size_t i = 0; i < s->order.n; i++) {
        const struct rh_resource *r = s->catalog.list[s->order.entries[i]].resource;

        if (met[r->index])
            continue;
        met[r->index] = true;
        all++;
        if (lacks_rights(r, &rights))
            add_name(&names, r, n++);
    }
    if (n > NAMED)
        rh_buf_addf(&names, ", and %zu more", n - NAMED);
    if (n)
        rh_log(RH_WARNING, "%zu of %zu %s rights that this user does not have: %s", n, all,
               n == 1 ? "resources needs" : "resources need", rh_buf_text(&names));
}
