/* SPDX-License-Identifier: Apache-2.0 */
/* side-effects - what a provider must leave as it found it in its process. */
#ifndef RH_PLUGIN_SIDE_EFFECTS_H
#define RH_PLUGIN_SIDE_EFFECTS_H

#include <stdbool.h>
#include <sys/types.h>

struct rh_buf;

struct rh_side_effects {
    int descriptors; /* before the plugin did anything */
    struct rh_growth {
        int last, times; /* requests one after the other after which there were more */
    } open, children;
    mode_t mask;
    dev_t folder_dev;
    ino_t folder;
};

void rh_side_effects_note(struct rh_side_effects *m);

/* Between two requests: puts the umask and the working directory right. Descriptors and children may belong
 * to a connection that is kept: they count when there are more of them after each request. Adds what is wrong
 * ("changed the umask"), once each. True when there was anything. */
bool rh_side_effects_watch(struct rh_side_effects *m, struct rh_buf *b);

/* The same after the provider was closed: now what is left open counts ("left descriptors open (3)"), and
 * children are ended. `connected`: descriptors and children may be those of a transport, and do not count. */
bool rh_side_effects_check_closed(struct rh_side_effects *m, bool connected, struct rh_buf *b);

/* The same where nothing else than the provider can have left anything. */
bool rh_side_effects_check(struct rh_side_effects *m, struct rh_buf *b);

#endif
