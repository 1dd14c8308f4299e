/* SPDX-License-Identifier: Apache-2.0 */
/* provider-policy - reads what the operator lets providers do, from /etc/rhost/providers.yaml. */
#ifndef RH_CLI_PROVIDER_POLICY_H
#define RH_CLI_PROVIDER_POLICY_H

#include "base/cleanup.h"

#include <stdbool.h>

#define RH_PROVIDER_POLICY "/etc/rhost/providers.yaml"

struct rh_settings;

/* Reads the policy that the settings name (NULL: the usual file, which may be missing) into them, and what it
 * says of the isolation, unless that was given. -1 after printing all that is wrong with it. Where the usual
 * file may be wrong, it is not used then: with that a way back would be shut. */
RH_CHECKED int rh_provider_policy_read(struct rh_settings *settings, bool may_be_wrong);

/* What was read is freed. */
void rh_provider_policy_clear(struct rh_settings *settings);

#endif
