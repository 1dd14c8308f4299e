/* SPDX-License-Identifier: Apache-2.0 */
/* question - the questions in the database of debconf. */
#ifndef DEBCONF_QUESTION_H
#define DEBCONF_QUESTION_H

#include <rhost/provider.h>

struct question {
    const char *name;
    int exists;
    const char *value, *type, *owners; /* the packages, with ", " between them */
    int seen;
};

/* What the database has of each. 0, in memory of the call; or -1 with the reason given. */
int32_t question_read(rhost_ctx *ctx, struct question *all, size_t n);

/* The names of all questions that packages have asked. 0, or -1 with the reason given. */
int32_t question_list(rhost_ctx *ctx, struct question **all, size_t *n);

/* What is to become of one. */
struct answer {
    const char *name, *package;
    const char
        *type; /* it is registered first, as one that the package asks; NULL: it is there, and has its type */
    const char *value; /* NULL: that which it has */
    int seen;
    const char *refused; /* why it could not be done; NULL: it is done */
};

/* Gives all answers, by two programs. 0; or -1 with the reason given. */
int32_t question_answer(rhost_ctx *ctx, struct answer *all, size_t n);

/* No package asks any of them any more; each has its name and its owners. By one program for each owner. 0;
 * or -1 with the reason given. */
int32_t question_remove(rhost_ctx *ctx, const struct question *all, size_t n);

#endif
