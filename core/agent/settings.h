/* SPDX-License-Identifier: Apache-2.0 */
/* settings - agent.yaml: what the agent gets from where, and when. */
#ifndef RH_AGENT_SETTINGS_H
#define RH_AGENT_SETTINGS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct rh_arena;
struct rh_complaints;

#define RH_AGENT_SETTINGS "/etc/rhost/agent.yaml"

/* A time of the week in which no run begins: minutes of the day, in local time; `to` may be on the next
 * day. */
struct rh_blackout {
    unsigned days; /* bit 0: Sunday */
    int from, to;
};

struct rh_agent_settings {
    const char *source, *reports; /* URLs without a slash at the end; reports NULL: they stay in the spool */
    const char *hints;            /* the URL of a broker; or NULL */
    const char *signers, *ca, *certificate, *key; /* files; or NULL */
    const char *devices;                          /* a file of targets; or NULL */
    const char *fetch_user, *environment;         /* names; or NULL */
    const char *const *roles;
    size_t n_roles;
    const struct rh_blackout *blackouts;
    size_t n_blackouts;
    int64_t interval, timeout; /* seconds */
    int64_t hint_spread;       /* seconds */
    int64_t min_revision;
    int64_t failures;
    int64_t spool_reports, spool_bytes;
    bool allow_http;
};

/* What holds where nothing is said. */
void rh_agent_settings_init(struct rh_agent_settings *s);

/* Reads a file of settings, whose texts go into `a`; -1 after complaints. As root, the file must be one that
 * others cannot change. */
RH_CHECKED int rh_agent_settings_read(struct rh_agent_settings *s, struct rh_arena *a, const char *path,
                                      struct rh_complaints *complaints);

/* 90s, 30m, 12h, 7d; false: it is none. */
bool rh_agent_duration(const char *text, int64_t *seconds);

/* A URL without the slashes at its end. */
const char *rh_agent_url(struct rh_arena *a, const char *url);

/* What a URL is for. */
enum rh_agent_url { RH_URL_SOURCE, RH_URL_REPORTS, RH_URL_HINTS };

/* Whether it can be that: NULL; else the reason why not. */
const char *rh_agent_url_refusal(const char *url, enum rh_agent_url use);

/* Whether no run may begin at this time. */
bool rh_agent_is_blackout(const struct rh_agent_settings *s, time_t now);

#endif
