/* SPDX-License-Identifier: Apache-2.0 */
/* ask-password - a password from the terminal. */
#include "config.h"

#include "cli/ask-password.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { LONGEST = 1024 };

/* What would leave the terminal without echo. */
static const int watched[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP };

enum { N_WATCHED = sizeof watched / sizeof watched[0] };

static volatile sig_atomic_t caught;

static void
catch_signal(int signal)
{
    caught = signal;
}

struct terminal {
    int fd;
    struct termios before;
    struct sigaction actions[N_WATCHED];
    sigset_t mask; /* as it was: the signals come only while there is nothing to read */
};

static void
hide(struct terminal *t)
{
    struct termios quiet = t->before;
    struct sigaction ours = { .sa_handler = catch_signal };
    sigset_t blocked;

    caught = 0;
    sigemptyset(&blocked);
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < N_WATCHED; i++)
        (void)sigaddset(&blocked, watched[i]);
    (void)sigprocmask(SIG_BLOCK, &blocked, &t->mask);
    for (size_t i = 0; i < N_WATCHED; i++) {
        (void)sigaction(watched[i], NULL, &t->actions[i]);
        if (t->actions[i].sa_handler != SIG_IGN)
            (void)sigaction(watched[i], &ours, NULL);
    }
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    (void)tcsetattr(t->fd, TCSAFLUSH, &quiet);
}

/* The terminal first, then the signals: one that is pending acts here. */
static void
show(struct terminal *t)
{
    int signal = caught;

    (void)tcsetattr(t->fd, TCSAFLUSH, &t->before);
    rh_discard(rh_write_all(t->fd, "\n", 1));
    for (size_t i = 0; i < N_WATCHED; i++)
        (void)sigaction(watched[i], &t->actions[i], NULL);
    (void)sigprocmask(SIG_SETMASK, &t->mask, NULL);
    if (signal)
        (void)raise(signal);
}

/* Bytes of a line without its end; -1: there is none. */
static ssize_t
read_line(const struct terminal *t, char *text)
{
    struct pollfd fd = { .fd = t->fd, .events = POLLIN };
    size_t n = 0;

    while (n < LONGEST) {
        ssize_t got;

        if (ppoll(&fd, 1, NULL, &t->mask) < 0) {
            if (errno != EINTR || caught)
                return -1;
            continue;
        }
        got = read(t->fd, text + n, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return -1;
        if (text[n] == '\n')
            return (ssize_t)n;
        n++;
    }
    return -1;
}

char *
rh_ask_password(const char *prompt, struct rh_error *err)
{
    rh_autoclose int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    struct terminal t = { .fd = fd };
    char text[LONGEST], *password = NULL;
    ssize_t n;

    if (fd < 0 || tcgetattr(fd, &t.before) < 0) {
        (void)rh_error_set(err, RH_EINPUT, "cannot ask for a password: no terminal");
        return NULL;
    }
    do {
        hide(&t);
        n = rh_write_all(fd, prompt, strlen(prompt)) == 0 ? read_line(&t, text) : -1;
        show(&t);
    } while (n < 0 && caught == SIGTSTP);
    if (n >= 0)
        password = rh_xstrndup(text, (size_t)n);
    else
        (void)rh_error_set(err, RH_EINPUT, "no password was given");
    explicit_bzero(text, sizeof text);
    return password;
}
