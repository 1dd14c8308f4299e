/* SPDX-License-Identifier: Apache-2.0 */
/* capability-name - the names of capabilities, as capabilities(7) has them: "chown", "CAP_CHOWN". */
#ifndef RH_BASE_CAPABILITY_NAME_H
#define RH_BASE_CAPABILITY_NAME_H

/* The number of a capability, with or without "CAP_", in any case of letters; -1: unknown. */
int rh_capability_number(const char *name);

/* The name in lower case, without "CAP_"; NULL: unknown. */
const char *rh_capability_name(int number);

#endif
