/* SPDX-License-Identifier: Apache-2.0 */
/* below - opening what is below a directory. */
#ifndef RH_MANIFEST_LOAD_BELOW_H
#define RH_MANIFEST_LOAD_BELOW_H

#include "base/cleanup.h"

/* Opens for reading what a relative path leads to, which no symbolic link takes out of the directory: -1 with
 * errno; EXDEV or ELOOP where one would. */
RH_CHECKED int rh_load_open_below(int folder, const char *path);

#endif
