/* SPDX-License-Identifier: Apache-2.0 */
/* sizes - how large each struct of the ABI is, at compile time: with pointers of 64 bits, with those of 32
 * where a uint64_t is aligned to 4 bytes (i386), and where it is aligned to 8 (arm). A struct that grows at
 * its end has its new size here. Where there is no C library, layout.bats takes the structs out of the
 * headers that need one. */
#if __STDC_HOSTED__
#include <rhost/ids.h>
#include <rhost/path.h>
#include <rhost/private.h>
#endif

#include <rhost/abi.h>
#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/keep.h>
#include <rhost/overlap.h>
#include <rhost/program.h>
#include <rhost/progress.h>

#if !__STDC_HOSTED__
#include "structs.h"
#endif

struct alignment {
    char first;
    uint64_t number;
};

#define SIZE(s, wide, packed, aligned)                                                                       \
    _Static_assert(sizeof(struct s)                                                                          \
                       == (sizeof(void *) == 8                       ? (wide)                                \
                           : offsetof(struct alignment, number) == 4 ? (packed)                              \
                                                                     : (aligned)),                           \
                   #s " has another size")

SIZE(rhost_action, 24, 12, 12);
SIZE(rhost_attr, 64, 36, 40);
SIZE(rhost_bridge, 16, 8, 8);
SIZE(rhost_bridge_host, 24, 12, 12);
SIZE(rhost_catalog, 32, 16, 16);
SIZE(rhost_change, 40, 20, 20);
SIZE(rhost_command, 112, 64, 72);
SIZE(rhost_exec, 16, 8, 8);
SIZE(rhost_fact, 48, 24, 24);
SIZE(rhost_file, 24, 12, 12);
SIZE(rhost_file_seen, 72, 68, 72);
SIZE(rhost_host, 360, 180, 180);
SIZE(rhost_ids, 24, 12, 12);
SIZE(rhost_keep, 24, 12, 12);
SIZE(rhost_lookup, 72, 36, 36);
SIZE(rhost_new_file, 96, 68, 72);
SIZE(rhost_output, 56, 36, 36);
SIZE(rhost_overlap, 24, 12, 12);
SIZE(rhost_path, 64, 32, 32);
SIZE(rhost_plugin, 80, 44, 48);
SIZE(rhost_private, 32, 16, 16);
SIZE(rhost_programs, 72, 36, 36);
SIZE(rhost_progress, 16, 8, 8);
SIZE(rhost_provider, 248, 128, 136);
SIZE(rhost_run, 24, 16, 16);
SIZE(rhost_transport, 96, 48, 48);
SIZE(rhost_upcoming, 24, 12, 12);
