/* SPDX-License-Identifier: Apache-2.0 */
/* ext-catalog - the extension rhost.catalog/1, see <rhost/catalog.h>. */
#ifndef RH_PROVIDER_EXT_CATALOG_H
#define RH_PROVIDER_EXT_CATALOG_H

#include <rhost/catalog.h>

/* NULL where there is no catalog to be looked at. */
const struct rhost_catalog *rh_ext_catalog(rhost_ctx *ctx);

#endif
