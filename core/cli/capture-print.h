/* SPDX-License-Identifier: Apache-2.0 */
/* capture-print - a captured machine as a manifest with comments. */
#ifndef RH_CLI_CAPTURE_PRINT_H
#define RH_CLI_CAPTURE_PRINT_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_capture;
struct rh_type;

enum { RH_CAPTURE_TYPES = 32 };

struct rh_capture_sheet {
    const struct rh_type *types[RH_CAPTURE_TYPES]; /* by rh_capture_type() */
    const char *missing[RH_CAPTURE_TYPES];         /* why one could not be captured, or NULL */
    bool secrets;                                  /* are written as they are */
    size_t n_secrets, n_impossible;                /* resources that were left out: counted here */
};

/* Adds the manifest behind the beginning of its first line. */
void rh_capture_print(struct rh_buf *b, struct rh_arena *a, const struct rh_capture *c,
                      struct rh_capture_sheet *sheet);

#endif
