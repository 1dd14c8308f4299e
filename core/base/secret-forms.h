/* SPDX-License-Identifier: Apache-2.0 */
/* secret-forms - what a secret looks like after somebody has quoted or encoded it. */
#ifndef RH_BASE_SECRET_FORMS_H
#define RH_BASE_SECRET_FORMS_H

#include <stddef.h>

struct rh_buf;

/* Shorter ones are no secret worth the name, and would be found everywhere. A line of a longer text
 * is a secret by itself from RH_SECRET_LINE on. */
enum { RH_SECRET_LEAST = 4, RH_SECRET_LINE = 6 };

/* Calls `each` with the text itself and with its forms: its lines, the value of NAME=value, escaped
 * as JSON, as our own messages and as shells do it, percent-encoded, in base64 at each of its three
 * alignments, and in hexadecimal. Those that are the text again are left out. */
void rh_secret_forms(const char *s, size_t n, void (*each)(void *data, const char *s, size_t n), void *data);

/* The text and its lines alone: for what is too long for all of them. */
void rh_secret_lines(const char *s, size_t n, void (*each)(void *data, const char *s, size_t n), void *data);

#endif
