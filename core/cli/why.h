/* SPDX-License-Identifier: Apache-2.0 */
/* why - where what a resource says comes from, and what it has to do with others. */
#ifndef RH_CLI_WHY_H
#define RH_CLI_WHY_H

struct rh_arena;
struct rh_buf;
struct rh_resource;
struct rh_session;
struct rh_value;

/* why-value.c: what is known of the resource:
 *
 *   {resource, type, title, provider, place, container: {resource, place},
 *    attributes: [{name, value, from, place, written, node: [...]}], keywords: [the same],
 *    after, before: [{resource, kind, automatic, place}],
 *    notifies, notified_by: [{resource, action, when}], defaults: ...}
 *
 * `from` is entry, default, edit, title or type. `node` has what rh_node_explain knows of each attribute that
 * was read. Values are those of the catalog, with their marks. */
struct rh_value *rh_why_value(struct rh_session *s, const struct rh_resource *r);

/* why-changes.c: the last changes of the resource in the journals, newest first, at most `most`:
 * [{run, time, status, action, changes}]. What cannot be read is a warning. */
struct rh_value *rh_why_changes(struct rh_session *s, const struct rh_resource *r, unsigned most);

/* why-text.c: the same as text. */
void rh_why_show(struct rh_buf *b, const struct rh_value *why);

#endif
