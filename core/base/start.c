/* SPDX-License-Identifier: Apache-2.0 */
/* start - how each program begins, whoever has started it. */
#include "config.h"

#include "base/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int
rh_program_start(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        int got;

        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* The lowest free number is this one. Commands are to inherit it: not close-on-exec. */
        got = open("/dev/null", O_RDWR);
        if (got < 0) /* a root directory without devices: the number is taken, and can't be used */
            got = open("/", O_PATH | O_DIRECTORY);
        if (got != fd)
            return -1;
    }
    (void)signal(SIGXFSZ, SIG_IGN);
    return 0;
}
