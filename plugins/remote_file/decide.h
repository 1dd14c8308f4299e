/* SPDX-License-Identifier: Apache-2.0 */
/* decide - whether the file at the path is the one that the source has. */
#ifndef REMOTE_FILE_DECIDE_H
#define REMOTE_FILE_DECIDE_H

#include "fetch.h"
#include "record.h"

/* The file at the path, and what is known of it. */
struct subject {
    const rhost_value *name, *should;
    const char *path;
    int fd;
    struct stat st;
    int has_record;
    struct record record;
    const char *sum; /* of the file, as far as it was computed; NULL: not yet */
    int is_intact;   /* it is as the record has it */
    const char *why; /* why another file is needed, in words */
};

enum decision {
    DECISION_SAME,  /* it is the file */
    DECISION_OTHER, /* it is not, see `why` */
    DECISION_ASK,   /* the server is to be asked */
};

/* Opens the file and reads its record. 0; RHOST_ABSENT; or -1 with the reason given. */
int32_t subject_open(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, struct subject *s);
void subject_close(struct subject *s);

/* The digest of the file by this algorithm, computed when it is not known; or NULL with the reason given. */
const char *subject_sum(rhost_ctx *ctx, struct subject *s, const char *algorithm);

/* The digest by this algorithm of what the server had when the file was made of it: that of the file, unless
 * it is to be decompressed. 0, and NULL where it is not known; or -1 with the reason given. */
int subject_fetched(rhost_ctx *ctx, struct subject *s, const char *algorithm, const char **sum);

/* What can be said without a request: an enum decision; or -1 with the reason given. */
int decide_alone(rhost_ctx *ctx, struct subject *s);

/* What the list of checksums or the server says, where decide_alone() says ASK: SAME or OTHER; or -1 with the
 * reason given. Of a file that the server has the content is read only where nothing else tells. */
int decide_by_server(struct fetch *f, struct subject *s);

/* Whether one of the sources has a file: 0; or -1 with the reason given. Its content is not read. */
int32_t decide_is_available(struct fetch *f);

/* The digest that is desired: `checksum`, or NULL. */
const char *decide_wanted(const rhost_value *should);

/* Headers that make a GET of this URL conditional, NULL-terminated and in memory of the call; NULL: there are
 * none, since the file is not what came from there. */
const char *const *decide_conditions(rhost_ctx *ctx, const struct subject *s, const rhost_value *url);

/* Why none of the sources can be used: what was found for each, in memory of the call. */
const char *decide_add_failure(rhost_ctx *ctx, const char *failures, const rhost_value *should, size_t i,
                               const char *why);

#endif
