/* SPDX-License-Identifier: Apache-2.0 */
/* keys - a line of authorized_keys: options, type, key and comment. */
#ifndef SSH_AUTHORIZED_KEY_KEYS_H
#define SSH_AUTHORIZED_KEY_KEYS_H

#include <rhost/lines.h>

struct key_part {
    const char *at;
    size_t len;
};

struct key {
    struct key_part options, type, blob, comment; /* options and comment may be empty */
};

/* Takes a line apart. 0: it has no key. */
int key_parse(const char *line, size_t len, struct key *k);

/* Decodes base64; how many bytes, -1: it is none, or there is no room. */
long key_decode(const char *text, size_t len, unsigned char *to, size_t room);

int key_part_is(struct key_part part, const char *text);

/* The length of the option that begins at `at`, up to a comma or a blank outside of quotes, or the
 * end; -1: a quote is not closed. */
long key_option_length(const char *at, const char *end);

/* What is wrong with a blob in base64 (its type is `type`, or any for NULL), in `why`; 0 or -1. The type
 * that it has itself goes into `own`, which has room for 64 bytes. */
int key_check_blob(const char *blob, size_t len, const char *type, char *own, char *why, size_t size);

/* Whether its blob is one, and not cut short. */
int key_is_whole(const struct key *k);

/* "SHA256:..." as ssh-keygen shows it; room for 64 bytes. */
void key_fingerprint(struct key_part blob, char *fingerprint);

#endif
