/* SPDX-License-Identifier: Apache-2.0 */
/* side-effects - what a provider must leave as it found it in its process. */
#ifndef RH_PLUGIN_SIDE_EFFECTS_H
#define RH_PLUGIN_SIDE_EFFECTS_H

#include <stdbool.h>
#include <sys/types.h>

struct rh_buf;

struct rh_side_effects {
    int descriptors;
    mode_t mask;
    dev_t folder_dev;
    ino_t folder;
};

void rh_side_effects_note(struct rh_side_effects *m);

/* Adds what is worse than it was ("left 3 descriptors open"), once each; ends children that were
 * left, and puts the umask and folder right. True when there was anything. */
bool rh_side_effects_check(struct rh_side_effects *m, struct rh_buf *b);

#endif
