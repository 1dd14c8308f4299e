/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt - signals that ask a run to end. */
#include "config.h"

#include "base/interrupt.h"

#include "base/status-line.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What sends one signal may send it to the process and to its group, as timeout(1) does. */
enum { SAME_SIGNAL = 500 }; /* milliseconds */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

enum { N_SIGNALS = sizeof signals / sizeof signals[0] };

static struct sigaction before[N_SIGNALS];
static bool taken[N_SIGNALS];

static volatile sig_atomic_t caught;
static struct timespec caught_at; /* only the handler uses it */
static volatile uint32_t *volatile shared;
static const volatile uint32_t *watched;

static void (*listener)(void *data, int signal);
static void *listener_data;

static void
note(int number)
{
    volatile uint32_t *other = shared;

    (void)clock_gettime(CLOCK_MONOTONIC, &caught_at);
    caught = number;
    if (other)
        *other = (uint32_t)number;
}

static bool
is_same(void)
{
    struct timespec now;
    long long passed;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    passed = ((long long)now.tv_sec - caught_at.tv_sec) * 1000 + (now.tv_nsec - caught_at.tv_nsec) / 1000000;
    return passed < SAME_SIGNAL;
}

static void
on_signal(int number)
{
    static const char text[] = "warning: ended at once; the lock is held until the commands that were "
                               "started have ended\n";
    int why = errno;

    if (!caught) {
        note(number);
    } else if (number != SIGHUP && !is_same()) { /* closing a terminal sends more than one */
        if (rh_status_line_is_shown())
            (void)!write(STDERR_FILENO, "\n", 1);
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    errno = why;
}

void
rh_interrupt_open(void (*notice)(void *data, int signal), void *data)
{
    struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

    listener = notice;
    listener_data = data;
    caught = 0;
    sigemptyset(&act.sa_mask);
    for (size_t i = 0; i < N_SIGNALS; i++)
        sigaddset(&act.sa_mask, signals[i]);
    for (size_t i = 0; i < N_SIGNALS; i++)
        taken[i] = sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN
                   && sigaction(signals[i], &act, NULL) == 0;
}

void
rh_interrupt_forget(void)
{
    listener = NULL;
    shared = NULL;
}

void
rh_interrupt_close(void)
{
    rh_interrupt_forget();
    for (size_t i = 0; i < N_SIGNALS; i++)
        if (taken[i])
            (void)sigaction(signals[i], &before[i], NULL);
    memset(taken, 0, sizeof taken);
    caught = 0;
}

int
rh_interrupted(void)
{
    void (*notice)(void *data, int signal) = listener;
    int number = watched ? (int)*watched : caught;

    if (number && notice) {
        listener = NULL;
        notice(listener_data, number);
    }
    return number;
}

void
rh_interrupt_share(volatile uint32_t *flag)
{
    shared = flag;
    if (caught)
        *flag = (uint32_t)caught;
}

void
rh_interrupt_unshare(const volatile uint32_t *flag)
{
    if (shared == flag)
        shared = NULL;
}

void
rh_interrupt_watch(const volatile uint32_t *flag)
{
    watched = flag;
}

const char *
rh_interrupt_name(int number)
{
    return number == SIGINT ? "SIGINT" : number == SIGTERM ? "SIGTERM" : "SIGHUP";
}
