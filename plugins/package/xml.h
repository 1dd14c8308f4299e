/* SPDX-License-Identifier: Apache-2.0 */
/* xml - what a program prints as XML, tag by tag. Output that is cut off, or has other text in between, as of
 * programs that the package manager runs, is read as far as it goes. */
#ifndef PACKAGE_XML_H
#define PACKAGE_XML_H

#include "words.h"

struct xml_tag {
    const char *name; /* "message", and "/message" where it ends; not terminated */
    size_t name_length;
    const char *attributes; /* up to the end of the tag */
    size_t attributes_length;
    const char *text; /* from there to the next tag */
    size_t text_length;
};

/* The next tag from *at, which moves on. 0: there is none. */
int xml_next(const char **at, struct xml_tag *tag);
int xml_is(const struct xml_tag *tag, const char *name);

/* With entities decoded. An attribute that the tag does not have is NULL. All memory is the call's. */
const char *xml_attribute(rhost_ctx *ctx, const struct xml_tag *tag, const char *name);
const char *xml_text(rhost_ctx *ctx, const struct xml_tag *tag);

#endif
