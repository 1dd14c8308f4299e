/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the checks share. Private to this room. */
#ifndef RH_CHECK_PARTS_H
#define RH_CHECK_PARTS_H

#include "base/cleanup.h"
#include "base/text.h"
#include "check/check.h"
#include "check/fixture.h"
#include "provider/runtime.h"

#include <rhost/abi.h>
#include <stdint.h>

struct rh_arena;
struct rh_checker;
struct rh_datatype;
struct rh_error;
struct rh_questions;
struct rh_subject;
struct rh_written;
struct rh_type;
struct rh_value;

enum rh_check_needs {
    RH_NEEDS_PROVIDER = 1, /* once for each provider, whose type is known */
    RH_NEEDS_FIXTURE = 2,
    RH_JUDGES_OUTPUT = 4,   /* what is printed is a failure */
    RH_NEEDS_READING = 8,   /* nothing can be told unless the check 'reads' ends well */
    RH_NEEDS_WRITING = 16,  /* likewise 'writes' */
    RH_NEEDS_PURE = 32,     /* likewise 'pure' */
    RH_NEEDS_CREATING = 64, /* likewise 'creates' */
};

struct rh_check {
    const char *name, *group;
    const char *proves; /* "describing is ...", for the report */
    unsigned needs;
    void (*fn)(struct rh_checker *c);      /* NULL: only what follows */
    void (*answers)(struct rh_checker *c); /* the same about lookups and facts; NULL: not about those */
};

/* All of them, in the order in which they run; ends with a name of NULL. */
extern const struct rh_check rh_checks[];

/* One check at work, in its process. */
struct rh_checker {
    const struct rh_check *check;
    const struct rh_check_options *options;
    const struct rh_value *description;   /* of the provider; NULL: it is about the plugin */
    const struct rh_type *type;           /* likewise, and NULL when the description makes none */
    const struct rh_fixture *fixture;     /* NULL: there is none for this provider */
    const struct rh_questions *questions; /* it is about the lookups and facts; else NULL */
    const struct rh_type *asked;          /* of those: the lookup that is asked now, or NULL */
    rh_exec_fn *exec;                     /* instead of what starts commands; or NULL */
    bool bare; /* the fixture's states are not made first: nobody knows yet whether that works */
    struct rh_arena *arena;
    enum rh_verdict verdict;
    struct rh_buf text;    /* why */
    struct rh_buf payload; /* for who started the process */
    char *doing;           /* where it is read when this process dies: DOING bytes */
    const char *secrets;   /* texts that must not be printed, each with a NUL; a list ends with one more */
};

enum { RH_CHECK_DOING = 256 };

