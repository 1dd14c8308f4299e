/* SPDX-License-Identifier: Apache-2.0 */
/* caps - the capabilities that a program gets from its file, as text: "cap_net_bind_service,cap_net_raw=ep".
 */
#ifndef FILE_CAPS_H
#define FILE_CAPS_H

#include <rhost/provider.h>

#define CAPS_CLAUSE "cap_[a-z_]+(,cap_[a-z_]+)*[=+][eip]{1,3}"
#define CAPS_TYPE "Optional[Pattern[/\\A(none|" CAPS_CLAUSE "( " CAPS_CLAUSE ")*)\\z/]]"

/* Brings `capabilities` into its canonical form. 0, or -1 after the reason was given. */
int caps_tidy(rhost_ctx *ctx, rhost_value *resource);

/* Reports `capabilities` in that form: "none", or nothing where `always` is 0. 0, or -1 after the reason
 * was given. */
int caps_report(rhost_ctx *ctx, int fd, int always, rhost_value *current);

/* Gives what is open the capabilities that are wanted, in the canonical form. Changing the owner or the
 * content takes them away: the last step. 0, or -1 after the reason was given. */
int caps_set(rhost_ctx *ctx, int fd, const rhost_value *should);

#endif
