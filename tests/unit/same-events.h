/* SPDX-License-Identifier: Apache-2.0 */
/* same-events - the events of a text from libyaml and from a record of them, held against each other.
 */
#ifndef TESTS_UNIT_SAME_EVENTS_H
#define TESTS_UNIT_SAME_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text has a record. What is different is printed, and `*same` becomes false. */
bool same_events(const char *text, size_t n, bool *same);

#endif
