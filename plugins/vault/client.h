/* SPDX-License-Identifier: Apache-2.0 */
/* client - requests to a Vault server. */
#ifndef VAULT_CLIENT_H
#define VAULT_CLIENT_H

#include "../http_request/transfer.h"
#include "../json_setting/tree.h"

struct client {
    rhost_ctx *ctx;
    struct pool *pool;
    const char *address;         /* without a '/' at its end */
    const char *name_space, *ca; /* or NULL */
    long timeout;
    const char *token;  /* NULL: there is none yet */
    const char *secret; /* what else no message may have; or NULL */
};

struct reply {
    long status;
    const struct tree *body; /* NULL: it is not a JSON object */
};

/* Sends a request to a path below "/v1/", which is encoded, with a body of JSON or none (NULL). 0, whatever
 * the status is; -1 with the reason given: no answer, or a redirect, which is never followed: the token would
 * go along. */
int32_t client_send(const struct client *c, const char *method, const char *path, const char *body,
                    struct reply *reply);

/* Gives the reason of a status that is no success, with what the server says; `what` was asked for. -1. */
int32_t client_refuse(const struct client *c, const char *what, const struct reply *reply);

/* What the server says with a status, as one line in memory of the call; "" where it says nothing. `list` is
 * "errors" or "warnings". */
const char *client_words(const struct client *c, const struct reply *reply, const char *list);

/* Text of a path with all but letters, digits, '-', '.', '_', '~' and '/' encoded, in memory of the call. */
const char *client_encode(rhost_ctx *ctx, const char *path);

#endif
