/* SPDX-License-Identifier: Apache-2.0 */
/* scan - reads the folder, and waits for a database that is away. */
#include "config.h"

#include "collect/collect-parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "collect/record.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ITEM = 256,     /* bytes that a file takes beside its text */
    FIRST_WAIT = 1, /* seconds until the database is tried again; doubled each time */
    LONGEST_WAIT = 60,
    REMIND = 600, /* seconds after which it is said again that the database is away */
};

/* A part of the time at random, so that many collectors do not come back at once. */
static double
wait_time(unsigned failures)
{
    double most = FIRST_WAIT;
    unsigned seed = (unsigned)(rh_real_time() * 1e6) ^ (unsigned)getpid();

    for (unsigned i = 1; i < failures && most < LONGEST_WAIT; i++)
        most *= 2;
    if (most > LONGEST_WAIT)
        most = LONGEST_WAIT;
    return most / 2 + most / 2 * (double)(rand_r(&seed) % 1000) / 1000;
}

/* Until then, or until a signal comes. */
static void
wait_until(double when)
{
    double left;

    while (!rh_interrupted() && (left = when - rh_now()) > 0)
        (void)poll(NULL, 0, left > 0.5 ? 500 : (int)(left * 1000) + 1);
}

static void
say_away(struct rh_collector *c, const struct rh_error *err)
{
    double now = rh_now();

    if (c->failures > 1 && now - c->failed_at < REMIND)
        return;
    c->failed_at = now;
    rh_log(RH_WARNING, "%s; the reports stay in '%s', and it is tried again", err->message, c->folder.path);
}

static int
end_by_signal(const struct rh_collector *c, struct rh_error *err)
{
    return rh_error_set(err, RH_ESYSTEM, "ended by a signal; the reports stay in '%s'", c->folder.path);
}

int
rh_collector_flush(struct rh_collector *c, struct rh_error *err)
{
    if (!c->n)
        rh_batch_clear(c);
    while (c->n) {
        rh_autoerror struct rh_error why = { 0 };
        enum rh_store_fault fault = RH_FAULT_AWAY;

        if (rh_batch_store(c, &fault, &why) == 0) {
            if (c->failures)
                rh_log(RH_NOTICE, "the database takes reports again");
            c->failures = 0;
            return 0;
        }
        if (!c->settings->watch || fault == RH_FAULT_REFUSED) {
            rh_error_move(err, &why);
            return -1;
        }
        c->failures++;
        say_away(c, &why);
        wait_until(rh_now() + wait_time(c->failures));
        if (rh_interrupted())
            return end_by_signal(c, err);
    }
    return 0;
}

static void
leave_later(struct rh_collector *c, const struct rh_error *why)
{
    c->counts.left++;
    c->later = true;
    /* What may still grow needs no message. */
    if (why->kind == RH_ESYSTEM && !c->warned) {
        rh_log_error(RH_WARNING, why);
        c->warned = true;
    }
}

static int
take(struct rh_collector *c, int fd, const char *host, const char *name, struct rh_error *err)
{
    struct rh_item *item = &c->items[c->n];
    rh_autoerror struct rh_error why = { 0 };
    enum rh_take took = rh_folder_take(c->arena, fd, host, name, item, &why);

    /* What was read takes memory until the next flush, also when it was no report. */
    c->bytes += ITEM + (size_t)item->st.st_size;
    switch (took) {
    case RH_TAKE_OK:
        if (rh_revoked_has(&c->revoked, host))
            rh_batch_quarantine(c, item, "the certificate of its host was revoked");
        else
            c->n++;
        break;
    case RH_TAKE_BAD:
        rh_batch_quarantine(c, item, why.message);
        break;
    case RH_TAKE_LATER:
        leave_later(c, &why);
        break;
    case RH_TAKE_GONE:
        break;
    }
    return c->n == RH_BATCH || c->bytes >= RH_BATCH_BYTES ? rh_collector_flush(c, err) : 0;
}

static int
scan_directory(struct rh_collector *c, const char *host, int fd, struct rh_error *err)
{
    rh_autoclosedir DIR *d = NULL;
    const struct dirent *e;

    d = fdopendir(fd);
    if (!d) {
        (void)close(fd);
        return rh_error_system(err, errno, "cannot read the directory '%s'", host);
    }
    while (!rh_interrupted() && (e = readdir(d)))
        if (rh_folder_is_report(e->d_name) && take(c, fd, host, e->d_name, err) < 0)
            return -1;
    return 0;
}

/* Once it was read, an older list is better than none. */
static int
read_revoked(struct rh_collector *c, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    if (!c->settings->revoked || rh_revoked_read(&c->revoked, c->settings->revoked, &why) == 0)
        return 0;
    if (!c->revoked.text) {
        rh_error_move(err, &why);
        return -1;
    }
    if (!c->warned)
        rh_log_error(RH_WARNING, &why);
    c->warned = true;
    return 0;
}

int
rh_collector_scan_host(struct rh_collector *c, const char *host, struct rh_error *err)
{
    int fd;

    if (read_revoked(c, err) < 0)
        return -1;
    fd = rh_folder_host(&c->folder, host);
    if (fd >= 0)
        return scan_directory(c, host, fd, err);
    c->later = true; /* the scan of all directories says why */
    return 0;
}

/* A directory for a host, or what is none. */
static void
say_no_host(struct rh_collector *c, const char *name, const char *why)
{
    rh_autofree char *safe = rh_safe_text(name);

    if (!c->warned)
        rh_log(RH_WARNING, "'%s' in the folder is not read: %s", safe, why);
    c->warned = true;
    c->counts.left++;
}

int
rh_collector_scan(struct rh_collector *c, void (*found)(void *data, const char *host, int fd), void *data,
                  struct rh_error *err)
{
    rh_autoclosedir DIR *d = NULL;
    const struct dirent *e;
    int top = rh_folder_host(&c->folder, ".");

    c->later = c->warned = false;
    if (read_revoked(c, err) < 0) {
        rh_cleanup_close(&top);
        return -1;
    }
    d = top < 0 ? NULL : fdopendir(top);
    if (!d) {
        if (top >= 0)
            (void)close(top);
        return rh_error_system(err, errno, "cannot read the directory '%s'", c->folder.path);
    }
    while (!rh_interrupted() && (e = readdir(d))) {
        int fd;

        if (e->d_name[0] == '.')
            continue;
        if (!rh_record_is_host(e->d_name)) {
            say_no_host(c, e->d_name, "it is not the name of a host");
            continue;
        }
        fd = rh_folder_host(&c->folder, e->d_name);
        if (fd < 0 && errno == ENOENT)
            continue;
        if (fd < 0) {
            say_no_host(c, e->d_name, strerror(errno));
            continue;
        }
        if (found)
            found(data, e->d_name, fd);
        if (scan_directory(c, e->d_name, fd, err) < 0)
            return -1;
    }
    if (rh_collector_flush(c, err) < 0)
        return -1;
    if (rh_interrupted() && !c->settings->watch)
        return end_by_signal(c, err);
    return 0;
}
