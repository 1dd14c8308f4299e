/* SPDX-License-Identifier: Apache-2.0 */
/* sender - what the programs share that send something by libcurl, and have nothing of the host's: their
 * input, files with secrets, and what they say of a failure. */
#ifndef RH_SENDER_SENDER_H
#define RH_SENDER_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct curl_slist;

/* "rhost-s3: cannot ...", on standard error: the host shows it as the reason, in a message of its own. */
void rh_sender_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct rh_sender_text {
    char *s; /* NUL-terminated once anything was added, else NULL; the caller's */
    size_t n, cap;
};

/* False: there is no memory for it. */
bool rh_sender_add(struct rh_sender_text *t, const void *p, size_t n);

/* All of standard input, which is `what`; false after complaining, also where it has more than `most` bytes.
 */
bool rh_sender_read_input(struct rh_sender_text *t, const char *what, size_t most);

/* A line of a request, which the list has copied. False: there is no memory for it. */
bool rh_sender_add_header(struct curl_slist **list, const char *header);

/* A file that may have a secret: a regular one of this user or of root, to which other users have no access.
 * NULL after complaining, but with errno ENOENT where it is not there: then nothing was said. */
FILE *rh_sender_open_secret(const char *path);

#endif
