/* SPDX-License-Identifier: Apache-2.0 */
/* dialog - runs the programs of debconf, and speaks its protocol, debconf-devel(7), with debconf-communicate.
 */
#ifndef DEBCONF_DIALOG_H
#define DEBCONF_DIALOG_H

#include <rhost/provider.h>

/* Commands of the protocol, a line each. */
struct dialog {
    rhost_ctx *ctx;
    char *text;
    size_t len, room;
    size_t n; /* how many commands */
};

/* Begins one. */
void dialog_begin(rhost_ctx *ctx, struct dialog *d);

/* Adds a command of these words, up to NULL. Each is sent as it is, whatever blanks and newlines are in it.
 */
void dialog_add(struct dialog *d, const char *const *words);

#define dialog_say(d, ...) dialog_add((d), (const char *const[]){ __VA_ARGS__, NULL })

struct reply {
    int code;         /* 0; what else it is, debconf-devel(7) says: 10 to 19, there is no such question */
    const char *text; /* in memory of the call */
};

/* Sends all commands in the name of this package. 0, with a reply for each; or -1 with the reason given.
 * Waits up to a minute for another program that has the database locked. */
int32_t dialog_send(struct dialog *d, const char *package, struct reply **replies);

/* Runs a program of debconf with this text as its input, which may be NULL, and waits for the lock likewise.
 * 0, with what it printed; or -1 with the reason given. */
int32_t dialog_run(rhost_ctx *ctx, const char *const *argv, const char *input, const char **printed);

#endif
