/* SPDX-License-Identifier: Apache-2.0 */
/* command - runs git for one resource. */
#ifndef GIT_COMMAND_H
#define GIT_COMMAND_H

#include <rhost/exec.h>
#include <rhost/provider.h>

/* Where and as whom git runs, and what it gets by options and variables. */
struct git {
    rhost_ctx *ctx;
    const rhost_value *should; /* NULL: somebody only looks */
    const char *path;          /* the directory that git runs in */
    const char *remote;        /* the name of the remote */
    const char *user, *group;  /* NULL: as we are */
    int64_t uid, gid;          /* of these; -1: as we are */
};

/* Fills in a struct git. As root, git runs as the user `uid`, so that nothing in the tree makes it do what
 * that user could not do; as another user, it runs as that one. */
void git_command_open(rhost_ctx *ctx, struct git *g, const rhost_value *should, const char *path, int64_t uid,
                      int64_t gid);

/* Runs git with these words, which end with NULL: 0 whatever its status is, or -1 with the reason given.
 * `output` may be NULL: then another status than 0 is a failure too. With RHOST_EXEC_READS it runs under
 * noop. */
int32_t git_run(const struct git *g, uint64_t flags, struct rhost_output *output, ...)
    __attribute__((sentinel));
int32_t git_run_words(const struct git *g, uint64_t flags, struct rhost_output *output,
                      const char *const *words);

/* The first line that git prints, in memory of the call; NULL: its status is not 0, or there is none. -1 with
 * the reason given when it can't run. */
int32_t git_ask(const struct git *g, const char **line, ...) __attribute__((sentinel));

/* Why git failed, in one line: what it printed for errors, without hints. */
const char *git_complaint(rhost_ctx *ctx, const struct rhost_output *output);

#endif
