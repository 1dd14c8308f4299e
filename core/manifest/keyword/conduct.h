/* SPDX-License-Identifier: Apache-2.0 */
/* conduct - the keywords that say how a resource is to be dealt with: guards, retries, limits. */
#ifndef RH_MANIFEST_KEYWORD_CONDUCT_H
#define RH_MANIFEST_KEYWORD_CONDUCT_H

struct rh_load;
struct rh_keyword_values;
struct rh_value;

/* Note it in `said`, or complain and return -1. */
int rh_read_only_if(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_not_if(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_retries(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_retry_delay(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_timeout(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_ignore_failure(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_success_when(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_changed_when(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_until(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);

#endif
