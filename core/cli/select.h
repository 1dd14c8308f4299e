/* SPDX-License-Identifier: Apache-2.0 */
/* select - which part of the list is for this run: --only, --tags, --skip-tags. */
#ifndef RH_CLI_SELECT_H
#define RH_CLI_SELECT_H

#include <stdbool.h>

struct rh_session;

/* Takes the entries of other resources out of the order; what is left keeps its order. Warns of tags
 * that nothing has. -1 after telling what is wrong. */
int rh_select(struct rh_session *s);

/* Whether this is a list of tags with commas between. */
bool rh_is_tag_list(const char *text);

#endif
