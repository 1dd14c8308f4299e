/* SPDX-License-Identifier: Apache-2.0 */
/* ext-file - the extension rhost.file/1, as <rhost/file.h> promises it. */
#ifndef RH_PROVIDER_EXT_FILE_H
#define RH_PROVIDER_EXT_FILE_H

struct rhost_file;

const struct rhost_file *rh_ext_file(void);

#endif
