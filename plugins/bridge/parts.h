/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the questions of a provider share: bridge.c has most of them, compare.c those about values. */
#ifndef BRIDGE_PARTS_H
#define BRIDGE_PARTS_H

#include "talk.h"

/* bridge.c */

/* {"failed":{...}}: fails the resource that it names, or all of the call; `reading` in answer to get. */
int take_failed(struct talk *talk, const rhost_value *says, bool reading);

/* Refuses what is not an object. */
int take_resource(struct talk *talk, const rhost_value *says);

/* Adds a change to the question. */
void ask_change(struct talk *talk, const struct rhost_change *change);

/* Waits for the end of the answer; before it only failures can come, and "changed" where that is allowed. */
int talk_finish(struct talk *talk, unsigned allowed);

/* Unless `rc` is negative, asks the question, which is written, and waits for the end of the answer,
 * likewise. Ends the talk. */
int talk_complete(struct talk *talk, int rc, unsigned allowed);

/* compare.c: the callbacks for values. */
int32_t compare_canonicalize(rhost_ctx *ctx, rhost_value *resource);
int32_t compare_validate(rhost_ctx *ctx, const rhost_value *resource);
int32_t compare_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute);

/* batch.c: answers that the program gave about several resources at once, each used once. */

/* What was answered to this part of a question, `key`: the word of the answer, which is JSON that is valid
 * until the next batch. N_ANSWERS: it was not asked. */
enum answer batch_take(struct talk *talk, const char *key, const char **answer, size_t *n);

/* What a part of a question is about: a resource for "canonicalize", the others for "insync". */
struct asked {
    const rhost_value *resource;
    const struct rhost_change *change;
    const char *attribute;
};

/* Collects parts of one question. False: it is large enough. */
struct batch;
struct batch *batch_new(rhost_ctx *ctx);
bool batch_add(struct batch *b, const struct text *key, const struct asked *about);

/* Hears one answer for each part, of this word or "failed", and then "done". What the parts are about must
 * still be there. */
int batch_hear(struct talk *talk, struct batch *b, enum answer word);

void batch_forget(rhost_ctx *ctx);

#endif
