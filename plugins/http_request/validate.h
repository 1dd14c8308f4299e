/* SPDX-License-Identifier: Apache-2.0 */
/* validate - what no data type says of a request. */
#ifndef HTTP_REQUEST_VALIDATE_H
#define HTTP_REQUEST_VALIDATE_H

#include <rhost/provider.h>

int32_t http_request_validate(rhost_ctx *ctx, const rhost_value *resource);

#endif
