/* SPDX-License-Identifier: Apache-2.0 */
/* place - a file in the .ssh of a user, or elsewhere, reached without being led astray by that user.
 *
 * root writes into a folder that belongs to somebody else, who may change it at any moment. So the path is
 * walked by the host (rhost/path.h), and the folder of the file must belong to root or to the
 * user. What is written afterwards goes relative to the descriptor of that folder. */
#ifndef SSH_AUTHORIZED_KEY_PLACE_H
#define SSH_AUTHORIZED_KEY_PLACE_H

#include <rhost/lines.h>

struct place {
    uid_t uid;
    gid_t gid;
    int warn;         /* what is refused is a warning, and no failure of the call */
    int *no_memory;   /* becomes 1 when memory is out, warn or not; may be NULL */
    int own;          /* the usual file of the user, whose folder ".ssh" is made when it is missing */
    char *path;       /* in memory of the call */
    const char *base; /* of the file */
    int dir;          /* -1: not opened, or not there */
};

/* Where the file of the user is: `target`, or with "" the one of this name in ".ssh". 1: there is no such
 * user; -1 after the reason was given. place_close() in any case. */
int place_find(rhost_ctx *ctx, const char *user, const char *name, const char *target, struct place *p);
void place_close(struct place *p);

/* The file as lines, for rhost_lines_free(); empty when it, its folder or the home are missing.
 * NULL after the reason was given. */
struct rhost_lines *place_read(rhost_ctx *ctx, struct place *p);

/* Why sshd would not heed the file that was read, in memory of the call; NULL: it would. */
const char *place_fault(rhost_ctx *ctx, const struct place *p, const struct rhost_lines *l);

/* Writes the lines; makes and rights the folder, owner and modes as sshd demands. */
int32_t place_write(rhost_ctx *ctx, struct place *p, const struct rhost_lines *l);

/* Makes the directory `name` in `in`, with 0700, as the user of `p` would: nothing has to be given to them
 * afterwards, which they could have exchanged in between. Only path, uid and gid of `p` are used. A
 * descriptor, or -1 after the reason was given. */
int place_make_folder(rhost_ctx *ctx, const struct place *p, int in, const char *name);

#endif
