/* SPDX-License-Identifier: Apache-2.0 */
/* hostile-all - all attempts of tests/unit/attempts.h, made by a provider at work. */
#ifndef RH_TESTS_HOSTILE_ALL_H
#define RH_TESTS_HOSTILE_ALL_H

/* `where`: "TOP PORT ABSTRACT VICTIM", of a scene that the test has made. A line "NAME: works", or with the
 * reason why not, for each attempt; until it is called again. NULL: `where` is something else. */
const char *hostile_report(const char *where);

/* Writes it to a file that the provider may write: reports cut long values. -1: that can't be done. */
int hostile_try_all(const char *where, const char *path);

#endif
