/* SPDX-License-Identifier: Apache-2.0 */
/* notify - says to systemd that the agent is alive. The protocol is a datagram of text: no library is needed
 * for it. */
#include "config.h"

#include "agent/notify.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct {
    struct sockaddr_un to;
    socklen_t length; /* 0: there is no socket */
    double every, last;
} notify;

void
rh_notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET"), *usec = getenv("WATCHDOG_USEC");
    size_t n = path ? strlen(path) : 0;

    if (n > 1 && n < sizeof notify.to.sun_path && (*path == '/' || *path == '@')) {
        notify.to.sun_family = AF_UNIX;
        memcpy(notify.to.sun_path, path, n);
        if (*path == '@')
            notify.to.sun_path[0] = '\0';
        notify.length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
        if (usec)
            notify.every = (double)strtoull(usec, NULL, 10) / 3e6;
    }
    (void)unsetenv("NOTIFY_SOCKET");
    (void)unsetenv("WATCHDOG_USEC");
    (void)unsetenv("WATCHDOG_PID");
}

void
rh_notify(const char *text)
{
    rh_autoclose int fd = notify.length ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;

    if (fd >= 0)
        (void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&notify.to,
                     notify.length);
}

void
rh_notify_alive(void)
{
    double now = rh_now();

    if (notify.every <= 0 || now < notify.last + notify.every)
        return;
    notify.last = now;
    rh_notify("WATCHDOG=1");
}
