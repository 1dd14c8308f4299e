/* SPDX-License-Identifier: Apache-2.0 */
/* notification - notifications with an action and a time, as a manifest writes them.
 *
 *   notifies: [restart, "service[nginx]", delayed]
 *   notifies:
 *     - [stop, "service[db]", before]
 *     - {action: start, resource: "service[db]", when: delayed, on_failure: hold} */
#ifndef RH_MANIFEST_KEYWORD_NOTIFICATION_H
#define RH_MANIFEST_KEYWORD_NOTIFICATION_H

struct rh_load;
struct rh_said;
struct rh_value;

/* Note them in `said`, or complain and return -1. */
int rh_read_notifies(struct rh_load *load, struct rh_said *said, struct rh_value *v);
int rh_read_subscribes(struct rh_load *load, struct rh_said *said, struct rh_value *v);

#endif
