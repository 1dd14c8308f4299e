/* SPDX-License-Identifier: Apache-2.0 */
/* ssh-config - what the configuration of OpenSSH says about shared connections. */
#ifndef RH_REACH_SSH_CONFIG_H
#define RH_REACH_SSH_CONFIG_H

#include <stdbool.h>

/* Whether a file of the configuration, or one that it includes, sets ControlMaster, ControlPath or
 * ControlPersist, for any host. `file` is that of `ssh -F`; NULL: the usual files of the user and of the
 * system. True also when an Include cannot be resolved here, as with %h: the files may then set them. What
 * cannot be read counts as empty: ssh itself reports that. */
bool rh_ssh_config_shares(const char *file);

#endif
