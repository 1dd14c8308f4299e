/* SPDX-License-Identifier: Apache-2.0 */
/* abi-types - a variable for each struct of the ABI, so that its debugging information has all of them: what
 * abidiff compares with tests/sdk/abi-1.abi. See tests/sdk/abidiff. */
#include <rhost/abi.h>
#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/ids.h>
#include <rhost/keep.h>
#include <rhost/overlap.h>
#include <rhost/path.h>
#include <rhost/private.h>
#include <rhost/program.h>
#include <rhost/progress.h>

#define SHOWN(name)                                                                                          \
    extern struct name *abi_##name;                                                                          \
    struct name *abi_##name

SHOWN(rhost_action);
SHOWN(rhost_attr);
SHOWN(rhost_bridge);
SHOWN(rhost_bridge_host);
SHOWN(rhost_catalog);
SHOWN(rhost_change);
SHOWN(rhost_command);
SHOWN(rhost_ctx);
SHOWN(rhost_exec);
SHOWN(rhost_fact);
SHOWN(rhost_file);
SHOWN(rhost_file_seen);
SHOWN(rhost_host);
SHOWN(rhost_ids);
SHOWN(rhost_keep);
SHOWN(rhost_lookup);
SHOWN(rhost_new_file);
SHOWN(rhost_output);
SHOWN(rhost_overlap);
SHOWN(rhost_path);
SHOWN(rhost_plugin);
SHOWN(rhost_private);
SHOWN(rhost_programs);
SHOWN(rhost_progress);
SHOWN(rhost_provider);
SHOWN(rhost_run);
SHOWN(rhost_transport);
SHOWN(rhost_upcoming);
SHOWN(rhost_value);
