/* SPDX-License-Identifier: Apache-2.0 */
/* outcome - what is asked of a provider, and what came of it. */
#ifndef RH_PROVIDER_OUTCOME_H
#define RH_PROVIDER_OUTCOME_H

#include "base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_log_record;
struct rh_value;

enum rh_status {
    RH_UNCHANGED,
    RH_CHANGED,
    RH_WOULD_CHANGE,
    RH_REFRESHED,
    RH_WOULD_REFRESH,
    RH_FAILED,
    RH_SKIPPED,
    RH_STATUS_UNKNOWN,
    RH_EXCLUDED, /* by the host: it is not its time; by a worker: the run is to end before */
};

enum { RH_STATUSES = RH_EXCLUDED + 1 };

enum rh_strict { RH_STRICT_ERROR, RH_STRICT_WARNING, RH_STRICT_OFF };

/* Attributes that somebody wants to know about: see provider/runtime-parts.h. */
struct rh_watch {
    const char *const *names;
    const bool *secret; /* of each: whether it is told as a salted hash only */
    size_t n;
    const char *salt;
    bool only; /* nothing is managed: it is read, and that is all */
};

/* What the current state of a resource must be for it to be changed: the one in a plan (run/plan.h), or the
 * one that the run has left which is undone (run/undo.h). */
struct rh_expected {
    const char *key; /* sensitive values are hashed with it */
    const struct rh_value
        *state;     /* a record of each attribute (provider/observed.h); undef: absent; NULL: any */
    bool left;      /* by a run; otherwise a plan has it, and the outcome has `current` */
    bool any;       /* it may be another one: `state` only says what is sensitive */
    bool unchanged; /* the plan changes nothing of it */
};

/* The state of a resource is kept before and after it is changed, so that the change can be undone. */
struct rh_backup {
    const char *key; /* sensitive values are hashed with it */
    bool required;   /* what cannot be kept is not changed */
    bool sealed;     /* sensitive values are kept too, encrypted by the host */
    bool brief;      /* the state after a change is not given where it is what was desired: `as_desired` of
                      * the outcome says so */
};

enum rh_backup_stage {
    RH_BACKUP_BEFORE, /* `state` has values; those that are sensitive are marked, and empty unless the backup
                       * is sealed; what is too large is unknown */
    RH_BACKUP_AFTER,  /* `state` has a record of each value (provider/observed.h) */
};

struct rh_backup_state {
    uint32_t id;
    enum rh_backup_stage stage;
    const struct rh_value *state; /* a hash; NULL: the resource is absent; an unknown: it is not known */
    const char *file; /* it is that of a file that the resource edits a part of, unknown where it was
                       * given already, with another resource; or NULL */
};

/* One resource of a batch. */
struct rh_want {
    uint32_t id; /* the caller's, in the outcome again */
    bool noop;
    bool trial;     /* only compare: nothing is done, whatever the provider can do under noop */
    bool verify;    /* what was changed is read again */
    bool replace;   /* what differs and can only be set on creation is wanted by creating it again */
    bool stale;     /* something it depends on was changed since the provider may have read it */
    bool begun;     /* something was done for it already: it is not left out when the run is to end */
    bool result;    /* others use what it is afterwards: the outcome has its result */
    bool canonical; /* it was validated before the run, in which nothing has happened yet that could matter to
                       that: its attributes are canonical */
    const char *title, *action;
    const struct rh_value *name, *should; /* hashes; should NULL: it must go, whatever it is */
    const uint32_t *after;                /* ids in this batch that must not have failed */
    size_t n_after;
    double limit;                       /* seconds that it may take; 0: as long as there are signs of life */
    const struct rh_watch *watch;       /* or NULL */
    const struct rh_expected *expected; /* or NULL: any state will do */
    const struct rh_backup *backup;     /* or NULL: its state is not kept */
};

