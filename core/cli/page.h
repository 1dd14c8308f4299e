/* SPDX-License-Identifier: Apache-2.0 */
/* page - the manual of a type as a page to be kept: in Markdown, or for man. */
#ifndef RH_CLI_PAGE_H
#define RH_CLI_PAGE_H

#include "cli/options.h"

struct rh_arena;
struct rh_buf;
struct rh_type;
struct rh_value;

/* A page under way. Both forms have the same parts, in the same order. */
struct rh_page {
    struct rh_buf *out;
    enum rh_format format; /* RH_FORMAT_MARKDOWN or RH_FORMAT_MAN */
};

/* Begins the page of a type, of which `t` is the provider, or the first of several. */
void rh_page_begin(const struct rh_page *p, const struct rh_type *t);

/* Adds what a provider says of itself; with `several`, under a heading with its name. */
void rh_page_provider(const struct rh_page *p, const struct rh_type *t, bool several);

/* description.c: a type as data for programs that read 'rhost describe --format=json'. */

/* What the plugin says of itself, with names in the place of bits: behaviours, features and
 * callbacks. */
struct rh_value *rh_description_value(struct rh_arena *a, const struct rh_type *t);

/* Only who serves it: its name, the provider, and the plugin with its version. */
void rh_description_put_source(struct rh_value *to, const struct rh_type *t);

/* What it needs, an array of texts as they are declared; undef where nothing is declared. */
struct rh_value *rh_description_needs(struct rh_arena *a, const struct rh_type *t);

#endif
