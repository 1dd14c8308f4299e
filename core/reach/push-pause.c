/* SPDX-License-Identifier: Apache-2.0 */
/* push-pause - Ctrl-Z: this process stops, and another one gives the targets signs of life until it goes on.
 */
#include "config.h"

#include "base/status-line.h"
#include "base/wait.h"
#include "reach/push-parts.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t asked;
static struct sigaction before;
static bool taken;

static void
note(int signal)
{
    (void)signal;
    asked = 1;
}

void
rh_push_pause_open(void)
{
    struct sigaction action = { .sa_handler = note };

    asked = 0;
    sigemptyset(&action.sa_mask);
    taken = sigaction(SIGTSTP, NULL, &before) == 0 && before.sa_handler == SIG_DFL
            && sigaction(SIGTSTP, &action, NULL) == 0;
}

void
rh_push_pause_close(void)
{
    if (taken)
        (void)sigaction(SIGTSTP, &before, NULL);
    taken = false;
}

/* Only where no frame is under way, and nothing else writes: the controller is stopped. */
static void
give_signs(const struct rh_host *hosts, size_t n)
{
    static const char ping[] = { RH_WIRE_PING, 0, 0, 0, 0 };

    for (size_t i = 0; i < n; i++)
        if (rh_host_is_idle(&hosts[i]))
            rh_discard(rh_child_write(hosts[i].child.in, ping, sizeof ping));
}

void
rh_push_pause(const struct rh_host *hosts, size_t n)
{
    pid_t self = getpid(), other;

    if (!asked)
        return;
    asked = 0;
    rh_status_line_hide();
    other = fork();
    if (other == 0) {
        (void)setsid(); /* the terminal stops it no more */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == self) {
            give_signs(hosts, n);
            (void)sleep(RH_PUSH_PING);
        }
        _exit(0);
    }
    (void)raise(SIGSTOP);
    if (other > 0) {
        (void)kill(other, SIGKILL);
        rh_discard(rh_wait_child(other, NULL));
    }
}
