/* SPDX-License-Identifier: Apache-2.0 */
/* pem - the file of the certificates that sign a server's. */
#ifndef HTTP_PEM_H
#define HTTP_PEM_H

#include "../http_request/transfer.h"

/* Reads it into the transfer; nothing where `path` is NULL. As root, nobody else may be able
 * to change it. 0, or -1 with the reason given. */
int32_t pem_read_ca(struct transfer *t, const char *path);

#endif
