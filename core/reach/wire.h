/* SPDX-License-Identifier: Apache-2.0 */
/* wire - what controller and receiver say to each other over one channel, once the receiver has said hello.
 *
 * A frame is one letter, the length of its content in four bytes (the highest first), and the content.
 *
 *   controller                                receiver
 *                                          ◀── "\nRHOST-RECEIVE NONCE\n"
 *                                          ◀── HELLO {protocol, version, host, time, uid, earlier}
 *   REQUEST {protocol, push, command...}   ──▶
 *   FILE {path, mode, size}, DATA ...      ──▶
 *   GO                                     ──▶
 *                                          ◀── OUTPUT, ERROR, PROGRESS, REPORT, RESULT ... EXIT {status}
 *   ACK                                    ──▶
 *
 * The receiver can send REFUSAL {word, message} at any time instead, and ends. The controller sends PING
 * while it waits, and STOP to have the command end. Anything else ends the connection. */
#ifndef RH_REACH_WIRE_H
#define RH_REACH_WIRE_H

#include "base/cleanup.h"
#include "base/text.h"

#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

#define RH_WIRE_MARK "RHOST-RECEIVE"

enum { RH_WIRE_PROTOCOL = 1, RH_WIRE_LARGEST = 1 << 20, RH_WIRE_PART = 64 << 10 };

enum rh_wire_kind {
    RH_WIRE_REQUEST = 'q',
    RH_WIRE_FILE = 'f',
    RH_WIRE_DATA = 'd',
    RH_WIRE_GO = 'g',
    RH_WIRE_STOP = 's',
    RH_WIRE_PING = 'p',
    RH_WIRE_ACK = 'a',
    RH_WIRE_HELLO = 'h',
    RH_WIRE_OUTPUT = 'o',
    RH_WIRE_ERROR = 'e',
    RH_WIRE_PROGRESS = 'j',
    RH_WIRE_REPORT = 'r',
    RH_WIRE_RESULT = 'k',
    RH_WIRE_EXIT = 'x',
    RH_WIRE_REFUSAL = 'w',
};

/* The limits of a site, on both sides. */
enum { RH_SITE_FILES = 20000, RH_SITE_BYTES = 64 << 20, RH_SITE_DEEPEST = 32 };

/* No report, and no other file that a target sends, has more bytes: it is left out. */
enum { RH_WIRE_FILE_MOST = 8 << 20 };

/* Adds a frame; what is larger than a part is cut into several frames of the kind, which only DATA, REPORT,
 * RESULT and outputs may be. */
void rh_wire_add(struct rh_buf *out, enum rh_wire_kind kind, const void *content, size_t n);
void rh_wire_add_value(struct rh_buf *out, enum rh_wire_kind kind, const struct rh_value *v);

/* What has come and was not read yet. */
struct rh_wire {
    struct rh_buf in;
    size_t at;
};

void rh_wire_take(struct rh_wire *w, const void *bytes, size_t n);
void rh_wire_clear(struct rh_wire *w);

/* The next frame: 1 with its content, which lives until more is taken; 0 when it is not complete; -1 with an
 * error when it is none. */
RH_CHECKED int rh_wire_next(struct rh_wire *w, enum rh_wire_kind *kind, const char **content, size_t *n,
                            struct rh_error *err);

/* Whether a JSON text has at most so many arrays and hashes, and eight times as many values: each of them
 * takes up to a kilobyte when it is read, of the two bytes that it has in the text. */
bool rh_wire_is_small(const char *text, size_t n, size_t most);

/* No frame that is JSON has more arrays and hashes. */
enum { RH_WIRE_MOST_PARTS = 32 << 10 };

/* The content of a frame as a hash of JSON; NULL with an error. */
RH_CHECKED struct rh_value *rh_wire_value(struct rh_arena *a, const char *content, size_t n,
                                          struct rh_error *err);

/* Whether a path may be created below a directory: relative, no "..", no "." and no empty part. */
bool rh_wire_is_path(const char *path);

#endif
