/* SPDX-License-Identifier: Apache-2.0 */
/* answer - whether an answer is as expected, and what is said of it. */
#ifndef HTTP_REQUEST_ANSWER_H
#define HTTP_REQUEST_ANSWER_H

#include "transfer.h"

/* 1: the status is one of these; without a list, one of 200 to 299. */
int answer_has_status(const struct transfer *t, const rhost_value *list);

/* Whether the regular expression `text` (NULL: none) matches in the answer: 1 or 0; or -1 after fail(). */
int answer_matches(const struct transfer *t, const rhost_value *text, const char *attribute);

/* ": " and the beginning of the answer for a message, or nothing; ": [redacted]" where it may repeat a
 * secret. */
const char *answer_excerpt(const struct transfer *t, int secret);

/* Whether a value is sensitive, or has something in it that is. */
int answer_is_sensitive(const rhost_value *v);

/* Whether an answer to this request is shown nowhere. */
int answer_is_secret(const rhost_value *should);

/* Puts the read-only attributes into `result`: `code`, and `answer` where it is captured. */
void answer_put(const struct transfer *t, const rhost_value *should, rhost_value *result);

#endif
