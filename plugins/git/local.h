/* SPDX-License-Identifier: Apache-2.0 */
/* local - what is in a tree and not in the remote: changed files, and commits. */
#ifndef GIT_LOCAL_H
#define GIT_LOCAL_H

#include "repository.h"

/* Whether they are discarded. */
int local_is_discarded(const rhost_value *should);

/* Whether files that git knows differ from the commit that is checked out, or, with `untracked`, others are
 * there that it does not ignore. 1 with the first of them, in memory of the call; 0; or -1 with the reason
 * given. */
int local_has_changes(const struct git *g, const struct repository *r, int untracked, const char **first);

/* Whether there are commits in HEAD or in the local branch (NULL: in any), which are neither in a branch or
 * tag that was fetched, nor the commit that rhost has checked out last. 1, 0, or -1. */
int local_has_commits(const struct git *g, const struct repository *r, const rhost_value *name,
                      const char *branch);

/* Whether there are stashed changes: 1, 0, or -1. */
int local_has_stash(const struct git *g);

/* Notes the commit that rhost has checked out; NULL: none any more. */
int32_t local_note(rhost_ctx *ctx, const rhost_value *name, const char *commit);

/* Refuses to go on, for the reason that `what` begins with. */
int32_t local_refuse(const struct git *g, const char *what);

#endif
