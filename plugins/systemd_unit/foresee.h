/* SPDX-License-Identifier: Apache-2.0 */
/* foresee - lines of a unit that systemd would refuse, said by a dry run. */
#ifndef SYSTEMD_UNIT_FORESEE_H
#define SYSTEMD_UNIT_FORESEE_H

#include <rhost/provider.h>

/* `current`: as load() reports it; NULL: there is no such file. 0, or -1 with the reason given. */
int foresee_unit(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
                 const rhost_value *current);

#endif
