/* SPDX-License-Identifier: Apache-2.0 */
/* exec-tree - finding and ending every process below one. */
#include "config.h"

#include "provider/exec-child.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUND = 10, KILL_FOR = 5000 }; /* milliseconds */

struct process {
    pid_t pid, parent;
    bool below, dead;
};

struct processes {
    struct process *at;
    size_t n, cap;
};

/* Reads the state and the parent out of /proc/PID/stat; false when it is gone. */
static bool
read_process(int proc, const char *name, struct process *p)
{
    char path[64], text[512];
    const char *after;
    char state;
    int parent;
    ssize_t len;

    if (snprintf(path, sizeof path, "%s/stat", name) >= (int)sizeof path)
        return false;
    rh_autoclose int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    len = read(fd, text, sizeof text - 1);
    if (len <= 0)
        return false;
    text[len] = '\0';
    after = strrchr(text, ')'); /* the name before it may contain anything */
    if (!after || sscanf(after + 1, " %c %d", &state, &parent) != 2)
        return false;
    p->pid = (pid_t)strtol(name, NULL, 10);
    p->parent = parent;
    p->dead = state == 'Z' || state == 'X';
    p->below = false;
    return true;
}

/* /proc may belong to another pid namespace, where the numbers mean others than we do. */
static bool
proc_is_ours(void)
{
    char self[32];
    ssize_t len = readlink("/proc/self", self, sizeof self - 1);

    if (len <= 0)
        return false;
    self[len] = '\0';
    return strtol(self, NULL, 10) == getpid();
}

static bool
has_parent_below(const struct processes *all, pid_t parent, pid_t top)
{
    if (parent == top)
        return true;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].pid == parent)
            return all->at[i].below;
    return false;
}

static bool
list_below(pid_t top, struct processes *all)
{
    rh_autoclosedir DIR *dir = proc_is_ours() ? opendir("/proc") : NULL;
    bool more = true;

    all->n = 0;
    if (!dir)
        return false;
    for (const struct dirent *e; (e = readdir(dir));) {
        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        all->at = rh_xgrow(all->at, &all->cap, all->n, sizeof *all->at);
        if (read_process(dirfd(dir), e->d_name, &all->at[all->n]))
            all->n++;
    }
    while (more) { /* a child may be listed before its parent */
        more = false;
        for (size_t i = 0; i < all->n; i++) {
            if (!all->at[i].below && has_parent_below(all, all->at[i].parent, top))
                all->at[i].below = more = true;
        }
    }
    return true;
}

/* Sends `sig` to all that live; returns how many that was, or -1 when they can't be listed. */
static int
signal_listed(pid_t top, int sig, struct processes *all)
{
    int living = 0;

    if (!list_below(top, all))
        return -1;
    for (size_t i = 0; i < all->n; i++) {
        if (!all->at[i].below || all->at[i].dead)
            continue;
        living++;
        if (sig)
            (void)kill(all->at[i].pid, sig);
    }
    return living;
}

/* /proc is not read in one moment: a process whose parent ends meanwhile can be taken for another's. None
 * are left when none are found twice. */
static int
signal_below(pid_t top, int sig, struct processes *all)
{
    int living = signal_listed(top, sig, all);

    return living ? living : signal_listed(top, sig, all);
}

static bool
sleep_for(void *data, int milliseconds)
{
    const struct timespec pause = { .tv_nsec = milliseconds * 1000000L };

    (void)data;
    (void)nanosleep(&pause, NULL);
    return true;
}

bool
rh_exec_end_tree(pid_t keeper, int grace)
{
    return rh_exec_end_tree_watching(keeper, grace, &(struct rh_exec_pause){ .pause = sleep_for });
}

bool
rh_exec_end_tree_watching(pid_t keeper, int grace, const struct rh_exec_pause *watch)
{
    struct processes all = { 0 };
    bool goes_on = true;
    double until;
    int living;

    /* Stopped, the keeper goes on adopting, but does not go when the command does. */
    (void)kill(keeper, SIGSTOP);
    living = signal_below(keeper, SIGTERM, &all);
    /* By the clock: a signal may end a pause early, and reading /proc takes its time too. */
    for (until = rh_now() + grace / 1000.0; goes_on && living > 0 && rh_now() < until;) {
        goes_on = watch->pause(watch->data, ROUND);
        living = signal_below(keeper, 0, &all);
    }
    for (until = rh_now() + KILL_FOR / 1000.0; goes_on && living > 0 && rh_now() < until;) {
        living = signal_below(keeper, SIGKILL, &all);
        if (living > 0)
            goes_on = watch->pause(watch->data, ROUND);
    }
    (void)kill(keeper, SIGCONT);
    free(all.at);
    return living == 0;
}

void
rh_exec_kill_below(void)
{
    static const struct timespec pause = { .tv_nsec = ROUND * 1000000L };
    struct processes all = { 0 };
    double until = rh_now() + KILL_FOR / 1000.0;
    int living = signal_below(getpid(), SIGKILL, &all);

    /* One that was just being started is found the next time. */
    while (living > 0 && rh_now() < until) {
        (void)nanosleep(&pause, NULL);
        living = signal_below(getpid(), SIGKILL, &all);
    }
    free(all.at);
}
