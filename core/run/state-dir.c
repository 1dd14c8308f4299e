/* SPDX-License-Identifier: Apache-2.0 */
/* state-dir - the directory in which runs keep what they must know of each other. */
#include "config.h"

#include "run/state.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int
rh_state_dir_open(const char *path, bool make, struct rh_error *err)
{
    rh_autofree char *why = NULL;
    rh_autoclose int fd = -1;
    struct stat st;

    /* As root, nor may others put another in its place. */
    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER | RH_TRUST_MISSING, err) < 0)
        return rh_error_prefix(err, "cannot use the state directory");
    if (make
        && (rh_make_directory(path, 0700, err) < 0
            || (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER, err) < 0)))
        return rh_error_prefix(err, "cannot use the state directory");
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && !make)
        return -1;
    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open the state directory '%s'", path);
    st.st_mode &= ~(mode_t)S_ISVTX; /* nobody else may add to it either */
    if ((why = rh_trust_refusal(&st, 0)))
        return rh_error_set(err, RH_EINPUT,
                            "cannot use the state directory '%s': %s; it must belong to root or to you, "
                            "and nobody else may write to it",
                            path, why);
    return rh_take_fd(&fd);
}
