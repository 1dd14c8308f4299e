/* SPDX-License-Identifier: Apache-2.0 */
/* page - the parts of the page of a fleet. */
#ifndef RH_COLLECT_PAGE_H
#define RH_COLLECT_PAGE_H

#include "base/cleanup.h"

struct rh_buf;
struct rh_error;
struct rh_store;

extern const char rh_fleet_css[]; /* from page.css */

/* The states of hosts, which revisions they have, and the drift of the last days, as bars. Adds to `b`, and
 * returns -1 with an error. */
RH_CHECKED int rh_page_add_pictures(struct rh_store *s, struct rh_buf *b, struct rh_error *err);

#endif
