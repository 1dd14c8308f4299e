/* SPDX-License-Identifier: Apache-2.0 */
/* download - a file from the first of the sources that has it, beside its path and then into it. */
#ifndef REMOTE_FILE_DOWNLOAD_H
#define REMOTE_FILE_DOWNLOAD_H

#include "decide.h"
#include "decompress.h"
#include "digest.h"
#include "place.h"
#include "signature.h"

struct download {
    struct fetch *f;
    struct place *place;
    struct place *target; /* gets the decompressed content; NULL: none, the file is as the server has it */
    const struct signature *signature; /* that the file must have */
    struct digest digest;
    off_t have;   /* bytes that the new file has */
    int64_t most; /* that it may have */
    int first;    /* the next bytes are the first ones of an answer */
    int restart;  /* what comes does not continue what there is */
    int broken;   /* the new file cannot be written, or is too large: `f->why` */
    int error;    /* errno of the former */

    /* What download_get() leaves. */
    const char *fetched; /* "ALGORITHM:HEX" of what the server has, where it was decompressed; else NULL */
    const char *sum;     /* "ALGORITHM:HEX" of the new file, whose size is in `have` */
    const char *etag, *modified; /* what the server said of it */
    size_t source;               /* which of the sources it is from */
};

enum { DOWNLOAD_DONE, DOWNLOAD_NOT_MODIFIED };

/* Fills the new file of `d->place`, whose other fields are zero, from the first source that has it. `wanted`:
 * its digest; NULL: any. `s`: a file that is good enough unless the server has another one; NULL: none.
 * DOWNLOAD_DONE, DOWNLOAD_NOT_MODIFIED, or -1 with the reason given. */
int download_get(struct fetch *f, struct download *d, const char *wanted, const struct subject *s);

#endif
