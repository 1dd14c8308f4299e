/* SPDX-License-Identifier: Apache-2.0 */
/* frame - what travels between the host and a worker, byte by byte.
 *
 *   u32 length of the payload   u32 type   payload
 *
 * Both ends are the same program on the same machine, so numbers travel as they lie in memory. Text
 * travels with its length and a NUL behind it, so that values can point into the frame. Reading
 * never trusts: what does not parse sets `bad`, and every read after that gives nothing. */
#ifndef RH_PLUGIN_FRAME_H
#define RH_PLUGIN_FRAME_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_large_texts;
struct rh_value;

enum {
    RH_FRAME_HEADER = 8,
    RH_FRAME_DEPTH = 64,
    RH_FRAME_LARGEST_REQUEST = 1 << 30, /* host to worker: a manifest's own content */
    RH_FRAME_LARGEST_ANSWER = 8 << 20,  /* worker to host: nothing that large is worth showing */
    RH_FRAME_LARGEST_BACKUP = 80 << 20, /* but a state that is kept is for no one to look at */
};

/* Writing. */
size_t rh_frame_begin(struct rh_buf *b, uint32_t type); /* returns what rh_frame_end wants */
void rh_frame_end(struct rh_buf *b, size_t start);
void rh_put_u8(struct rh_buf *b, unsigned v);
void rh_put_u32(struct rh_buf *b, uint32_t v);
void rh_put_real(struct rh_buf *b, double v);
void rh_put_text(struct rh_buf *b, const char *s); /* NULL becomes empty */
void rh_put_value(struct rh_buf *b, const struct rh_value *v);

/* Gets a large text to the other side beside the frame: its number there, or 0 when it goes in the frame.
 * Secrets always do: what they are in is overwritten. */
struct rh_text_way {
    void *data;
    uint32_t (*send)(void *data, const char *s, size_t n);
};

void rh_put_value_by(struct rh_buf *b, const struct rh_value *v, const struct rh_text_way *way);
bool rh_frame_is_deep(const struct rh_value *v); /* so that the other side would refuse it */

/* Reading. */
struct rh_in {
    const char *at, *end;
    bool bad;
    const struct rh_large_texts *texts; /* that came beside the frames; or NULL */
    size_t beside;                      /* bytes of them that were taken */
};

unsigned rh_take_u8(struct rh_in *in);
uint32_t rh_take_u32(struct rh_in *in);
double rh_take_real(struct rh_in *in);
unsigned rh_take_code(struct rh_in *in);    /* of a message: 0 to 9999 */
const char *rh_take_text(struct rh_in *in); /* in the frame; never NULL, empty when bad */
/* Texts in it point into the frame, which must live as long. NULL when bad. */
struct rh_value *rh_take_value(struct rh_in *in, struct rh_arena *a);

#endif
