/* SPDX-License-Identifier: Apache-2.0 */
/* page - what the page of a fleet looks like. */
#ifndef RH_COLLECT_PAGE_H
#define RH_COLLECT_PAGE_H

extern const char rh_fleet_css[]; /* from page.css */

#endif
