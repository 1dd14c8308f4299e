/* SPDX-License-Identifier: Apache-2.0 */
/* html - runs as one page that needs nothing else: no network, no other file. */
#ifndef RH_RUN_HTML_H
#define RH_RUN_HTML_H

#include <stddef.h>

struct rh_buf;

/* The page, generated from page.html: "@DATA@" stands for the JSON text that it shows. */
extern const char rh_html_page[];

/* Append what stands before that text, a part of it, and what stands behind it. The page draws its texts as
 * texts only, and none of them ends the element that it is in. */
void rh_html_begin(struct rh_buf *page);
void rh_html_add(struct rh_buf *page, const char *json, size_t n);
void rh_html_end(struct rh_buf *page);

#endif
