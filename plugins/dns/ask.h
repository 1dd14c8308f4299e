/* SPDX-License-Identifier: Apache-2.0 */
/* ask - one question to a name server, and its reply. */
#ifndef DNS_ASK_H
#define DNS_ASK_H

#include <rhost/provider.h>

struct ask_question {
    const char *name;
    int type;           /* ns_t_a and others of <arpa/nameser.h> */
    const char *server; /* an address; NULL: those of /etc/resolv.conf, with their port */
    int port;           /* of the server, when it is given */
    int timeout;        /* seconds for all of it */
};

struct ask_reply {
    unsigned char *message; /* as it came, with its header */
    int len;
};

/* 0 with the reply, which ask_free() releases; RHOST_ABSENT: the name has no such records; -1 after the
 * reason was given. */
int32_t ask(rhost_ctx *ctx, const struct ask_question *question, struct ask_reply *reply);

void ask_free(struct ask_reply *reply);

#endif
