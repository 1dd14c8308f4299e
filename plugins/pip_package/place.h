/* SPDX-License-Identifier: Apache-2.0 */
/* place - the directory that packages are in, and the user that its manager runs as.
 *
 * A manager of packages runs code of what it finds there, or of what it installs. As root it runs as the
 * owner of the directory, so that this code can do no more than the owner. As root itself it runs only where
 * no other user can change the directory. */
#ifndef PIP_PACKAGE_PLACE_H
#define PIP_PACKAGE_PLACE_H

#include <rhost/posix.h>

/* For the attributes, relations and needs of each such type. */
#define PLACE_OWNER_ATTR                                                                                     \
    {                                                                                                        \
        .name = "owner", .type = "Optional[" RHOST_TYPE_OWNER "]", .behaviour = RHOST_PARAMETER,             \
        .desc = "The user that a new directory belongs to, and that one which exists has to belong to."      \
    }
#define PLACE_TIMEOUT_ATTR                                                                                   \
    {                                                                                                        \
        .name = "timeout", .type = "Integer[1, 86400]", .behaviour = RHOST_PARAMETER,                        \
        .default_value = "600", .desc = "Seconds that each command may take."                                \
    }
#define PLACE_CAPABILITIES "capability[chown dac_override dac_read_search]"

struct place {
    rhost_ctx *ctx;
    const rhost_value *should; /* NULL: somebody only looks */
    const char *path;
    const char *user; /* that the manager runs as; NULL: as we are */
    int64_t uid;      /* of that user */
    int exists;
};

/* Looks at the directory `path`. 0; or -1 with the reason given: it is no directory, or another user's than
 * `owner`. */
int32_t place_open(rhost_ctx *ctx, struct place *p, const char *path, const rhost_value *should);

/* Before a manager runs. Where it is to run as root, no other user can change the directory, nor any of
 * `all`: absolute paths that the manager obeys, executes or installs, which end with NULL. "DIR/PATTERN",
 * with a '*' in the pattern, is the directory and what is directly in it by such a name. What does not exist
 * is no trouble. Where it is to run as another user, no third one can change a directory above. 0; or -1 with
 * the reason given. */
int32_t place_check_trust(const struct place *p, const char *manager, const char *const *all);

/* Makes the directory for its owner where it does not exist. The same answers. */
int32_t place_make(struct place *p);

/* Under noop: whether the owner exists, or will. */
int32_t place_foresee(const struct place *p);

/* Whether something is at `path`; a symbolic link counts. */
int place_has(rhost_ctx *ctx, const char *path);

#endif
