/* SPDX-License-Identifier: Apache-2.0 */
/* fields - which attribute is which field of a stanza, and the one form of their values. */
#ifndef APT_REPOSITORY_FIELDS_H
#define APT_REPOSITORY_FIELDS_H

#include <rhost/provider.h>

/* Lists of words: the attribute, and the field that has it. */
struct fields_list {
    const char *attribute, *field;
};

enum { FIELDS_LISTS = 5 };

extern const struct fields_list fields_lists[FIELDS_LISTS];

/* The attribute that a field has of its own; NULL: it is one of `fields`. */
const char *fields_attribute(const char *field);

/* The words of a text, as an array; and the value of a field with a list, its words with a blank between
 * them, in memory of the call. */
void fields_put_words(rhost_ctx *ctx, rhost_value *into, const char *attribute, const char *text);
const char *fields_joined(rhost_ctx *ctx, const rhost_value *array);

/* `signed_by` without what is around it: newlines, and blanks where it is no key. */
const char *fields_signed_by(rhost_ctx *ctx, const char *text);

/* Whether the value of a field means yes. */
int fields_is_yes(const char *text);

#endif
