/* SPDX-License-Identifier: Apache-2.0 */
/* removal - removing the home directory and the mailbox of an account that goes. */
#ifndef USER_REMOVAL_H
#define USER_REMOVAL_H

#include "accounts.h"

#include <rhost/provider.h>

struct removal {
    const char *home;
    int fd, dir;      /* the home directory, and the directory that it is in; `fd` is -1 when it stays */
    const char *name; /* in that */
    const char *mail; /* the path of the mailbox */
    int mail_dir;     /* the directory that it is in; -1: it stays, or there is none */
    const char *mail_name;
};

/* Opens what `remove_home` removes, before the account is removed. What does not belong to the account alone
 * stays, with a warning. What is mounted in the home directory, and what cannot be removed there, is an
 * error. 0, or -1 after the reason was given; removal_close() in any case. */
int32_t removal_open(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change,
                     struct removal *r);
void removal_close(struct removal *r);

/* Removes what was opened, after the account. 0, or -1 when something is left: what and why is the reason of
 * the failure, or with `failed`, when another one was given before, a warning. */
int32_t removal_apply(rhost_ctx *ctx, const struct rhost_change *change, struct removal *r, int failed);

#endif
