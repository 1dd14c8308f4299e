/* SPDX-License-Identifier: Apache-2.0 */
/* resembles-secret - whether text that could not be parsed resembles one with a secret in it. */
#ifndef RH_BASE_RESEMBLES_SECRET_H
#define RH_BASE_RESEMBLES_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/* A line with a word like "password:" in it. */
bool rh_resembles_secret(const char *line, size_t len);

/* A place in a file that could not be read as it should: its line, or one above it in the same entry
 * of a list, looks so; or the file names attributes that are `sensitive`, and which they are is not
 * known. */
bool rh_place_resembles_secret(const char *text, size_t n, size_t at);

#endif
