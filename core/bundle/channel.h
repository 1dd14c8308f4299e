/* SPDX-License-Identifier: Apache-2.0 */
/* channel - channel.json: which revision of a site each machine shall have. It is what a rollout is made of,
 * and is signed with a key of its own: it chooses among the revisions that the release key has signed. */
#ifndef RH_BUNDLE_CHANNEL_H
#define RH_BUNDLE_CHANNEL_H

#include "base/cleanup.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;

#define RH_CHANNEL_NAMESPACE "rhost-channel"
#define RH_CHANNEL_FILE "channel.json"
#define RH_PREVIEW_FILE "preview.json"

enum { RH_CHANNEL_BYTES = 1 << 20, RH_CHANNEL_HOSTS = 10000, RH_CHANNEL_JUMP = 1000000 /* of serials */ };

struct rh_channel {
    int64_t serial;          /* of the channel: a machine takes none that is lower than one it has seen,
                              * or more than RH_CHANNEL_JUMP above it */
    int64_t issued, expires; /* seconds since the epoch */
    int64_t want, other;     /* revisions: of the machines that are chosen, and of the others ("else") */
    int64_t min_revision;    /* none below it is ever applied */
    int percent;             /* how many are chosen by their hash */
    const char *salt;        /* of the hash */
    const char **hosts;      /* ids and names of machines that are chosen in any case */
    size_t n_hosts;
};

/* channel.c */

/* Reads it, and checks each part; its texts go into `a`. Unlike in descriptions, parts that are unknown are
 * errors: a rule that is ignored would choose other machines. */
RH_CHECKED int rh_channel_read(struct rh_arena *a, const char *text, size_t n, struct rh_channel *c,
                               struct rh_error *err);

/* The same channel has the same bytes. */
void rh_channel_write(struct rh_buf *b, const struct rh_channel *c);

/* The same of a preview, preview.json: the machines that are chosen make a dry run of `want`. It has a format
 * of its own, so that neither is taken for the other, and neither `other` nor `min_revision` (0). */
RH_CHECKED int rh_preview_read(struct rh_arena *a, const char *text, size_t n, struct rh_channel *c,
                               struct rh_error *err);
void rh_preview_write(struct rh_buf *b, const struct rh_channel *c);

/* A number from 0 to 99 for a machine: the first four bytes of SHA-256("SALT:HOST") as a number, the highest
 * byte first, modulo 100. */
int rh_channel_bucket(const char *salt, const char *host);

/* The revision for the machine with this id and name: `want` where one of them is among the hosts, or where
 * the bucket of the id is below `percent`; else `other`. */
int64_t rh_channel_choose(const struct rh_channel *c, const char *id, const char *name);

/* channel-make.c */

struct rh_channel_request {
    const char *directory; /* where the bundles are, and the channel */
    const char *signers;   /* the allowed signers; NULL: nothing is verified */
    const char *key;       /* that signs, for ssh-keygen */
    int64_t want, other;   /* other 0: what the channel said for the others before */
    int64_t serial;        /* 0: the next */
    int64_t min_revision;  /* 0: as before */
    int64_t lasts;         /* seconds until it expires */
    int percent;           /* -1: 100, or 0 where hosts are named */
    const char *const *hosts;
    size_t n_hosts;
};

/* Ends what a program has begun that was killed while it replaced the channel: the signature of the next one
 * is in its place, and the channel is not. -1 with an error where that cannot be done. */
RH_CHECKED int rh_channel_recover(const char *directory, const char *signers, struct rh_error *err);

/* Makes the next channel, signs it by ssh-keygen, and replaces the one in the directory. Each revision that
 * it names must be there, whole and signed. The salt stays while `want` stays, so that those who were chosen
 * stay chosen when `percent` grows. `made` gets the channel; its texts go into `a`. */
RH_CHECKED int rh_channel_make(struct rh_arena *a, const struct rh_channel_request *r,
                               struct rh_channel *made, struct rh_error *err);

/* Makes the next preview of `want`, in the same way; of the request only directory, signers, key, want,
 * percent, hosts and lasts count. */
RH_CHECKED int rh_preview_make(struct rh_arena *a, const struct rh_channel_request *r,
                               struct rh_channel *made, struct rh_error *err);

#endif
