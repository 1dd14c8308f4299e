/* SPDX-License-Identifier: Apache-2.0 */
/* channel-parts - what is done to make a channel, and a preview. */
#ifndef RH_BUNDLE_CHANNEL_PARTS_H
#define RH_BUNDLE_CHANNEL_PARTS_H

#include "bundle/channel.h"

/* channel-make.c */

/* Whether machines will be able to take the revision from the directory. */
RH_CHECKED int rh_channel_check_revision(const struct rh_channel_request *r, int64_t revision,
                                         struct rh_error *err);

/* A new one. */
RH_CHECKED int rh_channel_take_salt(struct rh_arena *a, struct rh_channel *c, struct rh_error *err);

/* channel-publish.c */

/* Takes the lock of the directory; -1 with an error, also when another program has it. */
RH_CHECKED int rh_channel_lock(const char *directory, struct rh_error *err);

/* Has the text signed by ssh-keygen, verifies that, and puts both into the directory as NAME and NAME.sig. */
RH_CHECKED int rh_channel_publish(const struct rh_channel_request *r, const char *name,
                                  const struct rh_buf *text, struct rh_error *err);

/* rh_channel_recover() for any name. */
RH_CHECKED int rh_channel_recover_file(const char *directory, const char *name, const char *signers,
                                       struct rh_error *err);

#endif
