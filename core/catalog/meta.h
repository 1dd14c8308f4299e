/* SPDX-License-Identifier: Apache-2.0 */
/* meta - what a resource has beside its attributes: tags, other names, what is watched, when. */
#ifndef RH_CATALOG_META_H
#define RH_CATALOG_META_H

#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_purge;
struct rh_resource;
struct rh_schedule;
struct rh_value;

/* What is kept of its state before a change. */
enum rh_backup_wish {
    RH_BACKUP_WITHOUT_SECRETS,
    RH_BACKUP_NOT,     /* `backup: false` */
    RH_BACKUP_SECRETS, /* `backup: sensitive`: sensitive values too, encrypted */
};

struct rh_names {
    const char **v;
    size_t n;
};

struct rh_meta {
    struct rh_names tags;    /* as they were given, in lower case */
    struct rh_names aliases; /* other names for references */
    struct rh_names audit;   /* attributes, by the type's own texts */
    struct rh_names secrets; /* attributes that `sensitive` names */
    bool audits, audit_all;
    bool only_audits;              /* no property is managed, not even one that has a default */
    bool verify, verify_specified; /* read again after a change */
    bool replace;                  /* removed and created again where nothing else helps */
    enum rh_backup_wish backup;
    bool level_specified;
    enum rh_level level;                /* at which its changes are reported */
    const char *loglevel;               /* the word that said so */
    const struct rh_schedule *schedule; /* or NULL: always */
    const struct rh_purge *purge;       /* or NULL: a resource like any other */
};

/* Letters, digits and '_', and behind the first character also ':', '.' and '-'. */
bool rh_is_tag(const char *text, size_t n);

/* The tags of a resource: those that were given, its type, and its title where that is a tag. `fn` is
 * called for each. Texts are in lower case. */
void rh_resource_each_tag(const struct rh_resource *r, void (*fn)(void *data, const char *tag), void *data);

/* The level at which changes of this resource are reported. */
enum rh_level rh_resource_level(const struct rh_resource *r);

/* Puts the words as a manifest has them. */
void rh_meta_to_value(struct rh_arena *a, struct rh_value *to, const struct rh_meta *meta);

/* schedule.c: when a resource may have its turn. A question of the clock on the wall: local time. */

enum rh_period { RH_EACH_RUN, RH_HOURLY, RH_DAILY, RH_WEEKLY, RH_MONTHLY, RH_NEVER };

/* Seconds since midnight, both included; over midnight when it ends before it begins. */
struct rh_time_range {
    int32_t from, to;
};

struct rh_schedule {
    const char *name; /* or NULL, when it stands on the resource itself */
    enum rh_period period;
    bool by_number;   /* the same period of the calendar counts, not the distance */
    uint32_t repeat;  /* times in a period; at least 1 */
    uint8_t weekdays; /* bit 0 is Sunday; none: all */
    struct rh_time_range *ranges;
    size_t n_ranges; /* 0: the whole day */
};

/* When a resource was last applied; none: never. */
struct rh_last_run {
    int64_t when;
    uint32_t times; /* in the calendar's period that `when` is in */
};

/* Whether a resource that was last applied then may be applied now. When a clock was turned back, it
 * may. */
bool rh_schedule_allows(const struct rh_schedule *s, const struct rh_last_run *last, int64_t now);

/* What is known of it when it is applied now. */
struct rh_last_run rh_schedule_after(const struct rh_schedule *s, const struct rh_last_run *last,
                                     int64_t now);

/* The period of this name; -1 when there is none. */
int rh_period_find(const char *word);
const char *rh_period_name(enum rh_period period);

/* As a manifest has it on a resource. */
struct rh_value *rh_schedule_to_value(struct rh_arena *a, const struct rh_schedule *s);

#endif
