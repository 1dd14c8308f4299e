/* SPDX-License-Identifier: Apache-2.0 */
/* capability-name - the names of capabilities. */
#include "config.h"

#include "base/capability-name.h"

#include <string.h>
#include <strings.h>

/* By number: those of Linux 6.12. */
static const char *const names[] = {
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
};
enum { N_NAMES = sizeof names / sizeof *names };

int
rh_capability_number(const char *name)
{
    if (strncasecmp(name, "cap_", 4) == 0)
        name += 4;
    for (int i = 0; i < N_NAMES; i++)
        if (strcasecmp(name, names[i]) == 0)
            return i;
    return -1;
}

const char *
rh_capability_name(int number)
{
    return number >= 0 && number < N_NAMES ? names[number] : NULL;
}
