/* SPDX-License-Identifier: Apache-2.0 */
/* interim - what a program may send before its answer is done: log lines, blocks, the commands that it
 * executes, progress, and questions to the host. */
#ifndef BRIDGE_INTERIM_H
#define BRIDGE_INTERIM_H

#include "talk.h"

/* The interim messages that the current question allows, a bit each. */
unsigned interim_allowed(const struct talk *talk);

/* Handles one of them: 0, or -1 after refusing. */
int interim_take(struct talk *talk, int which, const rhost_value *says);

/* question.c: those that are questions to the host. */
int question_take(struct talk *talk, int which, const rhost_value *says);

#endif
