/* SPDX-License-Identifier: Apache-2.0 */
/* secret-file - a secret decides the mode of the file that it is written to, for every provider. */
#ifndef RH_PROVIDER_SECRET_FILE_H
#define RH_PROVIDER_SECRET_FILE_H

#include <rhost/file.h>

/* The extension rhost.file/1 for providers: ext-file.h, but a file whose content has a secret in it is
 * created with 0600, and never gets a wider mode that no manifest states. Where others can read it, a
 * warning says so. */
const struct rhost_file *rh_secret_file(void);

#endif
