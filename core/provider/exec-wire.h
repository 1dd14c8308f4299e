/* SPDX-License-Identifier: Apache-2.0 */
/* exec-wire - requests of a worker to its broker (exec-broker.h), byte by byte, and the answers.
 *
 *   worker: u32 length of the payload   u32 type (enum rh_ask)   payload
 *   broker: struct rh_ask_answer   text
 *
 * Both ends are the same program on the same machine, so numbers travel as they lie in memory. The broker
 * trusts nothing of a request: the worker may be under the control of somebody else. */
#ifndef RH_PROVIDER_EXEC_WIRE_H
#define RH_PROVIDER_EXEC_WIRE_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rhost_command;

enum rh_ask {
    RH_ASK_PREPARE = 1, /* a command, which the next START starts; text: why it cannot be started */
    RH_ASK_START,       /* struct rh_ask_numbers: a bit for each descriptor of enum rh_ask_fd; bound or not.
                         * The descriptors come with it, in the order of the bits. Result: the keeper, or -1 */
    RH_ASK_END,         /* the keeper, and milliseconds. Result: 1 when all below it have ended */
    RH_ASK_KILL,        /* the keeper */
    RH_ASK_WAIT,        /* the keeper; answered when it has ended, and its number is free then */
};

enum rh_ask_fd {
    RH_ASK_IN,
    RH_ASK_OUT,
    RH_ASK_ERR,
    RH_ASK_REPORT,
    RH_ASK_HEAR_OUT,
    RH_ASK_HEAR_ERR,
    RH_ASK_FDS
};

enum {
    RH_ASK_NEEDED = 1 << RH_ASK_HEAR_OUT, /* bits below this one must be set */
    RH_ASK_LARGEST = 8 << 20,             /* of a payload: more than execve(2) takes */
    RH_ASK_LONGEST_TEXT = 64 << 10,       /* of an answer */
};

struct rh_ask_head {
    uint32_t n, type;
};

struct rh_ask_numbers {
    uint32_t first, second;
};

struct rh_ask_answer {
    uint32_t n; /* bytes of text that follow */
    int32_t result;
    int32_t number; /* an errno, or 0 */
};

/* Adds the payload of PREPARE: all of the command but its input, time limit and limit of output, which
 * stay with the worker. */
void rh_ask_put_command(struct rh_buf *b, const struct rhost_command *command);

/* Reads such a payload. Texts of the command point into the bytes, its arrays are in the arena. False when
 * it is invalid. */
bool rh_ask_take_command(const char *bytes, size_t n, struct rh_arena *arena, struct rhost_command *command);

#endif
