/* SPDX-License-Identifier: Apache-2.0 */
/* agent - the agent of this machine, while it has the lock of its directory. */
#ifndef RH_AGENT_AGENT_H
#define RH_AGENT_AGENT_H

#include "agent/memory.h"
#include "agent/settings.h"
#include "agent/spool.h"
#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rh_arena;
struct rh_error;

/* rhost-nats, while it listens for hints. */
struct rh_agent_hints {
    int fd;
    pid_t pid; /* 0: it does not run */
    double again_at, pause,
        due; /* when it is started again, after which pause; when the last hint was taken */
    bool warned;
};

struct rh_agent {
    struct rh_arena *arena; /* of one cycle: the memory's texts */
    struct rh_agent_settings settings;
    struct rh_agent_memory memory;
    struct rh_spool spool;
    const char *state_dir;      /* of rhost */
    char *directory;            /* of the agent, beside it: rhost lets no report into its own */
    const char *program;        /* rhost */
    const char *const *options; /* for it, after its command */
    size_t n_options;
    char id[33], name[66]; /* of this machine */
    struct rh_agent_hints hints;
    double ship_after;      /* no report is sent before, by rh_now() */
    unsigned ship_failures; /* in a row */
    bool reached;           /* the channel of the source was got in this cycle */
    double trouble_after;   /* what cannot be remembered is not reported again before, by rh_now() */
};

/* The directory of the agent that uses this state directory; the caller's. */
char *rh_agent_directory(const char *state_dir);

/* Makes the directory, takes the lock, and finds out which machine this is. The kind of the error is
 * RH_ELOCKED where another agent has the lock. */
RH_CHECKED int rh_agent_open(struct rh_agent *agent, struct rh_error *err);
void rh_agent_close(struct rh_agent *agent);

/* source.c */

/* Brings channel.json up to date: it is verified, and not older than what was seen. -1 with an error where
 * the source cannot be reached, or what it gives is not accepted: the one that is there stays. */
RH_CHECKED int rh_agent_get_channel(struct rh_agent *agent, struct rh_error *err);

/* The revision that the channel wants on this machine, and nothing new after it has expired: -1 with an
 * error. */
RH_CHECKED int rh_agent_wanted(struct rh_agent *agent, int64_t *revision, struct rh_error *err);

/* bundles.c */

/* Gets the bundle, unless it is there: description, signature, archive. */
RH_CHECKED int rh_agent_get_bundle(struct rh_agent *agent, int64_t revision, struct rh_error *err);

/* Removes the bundles that are neither good, nor the previous one, nor tried, nor wanted by the channel. */
void rh_agent_remove_bundles(const struct rh_agent *agent);

/* The description of a bundle that was got; the caller's. */
char *rh_agent_bundle_path(const struct rh_agent *agent, int64_t revision);

/* apply.c */

/* Starts a program in a session of its own: what asks the agent to end does not end a run. What it prints
 * goes to `output`; -1: to where the agent prints. */
RH_CHECKED int rh_agent_start(char *const *argv, int output, pid_t *pid, struct rh_error *err);

/* Waits for it. The watchdog of systemd hears from the agent meanwhile. */
RH_CHECKED int rh_agent_wait_child(pid_t pid, int *status, struct rh_error *err);

/* Puts into the spool what runs have reported meanwhile whose agent was killed. */
RH_CHECKED int rh_agent_collect(struct rh_agent *agent, struct rh_error *err);

/* Applies a bundle that was got, and puts the report of the run into the spool. `worked`: nothing failed.
 * `hindered`: another run had the lock, or waited to be confirmed, or the run was refused before it began: it
 * says nothing about the revision, and the error may say why. -1 with an error where nothing began. */
RH_CHECKED int rh_agent_apply(struct rh_agent *agent, int64_t revision, bool *worked, bool *hindered,
                              struct rh_error *err);

/* Applies devices/DEVICE.yaml of the bundle to a device, in a state directory of its own; the report goes to
 * the spool, as one of this device. -1 with an error where nothing began. */
RH_CHECKED int rh_agent_apply_device(struct rh_agent *agent, const char *device, int64_t revision,
                                     bool *worked, struct rh_error *err);

/* A dry run of a bundle that was got, whose report goes to the spool. */
RH_CHECKED int rh_agent_dry_run(struct rh_agent *agent, int64_t revision, struct rh_error *err);

/* devices.c */

/* Applies the bundle to each device of the settings. `worked`: nothing failed. -1 with an error where it
 * cannot be found out which devices there are. */
RH_CHECKED int rh_agent_apply_devices(struct rh_agent *agent, int64_t revision, bool *worked,
                                      struct rh_error *err);

/* preview.c */

/* Makes the dry run that the source asks for, once: preview.json is signed as the channel is. -1 with an
 * error where it cannot be made; the next cycle tries again. */
RH_CHECKED int rh_agent_preview(struct rh_agent *agent, struct rh_error *err);

/* report.c */

/* Puts a report of the agent itself into the spool: what hinders it. */
RH_CHECKED int rh_agent_report(struct rh_agent *agent, int64_t revision, const struct rh_error *why,
                               struct rh_error *err);

/* The same about a device, with a number of its runs; NULL: about this machine. */
RH_CHECKED int rh_agent_report_device(struct rh_agent *agent, const char *device, int64_t revision,
                                      const struct rh_error *why, struct rh_error *err);

/* ship.c */

/* Sends the reports of the spool, unless it must wait after a failure. */
RH_CHECKED int rh_agent_ship(struct rh_agent *agent, struct rh_error *err);

/* cycle.c */

/* One cycle: channel, bundle, run, reports. `boot`: what is good is applied before the source is asked. The
 * exit status of rhost; what was wrong was logged and reported. */
int rh_agent_cycle(struct rh_agent *agent, bool boot);

/* control.c: what an operator says to the agent, by files of its directory. */

/* Why no run may begin, the caller's; NULL: it may. */
char *rh_agent_disabled(const char *directory);

RH_CHECKED int rh_agent_disable(const char *directory, const char *until, const char *reason,
                                struct rh_error *err);
RH_CHECKED int rh_agent_enable(const char *directory, struct rh_error *err);

/* Whether the operator has enabled it since this was asked last: a revision that was given up is tried
 * again. */
bool rh_agent_enabled_again(const char *directory);

/* Prints what the agent remembers. */
RH_CHECKED int rh_agent_status(const char *directory, bool json, struct rh_error *err);

#endif
