/* SPDX-License-Identifier: Apache-2.0 */
/* html - pages that need nothing else: no network, no other file. All have one frame (page.html), with the
 * data as JSON text in it; each kind has a style and a script of its own. */
#ifndef RH_RUN_HTML_H
#define RH_RUN_HTML_H

#include <stddef.h>

struct rh_buf;

struct rh_html_kind {
    const char *style, *script;
    const char *picture; /* markup before the data; or NULL */
};

/* Append what stands before the data, a part of it, and what stands behind it. The page draws its texts as
 * texts only, and none of them ends the element that it is in. */
void rh_html_open(struct rh_buf *page, const struct rh_html_kind *kind);
void rh_html_add(struct rh_buf *page, const char *json, size_t n);
void rh_html_close(struct rh_buf *page, const struct rh_html_kind *kind);

/* The same for runs. */
void rh_html_begin(struct rh_buf *page);
void rh_html_end(struct rh_buf *page);

/* Generated from page.html, where "@DATA@" stands for the JSON text, and so on; runs.css, runs.js. */
extern const char rh_html_frame[], rh_html_runs_style[], rh_html_runs_script[];

#endif
