/* SPDX-License-Identifier: Apache-2.0 */
/* command - what a command of the operator is kept from: it keeps all else. A provider starts with nothing
 * (confinement.h); here something is taken away. */
#ifndef RH_SANDBOX_COMMAND_H
#define RH_SANDBOX_COMMAND_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_command_limits {
    const char *const *read_only;  /* NULL-terminated absolute paths, "/": all; or NULL */
    const char *const *read_write; /* the same, which can be changed although they are below one of those */
    bool no_network;               /* nothing but the loopback interface of its own */
    bool private_tmp;              /* /tmp and /var/tmp are empty, in memory, and gone with it */
    bool no_new_privileges;        /* set-user-ID programs have no effect */
};

/* Of the calling process, which must have one thread and, but for no_new_privileges, CAP_SYS_ADMIN. -1 with
 * errno: it may be limited in part, and must end. A path that does not exist, or that a lesser user could
 * exchange, is such a failure. */
RH_CHECKED int rh_command_limit(const struct rh_command_limits *l);

#endif
