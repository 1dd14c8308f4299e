/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap - the target's side of a kit: a script for /bin/sh that finds the kit in the target's cache, or
 * receives it, checks it, and becomes the kit's rhost.
 *
 * The talk on one channel, byte streams in both directions:
 *
 *   1. The controller has RH_BOOTSTRAP_COMMAND executed, by any login shell, and writes what
 *      rh_bootstrap_text() returns.
 *   2. The target writes one answer: a line that begins with RH_BOOTSTRAP_MARK, a space and the nonce. The
 *      controller ignores what comes before it (banners, motd, output of profiles).
 *   3. have: the kit is there and intact. The script has executed rhost with the given arguments already:
 *      everything after the answer's newline, in both directions, is between the controller and rhost.
 *      need: the controller writes rh_bootstrap_offer() and then exactly `kit.size` bytes from `kit.fd`, and
 *      nothing else until the next answer. It is `ready`, which means the same as `have`, or `error`. The
 * latter may come before the target has read everything: when writing fails (EPIPE), read the answer all the
 * same. error: the script has ended, with status 1.
 *
 * What the target writes to standard error is for people. The script reads no byte of standard input that is
 * not its own. It runs in dash, bash, busybox ash and ksh; it needs a sha256sum and, to receive a kit, tar.
 */
#ifndef RH_REACH_BOOTSTRAP_H
#define RH_REACH_BOOTSTRAP_H

#include "base/cleanup.h"
#include "reach/kit.h"

#include <stdbool.h>
#include <stddef.h>

/* What a login shell is given: no shell that knows single quotes sees anything in it. It reads a line with
 * the length of the script, and the script, byte by byte: what follows stays in the channel. */
#define RH_BOOTSTRAP_COMMAND "exec /bin/sh -c 'read -r n && eval \"$(dd bs=1 count=$n 2>/dev/null)\"'"

#define RH_BOOTSTRAP_MARK "RHOST-KIT"

enum { RH_BOOTSTRAP_LINE = 8192 }; /* no answer is longer, the newline included */

struct rh_bootstrap {
    const char *nonce;         /* letters and digits, 8 to 64; another one for each connection */
    const struct rh_kit *kits; /* one for each architecture that a target may have; at least one */
    size_t n_kits;
    const char *const
        *argv;         /* of rhost, without its name; NULL-terminated. Never a secret: ps(1) shows them */
    unsigned patience; /* seconds that the target waits for the kit; 0: the usual ones */
    const char *cache; /* a directory to use instead of the usual ones; NULL: those */
};

/* The script with its parameters filled in, and the line with its length before it. The text is the caller's;
 * NULL with an error when a parameter can't be used. */
RH_CHECKED char *rh_bootstrap_text(const struct rh_bootstrap *b, struct rh_error *err);

enum rh_bootstrap_word {
    RH_BOOTSTRAP_NOISE, /* no answer for this nonce: read on */
    RH_BOOTSTRAP_HAVE,
    RH_BOOTSTRAP_NEED,
    RH_BOOTSTRAP_READY,
    RH_BOOTSTRAP_ERROR,
};

struct rh_bootstrap_answer {
    enum rh_bootstrap_word word;
    char *arch;                /* of the target, as rh_kit_arch() names it; "" where it was not said */
    char *kit;                 /* the digest of the kit that it has or needs; "" likewise */
    char *dir;                 /* of its cache; "" likewise */
    long uid;                  /* the effective user there; -1: not said */
    bool tar, gzip, sha256sum; /* which of these programs it has */
    bool damaged;              /* need: the kit was there, and did not match its digest */
    /* error: a stable word, and the sentence that explains it. The words: no-space, no-exec, read-only,
     * denied, unsafe (a cache directory that others can change), wrong-arch, bad-digest, truncated,
     * no-sha256sum, no-tar, no-start. Both are safe to print. */
    char *error, *message;
};

/* Reads one line, without its newline (a carriage return at its end is ignored). Never fails: what is not an
 * answer is RH_BOOTSTRAP_NOISE, and what begins as one and is not complete is RH_BOOTSTRAP_ERROR. Everything
 * in the answer is the answer's. */
void rh_bootstrap_parse(struct rh_bootstrap_answer *answer, const char *nonce, const char *line, size_t n);
void rh_bootstrap_answer_clear(struct rh_bootstrap_answer *answer);

/* The line that goes before the bytes of a kit that rh_kit_load() has opened. The text is the caller's. */
char *rh_bootstrap_offer(const struct rh_kit *kit);

/* Which of the kits the answer needs: NULL when it is none of them. */
const struct rh_kit *rh_bootstrap_needed(const struct rh_bootstrap *b,
                                         const struct rh_bootstrap_answer *answer);

#endif
