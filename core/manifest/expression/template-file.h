/* SPDX-License-Identifier: Apache-2.0 */
/* template-file - files that templates or expressions read as templates, each once. */
#ifndef RH_MANIFEST_EXPRESSION_TEMPLATE_FILE_H
#define RH_MANIFEST_EXPRESSION_TEMPLATE_FILE_H

#include <stddef.h>

struct rh_load;

/* A template that was read, for whoever names it next. */
struct rh_template {
    unsigned file;
    const char *text;
    size_t n;
};

/* Takes the text over; NULL when there are too many files. */
const struct rh_template *rh_template_keep(struct rh_load *load, const char *name, unsigned from, char *text,
                                           size_t n);

/* The number of a file that a template or an expression reads as a template. */
unsigned rh_template_add(struct rh_load *load, const char *path, unsigned from, const char *text, size_t n);

#endif
