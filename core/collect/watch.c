/* SPDX-License-Identifier: Apache-2.0 */
/* watch - takes reports as they come. inotify(7) says which directories have new ones; where it does not, and
 * once a minute in any case, all of them are read. */
#include "config.h"

#include "collect/collect-parts.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum {
    ALL = 60000,  /* ms between two times that all directories are read */
    POLL = 2000,  /* the same without inotify */
    LATER = 5000, /* until what may still grow is read again */
    GATHER = 50,  /* for which reports gather in one batch */
    ROOM = 64 << 10,
    SECOND = 1000,
};

struct host {
    char *name;
    bool changed;
};

struct watch {
    int fd;             /* of inotify; -1: it cannot be used */
    int top;            /* watches the folder itself */
    struct host *hosts; /* by the number of the watch */
    size_t n, n_changed;
    bool all; /* all directories are to be read */
};

static int
add(struct watch *w, int fd, unsigned events)
{
    char path[64];

    /* The directory that was opened, whatever has its name now. */
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return inotify_add_watch(w->fd, path, events | IN_ONLYDIR);
}

static void
stop_watching(struct watch *w, const char *why)
{
    rh_log(RH_WARNING, "cannot watch the folder: %s; it is read every %d seconds", why, POLL / SECOND);
    rh_cleanup_close(&w->fd);
    w->fd = -1;
}

/* A directory is watched before it is read, so that no report comes between. */
static void
found(void *data, const char *host, int fd)
{
    struct watch *w = data;
    int number;

    if (w->fd < 0)
        return;
    number = add(w, fd, IN_CLOSE_WRITE | IN_MOVED_TO);
    if (number < 0) {
        stop_watching(w, errno == ENOSPC ? "too many directories (fs.inotify.max_user_watches)"
                                         : strerror(errno));
        return;
    }
    if ((size_t)number >= w->n) {
        size_t n = (size_t)number * 2 + 64;

        w->hosts = rh_xrealloc(w->hosts, rh_xmul(n, sizeof *w->hosts));
        memset(w->hosts + w->n, 0, (n - w->n) * sizeof *w->hosts);
        w->n = n;
    }
    if (!w->hosts[number].name || strcmp(w->hosts[number].name, host) != 0) {
        free(w->hosts[number].name);
        w->hosts[number].name = rh_xstrdup(host);
    }
}

static void
note(struct watch *w, const struct inotify_event *e)
{
    if (e->mask & IN_Q_OVERFLOW || e->wd == w->top || e->wd < 0) {
        w->all = true;
    } else if (e->mask & IN_IGNORED) {
        if ((size_t)e->wd < w->n) {
            w->n_changed -= w->hosts[e->wd].changed;
            free(w->hosts[e->wd].name);
            w->hosts[e->wd] = (struct host){ 0 };
        }
    } else if ((size_t)e->wd < w->n && w->hosts[e->wd].name && !w->hosts[e->wd].changed
               && (!e->len || rh_folder_is_report(e->name))) {
        w->hosts[e->wd].changed = true;
        w->n_changed++;
    }
}

static void
read_events(struct watch *w)
{
    _Alignas(struct inotify_event) char room[ROOM];
    ssize_t n;

    while ((n = read(w->fd, room, sizeof room)) > 0)
        for (const char *p = room; p < room + n;) {
            struct inotify_event e;

            memcpy(&e, p, sizeof e);
            note(w, (const struct inotify_event *)(const void *)p);
            p += sizeof e + e.len;
        }
}

/* Until something has come, and for the time in which more gathers; at most until `end`. */
static void
wait_for_reports(struct watch *w, double end)
{
    double now;

    while (!rh_interrupted() && !w->all && (now = rh_now()) < end) {
        struct pollfd p = { .fd = w->fd, .events = POLLIN };
        double left = (end - now) * 1000;

        if (poll(&p, w->fd >= 0, left > 500 ? 500 : (int)left + 1) > 0) {
            read_events(w);
            if (w->n_changed && end > rh_now() + (double)GATHER / 1000)
                end = rh_now() + (double)GATHER / 1000;
            if (w->n_changed >= RH_BATCH)
                return;
        }
    }
}

static int
read_changed(struct rh_collector *c, struct watch *w, struct rh_error *err)
{
    for (size_t i = 0; i < w->n && w->n_changed; i++)
        if (w->hosts[i].changed) {
            w->hosts[i].changed = false;
            w->n_changed--;
            if (rh_collector_scan_host(c, w->hosts[i].name, err) < 0)
                return -1;
        }
    return rh_collector_flush(c, err);
}

/* Removes old reports also while none come, and connects again where a connection was lost. */
static int
keep_up(struct rh_collector *c, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    enum rh_store_fault fault = RH_FAULT_AWAY;

    if (rh_batch_open(c, &fault, &why) == 0)
        return 0;
    rh_store_close(c->store);
    c->store = NULL;
    if (fault == RH_FAULT_REFUSED) {
        rh_error_move(err, &why);
        return -1;
    }
    if (!c->failures++)
        rh_log_error(RH_WARNING, &why);
    return 0;
}

static int
watch(struct rh_collector *c, struct watch *w, struct rh_error *err)
{
    double next = 0;

    while (!rh_interrupted()) {
        if (w->all || rh_now() >= next) {
            w->all = false;
            if (keep_up(c, err) < 0 || rh_collector_scan(c, found, w, err) < 0)
                return -1;
            next = rh_now() + (double)(w->fd < 0 ? POLL : ALL) / 1000;
        } else if (read_changed(c, w, err) < 0) {
            return -1;
        }
        if (c->later && next > rh_now() + (double)LATER / 1000)
            next = rh_now() + (double)LATER / 1000;
        wait_for_reports(w, next);
    }
    return 0;
}

int
rh_collector_watch(struct rh_collector *c, struct rh_error *err)
{
    struct watch w = { .top = -1 };
    int rc;

    w.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w.fd >= 0)
        w.top = add(&w, c->folder.fd, IN_CREATE | IN_MOVED_TO);
    if (w.fd < 0 || w.top < 0)
        stop_watching(&w, strerror(errno));
    rc = watch(c, &w, err);
    rh_cleanup_close(&w.fd);
    for (size_t i = 0; i < w.n; i++)
        free(w.hosts[i].name);
    free(w.hosts);
    return rc < 0 && !rh_interrupted() ? -1 : 0;
}
