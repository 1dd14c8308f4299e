/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap-script - the text of bootstrap.sh. */
#ifndef RH_REACH_BOOTSTRAP_SCRIPT_H
#define RH_REACH_BOOTSTRAP_SCRIPT_H

extern const char rh_bootstrap_script[];

#endif
