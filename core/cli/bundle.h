/* SPDX-License-Identifier: Apache-2.0 */
/* bundle - bundles as arguments of commands that take manifests. */
#ifndef RH_CLI_BUNDLE_H
#define RH_CLI_BUNDLE_H

#include "base/cleanup.h"

struct rh_arena;
struct rh_settings;

#define RH_BUNDLE_SIGNERS "/etc/rhost/allowed_signers"

/* bundle-argument.c: a file with the name rN.json is a bundle, whatever is in it. Replaces a bundle among the
 * arguments, which must be the only one, by the manifest that it was unpacked to, and sets the revision of
 * the run. The texts go into `a`. -1 after telling why it is refused. */
RH_CHECKED int rh_bundle_argument(struct rh_arena *a, struct rh_settings *settings, int argc, char **argv);

/* The same, but that the manifest is devices/DEVICE.yaml of the bundle. */
RH_CHECKED int rh_bundle_argument_of_device(struct rh_arena *a, struct rh_settings *settings,
                                            const char *device, int argc, char **argv);

#endif
