/* SPDX-License-Identifier: Apache-2.0 */
/* large-text - texts that go to a worker as memory that both see, beside the frames: a value has the number
 * of its text, and the worker reads no more of it than the provider looks at. Private to this room. */
#ifndef RH_PLUGIN_LARGE_TEXT_H
#define RH_PLUGIN_LARGE_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct rh_link;
struct rh_shared_text;

/* What a worker has been sent. Both sides count the texts in the order in which they are sent. */
struct rh_large_texts {
    struct rh_shared_text **v; /* NULL: released */
    size_t n, cap;
    size_t oldest, bytes; /* of those that are not released */
    size_t expected;      /* the one behind that which was found last */
};

void rh_large_texts_clear(struct rh_large_texts *t);

void rh_large_text_add(struct rh_large_texts *t, struct rh_shared_text *text); /* as the next one */

/* send-text.c, the host's side: `link` gets what is sent. The number of a text, from 1, or 0 when it goes in
 * the frame; the next byte that is put into link->out must belong to what has the number. */
uint32_t rh_large_text_send(struct rh_large_texts *t, struct rh_link *link, const char *s, size_t n);

/* Between two frames: lets go of the oldest texts when there are many. */
void rh_large_texts_trim(struct rh_large_texts *t, struct rh_link *link);

/* The worker's side: takes over a descriptor, as the next text. -1: it has none. */
int rh_large_text_receive(struct rh_large_texts *t, int fd);
struct rh_shared_text *rh_large_text_get(const struct rh_large_texts *t, uint32_t number); /* or NULL */
void rh_large_text_drop(struct rh_large_texts *t, uint32_t number);

#endif
