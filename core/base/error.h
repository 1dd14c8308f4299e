/* SPDX-License-Identifier: Apache-2.0 */
/* error - why something failed: made where it happens, wrapped on the way up, printed by cli/. */
#ifndef RH_BASE_ERROR_H
#define RH_BASE_ERROR_H

#include <stddef.h>

enum rh_error_kind {
    RH_ENONE,
    RH_EINPUT,    /* what we were given is wrong: manifest, option, plugin, frame */
    RH_ESYSTEM,   /* the system refused */
    RH_EPROVIDER, /* a provider failed or misbehaved */
    RH_ELOCKED,   /* another run holds what we need */
    RH_EMISSING,  /* a command, or its directory, does not exist */
};

struct rh_error {
    enum rh_error_kind kind;
    char *message;      /* NULL while nothing has failed */
    size_t at;          /* where in the text that was read, in bytes; 0 when it says nothing */
    const char *format; /* that the message was made from: its code is found by it (base/message-code.h) */
    unsigned code;      /* of a message that came with one; else 0 */
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

/* Moves `from` into `to`, leaving `from` empty. */
void rh_error_move(struct rh_error *to, struct rh_error *from);

void rh_error_clear(struct rh_error *err);

#define rh_autoerror __attribute__((cleanup(rh_error_clear)))

#endif
