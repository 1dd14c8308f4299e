/* SPDX-License-Identifier: Apache-2.0 */
/* talk - one question to the program, and its answers: JSON, a line each.
 *
 *   us                                   the program
 *   {"hello":{...}}                ──▶
 *                                  ◀──   {"hello":{"protocol":1}}
 *   {"get":{...}}                  ──▶
 *                                  ◀──   {"resource":{...}} ...  {"done":true}
 *
 * The program may say {"log":{...}} before each {"done":true}. What it says that is not understood
 * ends it: nobody knows then what it did, or what its next lines are about. */
#ifndef BRIDGE_TALK_H
#define BRIDGE_TALK_H

#include "process.h"
#include "text.h"
#include "type.h"

#include <rhost/program.h>
#include <rhost/provider.h>

enum { MOST_BLOCKS = 16 };

enum answer {
    ANSWER_ANSWER,
    ANSWER_BEGIN,
    ANSWER_BUSY,
    ANSWER_CATALOG,
    ANSWER_CHANGED,
    ANSWER_DEADLINE,
    ANSWER_DONE,
    ANSWER_END,
    ANSWER_EXECUTED,
    ANSWER_EXECUTING,
    ANSWER_FACTS,
    ANSWER_FAILED,
    ANSWER_HELLO,
    ANSWER_INSYNC,
    ANSWER_LOG,
    ANSWER_PRIVATE,
    ANSWER_PROGRESS,
    ANSWER_RESOURCE,
    ANSWER_STOPPING,
    ANSWER_SUITS,
    N_ANSWERS
};

struct talk {
    rhost_ctx *ctx;
    const struct served *served;  /* NULL: a transport, or a lookup or fact */
    const struct description *of; /* its program */
    const struct rhost_programs *programs;
    struct rhost_program *program;
    struct seat *seat;                         /* of who is asked for it */
    const char *verb;                          /* that was asked: "get" */
    const struct rhost_change *const *changes; /* that it may speak about */
    size_t n_changes, last;                    /* the one that was spoken of last */
    struct text question;
    uint64_t line;                                /* the number of the last that was heard */
    uint64_t blocks[MOST_BLOCKS];                 /* that "begin" opened and "end" has not closed yet */
    const struct rhost_change *only[MOST_BLOCKS]; /* the only resource of each; NULL: several */
    size_t n_blocks;
    uint64_t *overlapping; /* for each change: its block of rhost.overlap/1; 0: none is open */
    size_t n_overlapping;
    bool takes_blocks;   /* set and act */
    bool answering;      /* it was asked, and is not done yet */
    bool failed;         /* it said that all of it failed */
    struct text command; /* that the program executes now, as it is shown */
};

/* Sees to it that the program runs and has greeted, and begins the question: {"get": was written,
 * and what is asked follows. -1 when there is no program to ask. In any case end it. */
int talk_begin(struct talk *talk, rhost_ctx *ctx, const char *verb);

/* The same for a transport, and for a lookup or a fact of a program. */
int talk_begin_transport(struct talk *talk, rhost_ctx *ctx, const char *verb, struct seat *seat);
int talk_begin_source(struct talk *talk, rhost_ctx *ctx, const char *verb, const struct description *of);

/* Asks {"connect":...}, which is written, and waits for the end of the answer: the process is connected then.
 */
int talk_connect(struct talk *talk);

/* Begins the object that is asked: {, and the type where the program has several. `more` follows. */
void talk_object(struct talk *talk, bool more);

/* Sends the question, whose value was written to talk->question. */
int talk_ask(struct talk *talk);

/* The next answer but those of interim.h, and what it says: one of those allowed, a bit each (1 <<
 * ANSWER_DONE), or -1 after failing. */
int talk_next(struct talk *talk, unsigned allowed, const rhost_value **says);

void talk_end(struct talk *talk);

/* What the program said last is wrong: ends it. Returns -1. */
int talk_refuse(struct talk *talk, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Refuses what has other keys than these, or not the first `needed` of them. */
int talk_check_keys(struct talk *talk, const rhost_value *says, const char *const *keys, size_t needed);

/* The entry as text. With `optional` it may be missing, and is NULL then. */
int talk_text(struct talk *talk, const rhost_value *says, const char *key, bool optional, const char **text);

/* The change that its "title" is about, or, in a block for one resource, that resource; NULL after refusing.
 */
const struct rhost_change *talk_change(struct talk *talk, const rhost_value *says);

/* The change with this title; NULL after refusing. */
const struct rhost_change *talk_titled(struct talk *talk, const char *title);

/* Refuses a path into a value ("settings.work_mem") that does not begin with an attribute of the type. */
int talk_check_path(struct talk *talk, const char *path);

/* Refuses a name that is no attribute of the type. */
int talk_check_attribute(struct talk *talk, const char *name);

#endif
