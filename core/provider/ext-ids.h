/* SPDX-License-Identifier: Apache-2.0 */
/* ext-ids - the extension rhost.ids/1: the numbers of users and groups, and their names. */
#ifndef RH_PROVIDER_EXT_IDS_H
#define RH_PROVIDER_EXT_IDS_H

struct rhost_ids;

const struct rhost_ids *rh_ext_ids(void);

/* What was looked up is looked up again: with each request, and after each command, accounts may be others. */
void rh_ext_ids_forget(void);

#endif
