/* SPDX-License-Identifier: Apache-2.0 */
/* choice - reads and changes one name by update-alternatives. */
#ifndef ALTERNATIVES_CHOICE_H
#define ALTERNATIVES_CHOICE_H

#include <rhost/provider.h>

/* Where the tool keeps its notes, and the directory that links go through. */
struct places {
    const char *notes, *links;
};

/* A link that goes with that of the choice, and where it leads for one candidate. */
struct slave {
    const char *name, *link, *path; /* `link` is known of the choice, and `path` of a candidate */
};

struct candidate {
    const char *path;
    int64_t priority;
    struct slave *slaves;
    size_t n_slaves;
};

struct choice {
    const char *link;
    const char *value; /* where the link leads; NULL: nowhere */
    const char *best;  /* the candidate with the highest priority; NULL: none */
    int is_manual;     /* somebody has chosen: the priority does not decide */
    struct slave *slaves;
    size_t n_slaves;
    struct candidate *candidates;
    size_t n;
};

/* Asks the tool. 0, with all texts in memory of the call; RHOST_ABSENT: it knows no such name; -1 with the
 * reason given. */
int32_t choice_query(rhost_ctx *ctx, const struct places *at, const char *name, struct choice *g);

/* The candidate with this path, or NULL. */
const struct candidate *choice_find(const struct choice *g, const char *path);

/* Registers a candidate, or again with another link or priority; `g`, which may be NULL, is what is there:
 * the slave links of the candidate are kept. `force`: a file in the place of the link is replaced. 0; or -1
 * with the reason given. */
int32_t choice_install(rhost_ctx *ctx, const struct places *at, const char *name, const struct choice *g,
                       const char *link, const char *path, int64_t priority, int force);

/* Runs the tool with one of its words, such as "--set" and a path; `path` may be NULL. The same answers. */
int32_t choice_command(rhost_ctx *ctx, const struct places *at, const char *word, const char *name,
                       const char *path);

#endif
