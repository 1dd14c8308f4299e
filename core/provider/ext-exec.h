/* SPDX-License-Identifier: Apache-2.0 */
/* ext-exec - the extension rhost.exec/1, as <rhost/exec.h> promises it. */
#ifndef RH_PROVIDER_EXT_EXEC_H
#define RH_PROVIDER_EXT_EXEC_H

struct rhost_exec;

enum { RH_EXEC_DEFAULT_TIMEOUT = 300000 }; /* milliseconds */

const struct rhost_exec *rh_ext_exec(void);

#endif