/* Says how it ends; the worst counts, and only its words. */
void rh_check_say(struct rh_checker *c, enum rh_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether it is a program in a directory, and no shared object. */
bool rh_check_is_program(const struct rh_check_options *options);

/* For how long one check may run. */
unsigned rh_check_seconds(const struct rh_check_options *options);

/* Whether a resource failed since what was read does not fit its type or is not canonical. */
bool rh_check_is_about_reading(const char *reason);

/* The groups. */
void rh_check_symbol(struct rh_checker *c);
void rh_check_loads(struct rh_checker *c);
void rh_check_pure(struct rh_checker *c);
void rh_check_quick(struct rh_checker *c);
void rh_check_schema(struct rh_checker *c);
void rh_check_documented(struct rh_checker *c);
void rh_check_callbacks(struct rh_checker *c);
void rh_check_attributes(struct rh_checker *c);

void rh_check_suits(struct rh_checker *c);
void rh_check_reads(struct rh_checker *c);
void rh_check_fits(struct rh_checker *c);
void rh_check_canonical(struct rh_checker *c);
void rh_check_stable(struct rh_checker *c);
void rh_check_validates(struct rh_checker *c);
void rh_check_once(struct rh_checker *c);
void rh_check_by_name(struct rh_checker *c);
void rh_check_agrees(struct rh_checker *c);
void rh_check_absent(struct rh_checker *c);

void rh_check_writes(struct rh_checker *c);
void rh_check_creates(struct rh_checker *c);
void rh_check_idempotent(struct rh_checker *c);
void rh_check_updates(struct rh_checker *c);
void rh_check_replaces(struct rh_checker *c);
void rh_check_removes(struct rh_checker *c);
void rh_check_removes_anyway(struct rh_checker *c);
void rh_check_removes_again(struct rh_checker *c);
void rh_check_afresh(struct rh_checker *c);
void rh_check_noop(struct rh_checker *c);
void rh_check_noop_tells(struct rh_checker *c);
void rh_check_refuses(struct rh_checker *c);
void rh_check_secret(struct rh_checker *c);

void rh_check_batch(struct rh_checker *c);
void rh_check_alone(struct rh_checker *c);
void rh_check_others(struct rh_checker *c);
void rh_check_acts(struct rh_checker *c);
void rh_check_names(struct rh_checker *c);
void rh_check_listed(struct rh_checker *c);
void rh_check_atomic(struct rh_checker *c);
void rh_check_secret_files(struct rh_checker *c);
void rh_check_borrowed(struct rh_checker *c);
void rh_check_blocks(struct rh_checker *c);
void rh_check_stops(struct rh_checker *c);
void rh_check_needs(struct rh_checker *c);
void rh_check_confined(struct rh_checker *c);
void rh_check_grows(struct rh_checker *c);

/* One run for all that may be left in the process; its payload is a hash of what is, by check. */
void rh_check_side_effects(struct rh_checker *c);
void rh_check_random(struct rh_checker *c);

void rh_check_no_memory(struct rh_checker *c);
void rh_check_memory_limit(struct rh_checker *c);

void rh_check_faults(struct rh_checker *c);

/* answers.c: the same about lookups and facts. */
void rh_answers_schema(struct rh_checker *c);
void rh_answers_documented(struct rh_checker *c);
void rh_answers_reads(struct rh_checker *c);
void rh_answers_fits(struct rh_checker *c);
void rh_answers_agrees(struct rh_checker *c);
void rh_answers_compare(struct rh_checker *c);
void rh_answers_prompt(struct rh_checker *c);
void rh_answers_random(struct rh_checker *c);
void rh_answers_secret(struct rh_checker *c);
void rh_answers_secret_files(struct rh_checker *c);
void rh_answers_borrowed(struct rh_checker *c);
void rh_answers_confined(struct rh_checker *c); /* answers-confined.c */
void rh_answers_blocks(struct rh_checker *c);

/* Asks every question; what comes of it does not matter. */
void rh_answers_ask_all(struct rh_subject *s);

/* What checks of both kinds share: complains of files with secrets, of those that are there and of those that
 * were written; locks the memory of each call after it; complains of what the plugin has logged with a secret
 * in it. */
void rh_secret_files_search(struct rh_checker *c, bool removed);
void rh_secret_files_take(struct rh_checker *c, struct rh_written *written, bool end);
void rh_borrowed_watch(struct rh_subject *s);
void rh_subject_judge_log(struct rh_subject *s);

/* process.c: one check in a process of its own, whatever the plugin does there. */

struct rh_check_end {
    enum rh_verdict verdict;
    const char *text;    /* the arena's */
    const char *payload; /* likewise; empty when it did not get so far */
    const char *printed; /* what is to be said of what it printed; NULL: it printed nothing */
    double seconds;
};

/* Runs c->check->fn(c) and says how it ended. What `c` points to is shared with the process as it is
 * now. -1 when no process could be started. */
RH_CHECKED int rh_check_process(struct rh_checker *c, struct rh_arena *a, struct rh_check_end *end,
                                struct rh_error *err);

/* In the process of a check: the plugin did something after which nothing can go on. `how` goes behind "it".
 */
void rh_check_end_now(const char *how) __attribute__((noreturn));

/* sample.c: values that fit a type, out of thin air: the same for the same seed. */

/* A resource: its namevars, and some of its other attributes. Those for which no value that fits can
 * be thought of are left out. */
struct rh_value *rh_sample_resource(struct rh_arena *a, const struct rh_type *t, uint64_t *seed);

/* A name that nothing has; NULL when none that fits is known. */
struct rh_value *rh_sample_nothing(struct rh_arena *a, const struct rh_datatype *t);

#endif
