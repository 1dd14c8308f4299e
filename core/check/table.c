/* SPDX-License-Identifier: Apache-2.0 */
/* table - the checks, in the order in which they run. docs/check.md says more of each. */
#include "config.h"

#include "check/parts.h"

enum {
    PROVIDER = RH_NEEDS_PROVIDER,
    READS = RH_NEEDS_PROVIDER | RH_NEEDS_READING,
};

const struct rh_check rh_checks[] = {
    { "loads", "static", "it loads, and can be described", 0, rh_check_loads },
    { "symbol", "static", "it exports its entry and nothing else", 0, rh_check_symbol },
    { "pure", "static", "describing it does nothing, and says the same each time", RH_JUDGES_OUTPUT,
      rh_check_pure },
    { "quick", "static", "describing it takes no time", 0, rh_check_quick },
    { "schema", "static", "its attributes, defaults, patterns and actions fit together", PROVIDER,
      rh_check_schema },
    { "documented", "static", "the type and each attribute have a description", PROVIDER,
      rh_check_documented },
    { "callbacks", "static", "features and callbacks agree", PROVIDER, rh_check_callbacks },
    { "suits", "reading", "it can tell whether it suits this machine", PROVIDER, rh_check_suits },
    { "reads", "reading", "reading works, by the rules", PROVIDER, rh_check_reads },
    { "fits", "reading", "what is read fits the type", READS, rh_check_fits },
    { "canonical", "reading", "what is read is canonical", READS, rh_check_canonical },
    { "stable", "reading", "canonicalizing twice is canonicalizing once", READS, rh_check_stable },
    { "once", "reading", "each resource is read once", READS, rh_check_once },
    { "by-name", "reading", "read by name is as read among all", READS, rh_check_by_name },
    { "agrees", "reading", "two readings are the same", READS, rh_check_agrees },
    { "absent", "reading", "what is not there is absent", READS, rh_check_absent },
    { 0 },
};
