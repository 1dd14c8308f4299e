/* SPDX-License-Identifier: Apache-2.0 */
/* checkout - brings a repository to a revision. */
#ifndef GIT_CHECKOUT_H
#define GIT_CHECKOUT_H

#include "remote.h"
#include "repository.h"

/* Whether the repository is at the revision that is desired: 1 or 0; -1 with the reason given. The remote is
 * asked where a branch or a tag is followed; what it is there goes into `wanted`. */
int checkout_is_current(const struct git *g, const struct repository *r, struct revision *wanted);

/* Makes an empty repository in the directory of `g`. */
int32_t checkout_init(const struct git *g);

/* Sets the URL of the remote. */
int32_t checkout_set_source(const struct git *g, const char *url);

/* Fetches the revision, verifies it and checks it out, unless something local would be lost. */
int32_t checkout_bring(const struct git *g, struct repository *r, const rhost_value *name);

/* Whether all submodules are at the commits that the tree names: 1 or 0; -1 with the reason given. */
int checkout_has_submodules(const struct git *g, const struct repository *r);
int32_t checkout_bring_submodules(const struct git *g);

#endif
