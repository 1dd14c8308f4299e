/* SPDX-License-Identifier: Apache-2.0 */
/* error - why something failed, or what is wrong with what was read: made where it happens, wrapped on the
 * way up, printed by cli/. There is one kind of diagnostic; a list of them is in base/complaint.h. */
#ifndef RH_BASE_ERROR_H
#define RH_BASE_ERROR_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum rh_error_kind {
    RH_ENONE,
    RH_EINPUT,    /* what we were given is wrong: manifest, option, plugin, frame */
    RH_ESYSTEM,   /* the system refused */
    RH_EPROVIDER, /* a provider failed or misbehaved */
    RH_ELOCKED,   /* another run holds what we need */
    RH_EMISSING,  /* a command, or its directory, does not exist */
};

/* A further location, and what is there: "included here". */
struct rh_related {
    struct rh_place place;
    char *what;
};

/* All that it points to is its own; see rh_error_clear. */
struct rh_error {
    enum rh_error_kind kind;
    char *message;         /* NULL while nothing has failed */
    char *hint;            /* what to do about it: "did you mean 'content'?"; or NULL */
    size_t at;             /* where in the text that was read, in bytes; 0 when it says nothing */
    const char *format;    /* that the message was made from: its code is found by it (base/message-code.h) */
    unsigned code;         /* of a message that came with one; else 0 */
    struct rh_place place; /* in a struct rh_sources; line 0: nowhere in particular */
    struct rh_related *related;
    size_t n_related, cap_related;
};

/* Each returns -1, so that `return rh_error_set(...)` reads well. `err` may be NULL. The first
 * error stays: setting over one is ignored, since what happened first is the cause. */
int rh_error_set(struct rh_error *err, enum rh_error_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": " and the system's reason for `number` (an errno). */
int rh_error_system(struct rh_error *err, int number, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As rh_error_set, for a message that has this code, or (0) whose code is looked up. */
int rh_error_set_code(struct rh_error *err, enum rh_error_kind kind, unsigned code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The code of its message: 1001 for RH1001; 0: none. */
unsigned rh_error_code(const struct rh_error *err);

/* Puts "what: " in front of the message. */
int rh_error_prefix(struct rh_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The hint for an unknown word, "did you mean 'mode'?" with the nearest word, or `otherwise` where there is
 * none; nothing where both are NULL. Stays as it is where it has a hint. Returns -1. */
int rh_error_suggest(struct rh_error *err, const char *best, const char *otherwise);

struct rh_arena;
struct rh_sources;
struct rh_value;

/* error-print.c: the same for all commands. Text: "site.yaml:3:5: error: MESSAGE [RH1205]", the line of the
 * source with a caret, the hint, and the further locations. Escape sequences and secret lines are not
 * printed. `sources` may be NULL where the error has no location. `warning`: says "warning" instead. */
void rh_error_print(const struct rh_error *err, const struct rh_sources *sources, bool warning, FILE *to,
                    bool colour);

/* {"message", "code", "hint", "location": {"file", "line", "column"}}; what is not known is left out. */
struct rh_value *rh_error_to_value(const struct rh_error *err, const struct rh_sources *sources,
                                   struct rh_arena *a);

/* A further location; beyond eight they are left out. What is said of the same place again is not added. */
void rh_error_relate(struct rh_error *err, struct rh_place place, const char *what);

/* Moves `from` into `to`, leaving `from` empty. */
void rh_error_move(struct rh_error *to, struct rh_error *from);

void rh_error_clear(struct rh_error *err);

#define rh_autoerror __attribute__((cleanup(rh_error_clear)))

#endif
