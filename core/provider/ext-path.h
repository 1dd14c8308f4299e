/* SPDX-License-Identifier: Apache-2.0 */
/* ext-path - the extension rhost.path/1: reach what a path names, without being led astray. */
#ifndef RH_PROVIDER_EXT_PATH_H
#define RH_PROVIDER_EXT_PATH_H

struct rhost_path;

const struct rhost_path *rh_ext_path(void);

#endif
