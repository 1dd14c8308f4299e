/* SPDX-License-Identifier: Apache-2.0 */
/* auth - how an account authenticates, and what the server keeps of a password. */
#ifndef AUTH_H
#define AUTH_H

#include "sql.h"

enum { AUTH_MOST = 6 };

struct auth {
    const char *plugin, *text; /* text: what the server keeps; "": nothing */
};

struct auths {
    size_t n;
    struct auth of[AUTH_MOST];
};

/* Whether the plugin authenticates by a password that the server keeps something of. */
int auth_has_password(const char *plugin);

/* Whether the plugin can be given this password: mysql_native_password takes any, others only what the server
 * keeps of it. */
int auth_takes(const char *plugin, const char *password);

/* What the server keeps of it, in memory of the call; NULL with a failure said. */
const char *auth_text(rhost_ctx *ctx, const char *plugin, const char *password);

/* A text of the same form that no password is known for; NULL with a failure said. */
const char *auth_nobody(rhost_ctx *ctx, const char *plugin);

/* Whether what the server keeps is of this password: 1, 0, or -1 with a failure said. */
int auth_matches(rhost_ctx *ctx, const struct auth *auth, const char *password);

/* The element with this plugin, or NULL. */
const struct auth *auth_find(const struct auths *all, const char *plugin);

#endif
