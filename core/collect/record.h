/* SPDX-License-Identifier: Apache-2.0 */
/* record - a report of a run as it is stored: read from JSON that some machine has sent, and nothing in it is
 * trusted. docs/reference/reports.md describes what reports have. */
#ifndef RH_COLLECT_RECORD_H
#define RH_COLLECT_RECORD_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;

enum {
    RH_RECORD_BYTES = 16 << 20, /* the largest report */
    RH_RECORD_TEXT = 64 << 10,  /* the longest text that is stored; longer ones are cut */
    RH_RECORD_HOST = 253,       /* the longest name of a host */
};

/* The counts of a report, in the order of the columns. */
enum rh_record_count {
    RH_COUNT_TOTAL,
    RH_COUNT_UNCHANGED,
    RH_COUNT_CHANGED,
    RH_COUNT_REFRESHED,
    RH_COUNT_FAILED,
    RH_COUNT_SKIPPED,
    RH_COUNT_WOULD_CHANGE,
    RH_COUNT_WOULD_REFRESH,
    RH_COUNT_UNKNOWN,
    RH_COUNT_IGNORED,
    RH_COUNT_EXCLUDED,
    RH_COUNT_NOT_REACHED,
    RH_COUNTS,
};
extern const char *const rh_record_count_names[RH_COUNTS];

/* Something that happened in a run. Texts are NULL where the report says nothing. */
struct rh_record_event {
    const char *kind;   /* "resource", "notification", "error" or "log" */
    const char *status; /* of a resource; the level of a log line */
    const char *type, *title, *action, *provider, *cause, *code, *message;
    const char *changes; /* JSON: a list */
    const char *file;
    int64_t line;   /* 0: not known */
    double seconds; /* below 0: not known */
};

/* Texts are valid UTF-8 without NUL, or NULL where the report says nothing. */
struct rh_record {
    const char *host; /* whose report it is: the caller says so, and not the report, but for the device */
    const char *machine_id, *name, *run, *rhost, *revision, *undoes, *rolls_back, *status, *interrupted;
    const char *started, *ended; /* 2026-11-23T22:17:46.123Z */
    const char *day;             /* 2026-11-23: that of the id of the run, so that it never differs */
    int64_t seq;                 /* 0: it has none */
    int64_t exit;
    double seconds;
    bool noop;
    int64_t counts[RH_COUNTS];
    struct rh_record_event *events;
    size_t n_events;
    struct rh_record *next; /* the run that undid this one, in the same report; or NULL */
};

/* Whether a directory of reports may have this name: letters, digits, '.', '_' and '-', and no dot first. */
bool rh_record_is_host(const char *name);

/* The same, or HOST/DEVICE: what a host is called in the database. */
bool rh_record_is_stored_host(const char *name);

/* Reads the report that `host` has sent. One about a device is of HOST/DEVICE, which no directory can be
 * called: a host reports on devices of its own only. What it points to is in the arena; `host` is borrowed.
 * NULL with an error that gives the reason. */
RH_CHECKED struct rh_record *rh_record_read(struct rh_arena *a, const char *host, const char *text, size_t n,
                                            struct rh_error *err);

#endif
