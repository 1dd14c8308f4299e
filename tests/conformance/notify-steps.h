/* SPDX-License-Identifier: Apache-2.0 */
/* notify-steps - the steps of a vector of notify.json, and the manifest that they are. */
#ifndef RH_TESTS_CONFORMANCE_NOTIFY_STEPS_H
#define RH_TESTS_CONFORMANCE_NOTIFY_STEPS_H

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

bool step_is_action(const char *name);
const char *step_type(struct json_object *step);
bool step_is_container(const char *type);
bool step_declares(struct json_object *step);
bool step_edits(struct json_object *step);
const char *step_timing(struct json_object *notification);
bool step_is_deleted(struct json_object *steps, size_t at);

#endif
