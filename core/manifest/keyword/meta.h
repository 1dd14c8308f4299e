/* SPDX-License-Identifier: Apache-2.0 */
/* meta - the keywords that say how a resource is treated: tag, alias, loglevel, audit, verify. */
#ifndef RH_MANIFEST_KEYWORD_META_H
#define RH_MANIFEST_KEYWORD_META_H

struct rh_load;
struct rh_meta;
struct rh_keyword_values;
struct rh_type;
struct rh_value;

/* What `said` has of this kind, made when it is first asked for. */
struct rh_meta *rh_keyword_values_meta(struct rh_load *load, struct rh_keyword_values *keywords);

/* One of its own, for an edit to add to. */
struct rh_meta *rh_meta_copy(struct rh_load *load, const struct rh_meta *meta);

/* Notes that `sensitive` names this attribute. */
void rh_keyword_values_secret(struct rh_load *load, struct rh_keyword_values *keywords,
                              const char *attribute);

/* Where something is watched and no property is given, none is managed: takes those that have a
 * default out of what is wanted. Only for types with `ensure`: what an exec does is not a state. */
void rh_audit_drop_defaults(const struct rh_type *t, struct rh_keyword_values *keywords,
                            const struct rh_value *declared, struct rh_value *should);

/* Complains and returns -1 where this entry is an instance of a definition: what `word` asks for is done with
 * the resources in it alone, and would be ignored here. */
int rh_keyword_check_instance(struct rh_load *load, const struct rh_keyword_values *keywords,
                              const struct rh_value *v, const char *word);

/* Readers for the table of keywords (manifest/keyword/keyword.h). */
int rh_read_tag(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_alias(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_loglevel(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_audit(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_verify(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_backup(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_replace(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);

/* notification.c: notifications with an action and a time, as a manifest writes them.
 *
 *   notifies: [restart, "service[nginx]", delayed]
 *   notifies:
 *     - [stop, "service[db]", before]
 *     - {action: start, resource: "service[db]", when: delayed, on_failure: hold} */

/* Note them in `said`, or complain and return -1. */
int rh_read_notifies(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);
int rh_read_subscribes(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);

#endif
