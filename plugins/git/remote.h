/* SPDX-License-Identifier: Apache-2.0 */
/* remote - what a revision is in the repository that a tree is a clone of, and how it gets here. */
#ifndef GIT_REMOTE_H
#define GIT_REMOTE_H

#include "command.h"

/* What `revision` stands for. */
struct revision {
    const char *text;   /* as it is desired */
    const char *commit; /* NULL: not known yet */
    const char *branch; /* its name, when it is one */
    const char *tag;    /* its name, when it is one */
};

/* Whether a text is the full name of a commit. */
int remote_is_commit(const char *text);

/* Whether git takes a text as the name of a branch or tag, and not as an option or a range. */
int remote_is_name(const char *text);

/* Whether the URL has a user with a password, or over HTTP any user, which may be a token. */
int remote_has_credentials(const char *url);

/* The URL without them, in memory of the call. */
const char *remote_shown(rhost_ctx *ctx, const char *url);

/* Asks the remote what `revision` is there. -1 with the reason given. */
int32_t remote_resolve(const struct git *g, const char *url, const char *revision, struct revision *r);

/* Fetches it, and fills in the commit. */
int32_t remote_fetch(const struct git *g, struct revision *r);

/* Whether it has a good signature: 0, or -1 with the reason given. */
int32_t remote_verify(const struct git *g, const struct revision *r);

#endif
