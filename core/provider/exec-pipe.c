/* SPDX-License-Identifier: Apache-2.0 */
/* exec-pipe - the pipes between us and what we run, and its input. */
#include "config.h"

#include "provider/exec-child.h"

#include "base/io.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void
rh_exec_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static int
move_up(int fd)
{
    int moved = fd > 2 || fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 3);

    if (moved != fd)
        (void)close(fd);
    return moved;
}

int
rh_exec_pipe(int ends[2])
{
    int raw[2];

    if (pipe2(raw, O_CLOEXEC) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        ends[i] = move_up(raw[i]);
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    rh_exec_close(&ends[0]);
    rh_exec_close(&ends[1]);
    return -1;
}

int
rh_exec_input(const void *bytes, size_t n)
{
    rh_autoclose int fd = n ? memfd_create("rhost-input", MFD_CLOEXEC | MFD_ALLOW_SEALING)
                            : open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return -1;
    if (n
        && (fchmod(fd, 0400) < 0 || rh_write_all(fd, bytes, n) < 0 || lseek(fd, 0, SEEK_SET) < 0
            || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0))
        return -1;
    return move_up(rh_take_fd(&fd));
}