/* A change of one attribute, wherever it is reported or kept (run/change.h). */
struct rh_difference {
    const char *attribute;
    const struct rh_value *from, *to; /* NULL: nothing was there; sensitive ones are empty */
    bool unknown;                     /* the provider did not report what was there */
    const char *message;              /* in the provider's words, or NULL */
    const char *since;                /* of what is watched: when `from` was recorded; NULL: no such thing */
};

struct rh_outcome {
    uint32_t id;
    enum rh_status status;
    const struct rh_difference *differences;
    size_t n_differences;
    const char *reason;    /* of a failure or a skip; NULL otherwise */
    unsigned code;         /* of the reason, or 0 */
    const char *attribute; /* that a failure is due to, or the part of its value ("settings.x"); or NULL */
    uint32_t blame;        /* id of the resource that a skip is due to, or RH_NOBODY */
    double seconds;
    bool guarded;    /* it was left alone, as a guard said */
    bool touched;    /* of a failure: something may have been changed before it */
    bool as_desired; /* it was changed to what was desired, as the caller has it, and nothing in it is secret:
                      * no other state after the change is given */
    const struct rh_value *was, *now; /* of what is watched, before and after; NULL: not known */
    const struct rh_value *current; /* of what is managed, before; NULL: not known, or no plan asks for it */
    const struct rh_value *result;  /* its attributes after its turn, a hash; NULL: not asked for, or not
                                     * known. What is too large is unknown */
};

#define RH_NOBODY UINT32_MAX

/* How far a provider is with something long. Texts are fit to be shown. */
struct rh_progress {
    uint32_t id;          /* of the resource, or RH_NOBODY */
    const char *text;     /* what goes on, or what is waited for; or NULL */
    bool counted;         /* how much is done: */
    uint64_t done, total; /* total 0: not known */
    const char *unit;     /* or NULL */
    uint32_t silence;     /* milliseconds that it may be silent from now */
};

/* Milliseconds that `busy` may ask for at once: what takes longer says so again and again. */
enum { RH_MOST_SILENCE = 60000, RH_MOST_BUSY = 24 * 3600 * 1000 /* of rh_progress */ };

/* Where results go, as they come. */
struct rh_sink {
    void *data;
    void (*outcome)(void *data, const struct rh_outcome *outcome);
    void (*log)(void *data, const struct rh_log_record *record);
    void (*busy)(void *data, uint32_t milliseconds); /* silence will be no hang for so long */
    void (*progress)(void *data, const struct rh_progress *progress); /* may be NULL */
    void (*item)(void *data, const struct rh_value *item);            /* one resource that was read */
    /* What is under way, for whoever finds us dead: a resource (or RH_NOBODY) and a verb. */
    void (*doing)(void *data, uint32_t id, const char *verb);
    /* What is wanted of type[title], or of all of a type (title NULL); NULL where nobody answers. An
     * answer, or NULL for none, is put into `answer` and belongs to `a`; false: it would be too
     * large. */
    bool (*ask)(void *data, struct rh_arena *a, const char *type, const char *title,
                const struct rh_value **answer);
    /* States of resources, before they are changed (`wait`: an answer is needed) or afterwards; may be NULL.
     * False when they cannot be kept, with the reason, which belongs to `a`. */
    bool (*backup)(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n, bool wait,
                   const char **why);
    /* The same for states before changes that are still to come, without waiting. `backup_granted` waits for
     * the answer to them, which is taken before others are given: false when they cannot be kept. May be
     * NULL.
     */
    void (*backup_ahead)(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n);
    bool (*backup_granted)(void *data);
    /* Something was read that must not be shown, also not where the plugin prints it. May be NULL. */
    void (*secret)(void *data, const char *text, size_t n);
};

/* The code of what a provider itself reports, in words of its own. */
unsigned rh_provider_words_code(void);

const char *rh_status_name(enum rh_status status);
bool rh_status_read(const char *name, enum rh_status *status);

#endif
