/* SPDX-License-Identifier: Apache-2.0 */
/* exec-pipe - the pipes between us and what we run. */
#include "config.h"

#include "provider/exec-child.h"

#include <fcntl.h>
#include <unistd.h>

void
rh_exec_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

int
rh_exec_pipe(int ends[2])
{
    int raw[2];

    if (pipe2(raw, O_CLOEXEC) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        ends[i] = raw[i] > 2 ? raw[i] : fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] != raw[i])
            (void)close(raw[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0)
        return 0;
    rh_exec_close(&ends[0]);
    rh_exec_close(&ends[1]);
    return -1;
}
