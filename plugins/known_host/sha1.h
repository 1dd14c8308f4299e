/* SPDX-License-Identifier: Apache-2.0 */
/* sha1 - HMAC-SHA1, with which known_hosts hides the names of hosts. Not for anything that has to be safe. */
#ifndef KNOWN_HOST_SHA1_H
#define KNOWN_HOST_SHA1_H

#include <stddef.h>

enum { SHA1_SIZE = 20, SHA1_BLOCK = 64 };

/* `key` has at most SHA1_BLOCK bytes. */
void sha1_hmac(const unsigned char *key, size_t key_len, const char *text, size_t len, unsigned char *digest);

#endif
